/** The form of an MCP server (an elicitation): its fields, and the values that they take. */

import { isObject } from "./json.ts";
import { barred, unbroken } from "./questions.ts";

export interface FormField {
  name: string;
  type: "string" | "number" | "integer" | "boolean" | "list";
  isRequired: boolean;
  /** The only values that it takes, with what they mean. */
  choices?: { value: string; title: string }[];
  least?: number;
  most?: number;
  title: string;
  description: string;
  preset?: unknown;
}

/** MCP allows a flat object of simple values. Undefined for any other form. */
export function fieldsOf(schema: unknown): FormField[] | undefined {
  const properties = isObject(schema) ? schema.properties : undefined;
  if (!isObject(schema) || !isObject(properties)) return undefined;
  const required = Array.isArray(schema.required) ? schema.required : [];
  const fields = Object.entries(properties).map(([name, field]) =>
    isObject(field) ? fieldOf(name, field, required.includes(name)) : undefined
  );
  return fields.every((field) => field !== undefined) ? fields : undefined;
}

function fieldOf(
  name: string,
  field: Record<string, unknown>,
  isRequired: boolean,
): FormField | undefined {
  const isList = field.type === "array";
  const type = isList ? "list" : field.type;
  if (!isType(type)) return undefined;
  const choices = choicesOf(isList && isObject(field.items) ? field.items : field);
  if (isList && choices === undefined) return undefined;
  const numbers = isList
    ? [field.minItems, field.maxItems]
    : type === "string"
    ? [field.minLength, field.maxLength]
    : [field.minimum, field.maximum];
  const [least, most] = numbers.map((one) => typeof one === "number" ? one : undefined);
  return {
    name,
    type,
    isRequired,
    ...(choices === undefined ? {} : { choices }),
    ...(least === undefined ? {} : { least }),
    ...(most === undefined ? {} : { most }),
    title: wordsOf(field.title),
    description: wordsOf(field.description),
    ...(field.default === undefined ? {} : { preset: field.default }),
  };
}

const TYPES: unknown[] = ["string", "number", "integer", "boolean", "list"];

function isType(type: unknown): type is FormField["type"] {
  return TYPES.includes(type);
}

/** `enum`, with `enumNames` or without; or `oneOf`, `anyOf` of constants. */
function choicesOf(field: Record<string, unknown>): FormField["choices"] {
  const { enum: values, enumNames: names } = field;
  if (Array.isArray(values)) {
    return values.map((value, at) => ({
      value: String(value),
      title: wordsOf(Array.isArray(names) ? names[at] : undefined),
    }));
  }
  const list = field.oneOf ?? field.anyOf;
  return Array.isArray(list)
    ? list.filter(isObject).map((one) => ({
      value: String(one.const),
      title: wordsOf(one.title),
    }))
    : undefined;
}

function wordsOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

const MOST_OF_A_MESSAGE = 4000;
const MOST_OF_A_LABEL = 400;

/**
 * As the agent reads it: a line for each field. All of it is the server's text, so no part of it can
 * begin a line of the form.
 */
export function formText(server: string, message: string, fields: FormField[]): string {
  const lines = fields.map((field) => `- ${nameOf(field)}${aboutField(field)}`);
  const said = barred(cutAfter(message, MOST_OF_A_MESSAGE));
  return [`The MCP server ${label(server)} asks:`, said, "", "Fields:", ...lines].join("\n");
}

function nameOf({ name }: FormField): string {
  return /^[\w .-]{1,100}$/.test(name) ? name : unbroken(JSON.stringify(name));
}

function label(text: string): string {
  return unbroken(cutAfter(text, MOST_OF_A_LABEL));
}

function cutAfter(text: string, most: number): string {
  const left = text.length - most;
  return left <= 0 ? text : `${text.slice(0, most)}… (${left} characters are not shown)`;
}

