/** Checks and writes the registry, for commands; hooks read it by registry.ts. */

import { parse } from "@std/jsonc";
import { backUp, followLinks, replacementFor, statIfThere } from "../doors/user_file.ts";
import { readIfThere, underLock } from "../files.ts";
import { setValue } from "../jsonc/set_value.ts";
import { type JsonPath, lineAt, nearestNode, parseText } from "../jsonc/tree.ts";
import { type AgentFile, type RegistryFile, registrySchema } from "./registry_schema.ts";

export interface RegistryProblem {
  line: number;
  /** Where in the registry, as `agents[2].enabled`; "" for the file as a whole. */
  field: string;
  problem: string;
}

type RegistryCheck =
  | { kind: "sound"; registry: RegistryFile }
  | { kind: "broken"; problems: RegistryProblem[] };

/** Parses the text once; the tree, which knows the lines, is built only to locate a problem. */
function check(text: string): RegistryCheck {
  let value: unknown;
  try {
    value = parse(text.replace(/^\uFEFF/, ""));
  } catch {
    const { offset, problem } = parseText(text).errors[0] ??
      { offset: text.length, problem: "the file is empty" };
    const line = lineAt(text, offset);
    return { kind: "broken", problems: [{ line, field: "", problem: `not JSON: ${problem}` }] };
  }
  const outcome = registrySchema.safeParse(value);
  // The value, not the schema's copy of it: that may order the fields otherwise.
  if (outcome.success) return { kind: "sound", registry: value as RegistryFile };
  const root = parseText(text).root!;
  const problems = outcome.error.issues.map((issue) => {
    const path = issue.path.filter((step) => typeof step !== "symbol");
    const line = lineAt(text, nearestNode(root, path).offset);
    return { line, field: fieldName(path), problem: issue.message };
  });
  return { kind: "broken", problems };
}

/** Everything that is not as the schema wants it, with the line to look at. */
export function checkRegistry(text: string): RegistryProblem[] {
  const checked = check(text);
  return checked.kind === "broken" ? checked.problems : [];
}

export interface RegistryChange {
  path: JsonPath;
  value: unknown;
}
export type EditOutcome = { kind: "created" | "changed"; changes: RegistryChange[] } | {
  kind: "unchanged";
};

/** The registry is broken or cannot be written; it was not changed. */
export class RegistryError extends Error {
  override name = "RegistryError";
}

export interface EditOptions {
  dryRun?: boolean;
  lockWaitMs?: number;
}

/** Makes the changes that `change` asks for, under a lock. A broken registry is never written. */
export function editRegistry(
  path: string,
  change: (registry: RegistryFile) => RegistryChange[],
  options: EditOptions = {},
): EditOutcome {
  const file = followLinks(path);
  if (options.dryRun && !statIfThere(dirname(file))) {
    return applied(path, undefined, change).outcome;
  }
  Deno.mkdirSync(dirname(file), { recursive: true });
  return locked(dirname(file), options.lockWaitMs ?? 10_000, path, () => {
    const present = readIfThere(file, Deno.readFileSync);
    const before = present && new TextDecoder("utf-8", { ignoreBOM: true }).decode(present);
    const { text, outcome } = applied(path, before, change);
    if (outcome.kind !== "unchanged" && !options.dryRun) {
      const replacement = replacementFor(file, text, `${file}.${Deno.pid}.tmp`);
      try {
        if (present !== undefined) backUp(file, present, new Date());
        replacement.put();
      } finally {
        replacement.drop();
      }
    }
    return outcome;
  });
}

/** Adds an agent, or sets the given fields of the one that is there. */
export function upsertAgent(
  path: string,
  agent: AgentFile,
  options?: EditOptions,
): EditOutcome {
  return editRegistry(path, (registry) => {
    const index = registry.agents.findIndex((other) => other.agent_id === agent.agent_id);
    return index === -1
      ? [{ path: ["agents", registry.agents.length], value: agent }]
      : fieldChanges(["agents", index], registry.agents[index]!, agent);
  }, options);
}

/** The changes that give an object of the registry these fields, without those it has already. */
export function fieldChanges(
  at: JsonPath,
  present: Record<string, unknown>,
  wanted: Record<string, unknown>,
): RegistryChange[] {
  return Object.entries(wanted)
    .filter(([name, value]) => value !== undefined && !same(present[name], value))
    .map(([name, value]) => ({ path: [...at, name], value }));
}

export function fieldName(path: JsonPath): string {
  return path.map((step, at) =>
    typeof step === "number" ? `[${step}]` : at === 0 ? step : `.${step}`
  )
    .join("");
}

const EMPTY_REGISTRY = `{
  // The agents of gsd-code-skill and the tmux sessions they look after.
  // Comments are kept. Every field is explained in recovery-registry.example.json.
  "agents": []
}
`;

function applied(
  path: string,
  present: string | undefined,
  change: (registry: RegistryFile) => RegistryChange[],
): { text: string; outcome: EditOutcome } {
  let text = present ?? EMPTY_REGISTRY;
  const changes = change(refuseBroken(path, text, "it was left untouched"));
  if (changes.length === 0) return { text, outcome: { kind: "unchanged" } };
  for (const { path: at, value } of changes) text = setValue(text, at, value);
  refuseBroken(path, text, "the change was not made");
  return { text, outcome: { kind: present === undefined ? "created" : "changed", changes } };
}

/** The registry of a sound text; throws for a broken one, with file, line and field. */
export function refuseBroken(path: string, text: string, result: string): RegistryFile {
  const checked = check(text);
  if (checked.kind === "sound") return checked.registry;
  const { line, field, problem } = checked.problems[0]!;
  const where = field === "" ? `line ${line}` : `line ${line}, field ${field}`;
  throw new RegistryError(`the registry ${path} is broken at ${where}: ${problem}; ${result}`);
}

// Locks the folder itself: a lock file would appear beside the user's registry.
function locked<T>(dir: string, waitMs: number, path: string, work: () => T): T {
  const done = underLock(Deno.openSync(dir, { read: true }), waitMs, work);
  if (done.kind === "done") return done.value;
  throw new RegistryError(
    `Cannot write the registry ${path}: another program has held its lock for ${waitMs} ms`,
  );
}

function dirname(path: string): string {
  return path.slice(0, path.lastIndexOf("/")) || "/";
}

function same(a: unknown, b: unknown): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}
