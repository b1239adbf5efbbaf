/** The id of one asking, and the secret that its answer must carry. Both are random. */

import { randomLetters } from "./new_wake.ts";

/** `q-` for a question, `p-` for a permission or a plan, `f-` for a form. */
export function newId(kind: "q" | "p" | "f"): string {
  return `${kind}-${randomLetters(16)}`;
}

/** Only the wake carries it. Everything else keeps its digest. */
export function newSecret(): string {
  return randomLetters(20);
}

export async function digestOf(secret: string): Promise<string> {
  const bytes = new TextEncoder().encode(secret);
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** What the lines of a wake have behind `--question`. */
export function withSecret(id: string, secret: string): string {
  return `${id}.${secret}`;
}

/** The id, and the secret where there is one. */
export function splitName(name: string): { id: string; secret?: string } {
  const at = name.indexOf(".");
  return at === -1 ? { id: name } : { id: name.slice(0, at), secret: name.slice(at + 1) };
}
