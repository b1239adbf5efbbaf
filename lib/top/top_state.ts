/** What `top` shows and what each key does: pure functions. */

import type { Pending } from "../answers.ts";
import type { SessionView } from "../fleet/session_view.ts";
import { readQuestions } from "../questions.ts";
import type { Key } from "./top_keys.ts";

export interface TopState {
  views: SessionView[];
  /** The name of the chosen session. */
  chosen: string;
  mode: TopMode;
  /** The outcome of the last action. */
  said: string;
  /** What all turns have cost today, in words. */
  spent?: string;
  /** The screen of a session as it is now, in its colours. */
  screen?: { session: string; text: string };
}

export type TopMode =
  | { kind: "list" }
  | { kind: "help" }
  | { kind: "type"; text: string }
  | { kind: "log"; lines: string[] }
  /** `picked`: an answer that is sent by Enter. */
  | { kind: "answer"; question: AnswerableQuestion; picked?: AnswerRow };

export interface AnswerRow {
  key: string;
  label: string;
  /** Words for the menu driver. */
  words: string[];
}

export interface AnswerableQuestion {
  /** Empty where only the screen knows the question. */
  id: string;
  asked: string;
  rows: AnswerRow[];
}

export type TopEffect =
  | { kind: "quit" }
  | { kind: "attach"; session: string }
  | { kind: "log"; session: string }
  | { kind: "pause"; session: string }
  | { kind: "take"; session: string }
  /** Words for the menu driver. */
  | { kind: "drive"; session: string; words: string[]; stdin: string };

export interface TopStep {
  state: TopState;
  effect?: TopEffect;
}

export const FIRST: TopState = { views: [], chosen: "", mode: { kind: "list" }, said: "" };

/** The same session stays chosen wherever it moves. */
export function withViews(state: TopState, views: SessionView[]): TopState {
  const isThere = views.some(({ session }) => session === state.chosen);
  const next = { ...state, views, chosen: isThere ? state.chosen : views[0]?.session ?? "" };
  return isThere || state.mode.kind === "help" ? next : { ...next, mode: { kind: "list" } };
}

export function chosenView({ views, chosen }: TopState): SessionView | undefined {
  return views.find(({ session }) => session === chosen);
}

export function onKey(state: TopState, key: Key): TopStep {
  if (key.kind === "named" && key.name === "interrupt") return { state, effect: { kind: "quit" } };
  switch (state.mode.kind) {
    case "list":
      return inList(state, key);
    case "help":
    case "log":
      return isUpOrDown(key) ? inList(back(state), key) : { state: back(state) };
    case "type":
      return whileTyping(state, state.mode.text, key);
    case "answer":
      return whileAnswering(state, state.mode, key);
  }
}

function back(state: TopState): TopState {
  return { ...state, mode: { kind: "list" } };
}

function isUpOrDown(key: Key): boolean {
  return key.kind === "named" ? ["up", "down"].includes(key.name) : /^[jk]$/.test(key.text);
}

function inList(state: TopState, key: Key): TopStep {
  const word = key.kind === "named" ? key.name : key.text;
  switch (word) {
    case "q":
      return { state, effect: { kind: "quit" } };
    case "?":
      return { state: { ...state, mode: { kind: "help" } } };
    case "j":
    case "down":
      return { state: moved(state, 1) };
    case "k":
    case "up":
      return { state: moved(state, -1) };
    case "home":
      return { state: moved(state, -state.views.length) };
    case "end":
      return { state: moved(state, state.views.length) };
  }
  const view = chosenView(state);
  return view === undefined ? { state } : withSession(state, view, word);
}

function moved(state: TopState, by: number): TopState {
  const at = state.views.findIndex(({ session }) => session === state.chosen);
  const next = Math.min(Math.max(at + by, 0), state.views.length - 1);
  return { ...state, chosen: state.views[next]?.session ?? "", said: "" };
}