function aboutField(field: FormField): string {
  const { type, least, most, choices, preset, title, description, isRequired } = field;
  const counted = type === "string" ? " characters" : type === "list" ? " of them" : "";
  const range = least === undefined && most === undefined ? "" : `, ${
    [
      ...(least === undefined ? [] : [`at least ${least}`]),
      ...(most === undefined ? [] : [`at most ${most}`]),
    ].join(" and ")
  }${counted}`;
  const shown = (choices ?? []).map(({ value, title }) =>
    JSON.stringify(value) + (title === "" || title === value ? "" : ` (${label(title)})`)
  );
  const parts = [
    ` (${type === "list" ? "several of" : type}${range}${isRequired ? "" : ", optional"})`,
    title === "" || title === field.name ? "" : `: ${label(title)}`,
    description === "" ? "" : `: ${label(description)}`,
    shown.length === 0 ? "" : `: one of ${unbroken(shown.join(", "))}`,
    preset === undefined ? "" : `; usually ${label(JSON.stringify(preset))}`,
  ];
  return parts.join("");
}

export type FormValues =
  | { kind: "values"; content: Record<string, unknown> }
  | { kind: "wrong"; reason: string };

/** From `name=value` words, or one JSON object. Every value is checked against its field. */
export function readValues(words: string[], fields: FormField[]): FormValues {
  const given = words.length === 1 && words[0]!.trim().startsWith("{")
    ? fromJson(words[0]!)
    : fromWords(words, fields);
  if (given.kind === "wrong") return given;
  const unknown = Object.keys(given.content).find((name) =>
    !fields.some((field) => field.name === name)
  );
  if (unknown !== undefined) return wrong(`the form has no field "${unknown}"; ${namesOf(fields)}`);
  const missing = fields.find(({ name, isRequired }) => isRequired && !(name in given.content));
  if (missing !== undefined) return wrong(`the form needs ${nameOf(missing)}; ${namesOf(fields)}`);
  for (const [name, value] of Object.entries(given.content)) {
    const field = fields.find((one) => one.name === name)!;
    const why = whyUnfit(field, value);
    if (why !== undefined) return wrong(`${nameOf(field)} ${why}`);
  }
  return given;
}

function namesOf(fields: FormField[]): string {
  return `its fields are ${fields.map(nameOf).join(", ")}`;
}

function fromJson(text: string): FormValues {
  try {
    const content: unknown = JSON.parse(text);
    if (isObject(content)) return { kind: "values", content };
  } catch {
    // Said below.
  }
  return wrong("the values are no JSON object");
}

function fromWords(words: string[], fields: FormField[]): FormValues {
  const content: Record<string, unknown> = {};
  for (const word of words) {
    const at = word.indexOf("=");
    if (at < 1) return wrong(`"${word}" is not name=value`);
    const name = word.slice(0, at);
    const field = fields.find((one) => one.name === name);
    content[name] = field === undefined ? word.slice(at + 1) : valueOf(word.slice(at + 1), field);
  }
  return { kind: "values", content };
}

function valueOf(text: string, { type }: FormField): unknown {
  if (type === "list") return text === "" ? [] : text.split(",");
  if (type === "boolean") return text === "true" ? true : text === "false" ? false : text;
  const isNumber = type !== "string" && /^-?\d+(\.\d+)?$/.test(text);
  return isNumber ? Number(text) : text;
}

function whyUnfit(field: FormField, value: unknown): string | undefined {
  const { type, choices, least = -Infinity, most = Infinity } = field;
  const all = (choices ?? []).map((choice) => choice.value);
  const list = `one of ${all.map((one) => JSON.stringify(one)).join(", ")}`;
  switch (type) {
    case "boolean":
      return typeof value === "boolean" ? undefined : "is true or false";
    case "list":
      if (!Array.isArray(value)) return "is a list";
      if (value.some((one) => !all.includes(String(one)))) return `takes several of ${list}`;
      return isIn(value.length) ? undefined : `has the wrong number of values${range()}`;
    case "string":
      if (typeof value !== "string") return "is a text";
      if (choices !== undefined) return all.includes(value) ? undefined : `is ${list}`;
      return isIn(value.length) ? undefined : `has the wrong length${range()}`;
    default:
      if (typeof value !== "number" || !Number.isFinite(value)) return "is a number";
      if (type === "integer" && !Number.isInteger(value)) return "is a whole number";
      return isIn(value) ? undefined : `is out of range${range()}`;
  }
  function isIn(number: number): boolean {
    return number >= least && number <= most;
  }
  function range(): string {
    const ends = [
      ...(least === -Infinity ? [] : [`at least ${least}`]),
      ...(most === Infinity ? [] : [`at most ${most}`]),
    ];
    return `: ${ends.join(", ")}`;
  }
}

function wrong(reason: string): FormValues {
  return { kind: "wrong", reason };
}