function withSession(state: TopState, view: SessionView, word: string): TopStep {
  const { session } = view;
  switch (word) {
    case "enter":
      return { state, effect: { kind: "attach", session } };
    case "i":
      return { state: { ...state, mode: { kind: "type", text: "" }, said: "" } };
    case "l":
      return { state, effect: { kind: "log", session } };
    case "p":
      return { state, effect: { kind: "pause", session } };
    case "t":
      return { state, effect: { kind: "take", session } };
    case "a": {
      const question = answerable(view);
      return typeof question === "string"
        ? { state: { ...state, said: question } }
        : { state: { ...state, mode: { kind: "answer", question }, said: "" } };
    }
    default:
      return { state };
  }
}

function whileTyping(state: TopState, text: string, key: Key): TopStep {
  const typed = (next: string): TopStep => ({
    state: { ...state, mode: { kind: "type", text: next } },
  });
  if (key.kind === "text") return typed(text + key.text);
  switch (key.name) {
    case "escape":
      return { state: back(state) };
    case "backspace":
      return typed([...text].slice(0, -1).join(""));
    case "clear":
      return typed("");
    case "enter":
      return text.trim() === "" ? { state: back(state) } : {
        state: { ...back(state), said: "Sending …" },
        effect: driving(state, ["type", "-"], text),
      };
    default:
      return { state };
  }
}

function driving(
  { chosen }: TopState,
  words: string[],
  stdin: string,
  options: string[] = [],
): TopEffect {
  return { kind: "drive", session: chosen, words: [...options, chosen, ...words], stdin };
}

/** A number picks, Enter sends: one wrong key answers nothing. */
function whileAnswering(
  state: TopState,
  mode: TopMode & { kind: "answer" },
  key: Key,
): TopStep {
  if (key.kind === "named" && key.name === "escape") return { state: back(state) };
  const { question, picked } = mode;
  if (key.kind === "named" && key.name === "enter" && picked !== undefined) {
    const about = question.id === "" ? [] : ["--question", question.id];
    return {
      state: { ...back(state), said: "Sending …" },
      effect: driving(state, picked.words, "", about),
    };
  }
  const row = key.kind === "text" ? question.rows.find((one) => one.key === key.text) : undefined;
  return row === undefined ? { state } : { state: { ...state, mode: { ...mode, picked: row } } };
}

/** The question that a key can answer, or why there is none. */
export function answerable(view: SessionView): AnswerableQuestion | string {
  const { state, dialog, seen: { pending, agent } } = view;
  if (state === "asks") {
    const open = pending.findLast(({ kind }) => kind === "question");
    if (open !== undefined) return ofQuestion(open);
    if (dialog?.kind !== "question") return "Its question cannot be read here: Enter attaches.";
    const rows = dialog.options.map(({ number, label }) => row(number, label));
    return { id: "", asked: dialog.title, rows };
  }
  if (state !== "permission") return "It asks nothing.";
  const open = pending.findLast(({ kind }) => kind !== "question" && kind !== "form");
  if (open === undefined) return "Its request cannot be read here: Enter attaches.";
  if (agent?.settings.answer_permissions !== true) {
    return "answer_permissions is off, so decide it in the session: Enter attaches.";
  }
  return {
    id: open.id,
    asked: view.now,
    rows: [
      { key: "y", label: "Allow it", words: ["allow"] },
      { key: "n", label: "Deny it", words: ["deny"] },
    ],
  };
}

function ofQuestion(open: Pending): AnswerableQuestion | string {
  const [question, ...more] = readQuestions(open.tool_input);
  if (question === undefined) return "Its question cannot be read here: Enter attaches.";
  if (more.length > 0) return "It asks several questions at once: Enter attaches.";
  if (question.multiSelect) return "It takes several answers at once: Enter attaches.";
  const rows = question.options.slice(0, 9).map(({ label }, at) => row(at + 1, label));
  return { id: open.id, asked: question.question, rows };
}

function row(number: number, label: string): AnswerRow {
  return { key: String(number), label, words: ["choose", String(number)] };
}
