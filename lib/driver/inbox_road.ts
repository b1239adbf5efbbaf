/**
 * The inbox socket of a Claude Code, for messages of other sessions. Claude Code drops messages
 * without an error. So this file keeps to its limits and checks its queue in the transcript.
 */

import { namesIn, openRegular, readTextIfThere, writeAtomic } from "../files.ts";
import { isObject, parseIfJson } from "../json.ts";
import { hash, type Paths, safeName } from "../paths.ts";
import { messageOf } from "../process.ts";
import { readMemory } from "../session_memory.ts";
import type { Clock } from "../time.ts";

export interface InboxRoad {
  socket: string;
  token?: string;
  claudeId: string;
  /** "idle", "busy" or "waiting", as Claude Code says itself. */
  status: string;
  /** Claude Code's folder. */
  config: string;
}

/** The inbox of the Claude Code that is one of these processes. */
export function inboxIn(
  paths: Paths,
  session: string,
  pids: ReadonlySet<number>,
): InboxRoad | undefined {
  for (const config of configsOf(paths, session)) {
    const folder = `${config}/sessions`;
    for (const name of quietly(() => namesIn(folder)) ?? []) {
      const pid = Number(/^(\d+)\.json$/.exec(name)?.[1] ?? NaN);
      if (!pids.has(pid)) continue;
      const road = readInbox(
        parseIfJson(quietly(() => readTextIfThere(`${folder}/${name}`)) ?? ""),
      );
      if (road === undefined) continue;
      const token = quietly(() => tokenIn(folder, pid));
      return { ...road, config, ...(token === undefined ? {} : { token }) };
    }
  }
  return undefined;
}

/** A session may have been spawned with another folder than ours: its transcript shows it. */
function configsOf(paths: Paths, session: string): string[] {
  const transcript = quietly(() => readMemory(paths, session).transcript_path) ?? "";
  const own = /^(\/.+)\/projects\/[^/]+\/[^/]+$/.exec(transcript)?.[1];
  return [...new Set([...(own === undefined ? [] : [own]), paths.claudeConfig])];
}

function readInbox(value: unknown): Omit<InboxRoad, "config"> | undefined {
  if (!isObject(value)) return undefined;
  const { messagingSocketPath: socket, sessionId: claudeId, status } = value;
  if (typeof socket !== "string" || typeof claudeId !== "string") return undefined;
  return { socket, claudeId, status: typeof status === "string" ? status : "" };
}

function tokenIn(folder: string, pid: number): string | undefined {
  const name = namesIn(folder).find((name) => name.startsWith(`${pid}.`) && name.endsWith(".key"));
  const value = name === undefined
    ? undefined
    : parseIfJson(readTextIfThere(`${folder}/${name}`) ?? "");
  return isObject(value) && typeof value.peerToken === "string" ? value.peerToken : undefined;
}

export interface SentMessage {
  /** In milliseconds since 1970. */
  at: number;
  hash: string;
}

const BURST = 30;
const REFILL_MS = 2000;
const SAME_TEXT_MS = 30_000;

/** Why Claude Code would drop this text now; undefined where it takes it. */
export function whyDropped(sent: SentMessage[], text: string, now: number): string | undefined {
  const same = sent.findLast((one) => one.hash === hash(text));
  if (same !== undefined && now - same.at < SAME_TEXT_MS) {
    const seconds = Math.ceil((SAME_TEXT_MS - (now - same.at)) / 1000);
    return `the inbox drops a text that comes again within 30 s: wait ${seconds} s, or change it`;
  }
  const left = tokensLeft(sent, now);
  if (left >= 1) return undefined;
  const seconds = Math.ceil((1 - left) * REFILL_MS / 1000);
  return `the inbox takes ${BURST} texts in a row, then one in 2 s: wait ${seconds} s`;
}

/** A bucket of 30 that gets one more every two seconds. */
function tokensLeft(sent: SentMessage[], now: number): number {
  let left = BURST;
  let before = sent[0]?.at ?? now;
  for (const { at } of sent) {
    left = Math.min(BURST, left + Math.max(at - before, 0) / REFILL_MS) - 1;
    before = at;
  }
  return Math.min(BURST, left + Math.max(now - before, 0) / REFILL_MS);
}

function sentFile(paths: Pick<Paths, "state">, session: string): string {
  return `${paths.state}/roads/${safeName(session)}.sent.json`;
}

export function readSent(paths: Pick<Paths, "state">, session: string): SentMessage[] {
  const value = parseIfJson(readTextIfThere(sentFile(paths, session)) ?? "");
  const list = Array.isArray(value) ? value.filter(isObject) : [];
  return list.map(({ at, hash }) => ({ at: Number(at), hash: String(hash) }));
}

/** Count before sending: a message that may have been sent counts too. */
export function noteSent(
  paths: Pick<Paths, "state">,
  session: string,
  text: string,
  now: number,
): void {
  const recent = readSent(paths, session).filter(({ at }) => now - at < BURST * REFILL_MS);
  const all = [...recent, { at: now, hash: hash(text) }];
  writeAtomic(sentFile(paths, session), JSON.stringify(all));
}

export type InboxAnswer =
  | { kind: "taken" }
  /** Nothing was sent. */
  | { kind: "closed"; reason: string }
  | { kind: "unsure"; reason: string };

const LOOK_EVERY_MS = 40;

/** Sends a text, and waits until Claude Code has it in its queue. */
export async function sendToInbox(
  road: InboxRoad,
  message: { text: string; priority: "next" | "now" },
  { clock, waitMs }: { clock: Clock; waitMs: number },
): Promise<InboxAnswer> {
  const proof = queueProof(road, message.text);
  let connection: Deno.UnixConn;
  try {
    connection = await Deno.connect({ transport: "unix", path: road.socket });
  } catch (error) {
    return { kind: "closed", reason: `the inbox socket cannot be reached: ${messageOf(error)}` };
  }
  try {
    const lines = messageLines(road, message);
    const bytes = new TextEncoder().encode(lines);
    for (let written = 0; written < bytes.length;) {
      written += await connection.write(bytes.subarray(written));
    }
    for (
      const until = clock.now() + waitMs;
      clock.now() < until;
      await clock.sleep(LOOK_EVERY_MS)
    ) {
      if (proof()) return { kind: "taken" };
    }
    return { kind: "unsure", reason: NO_PROOF };
  } catch (error) {
    return { kind: "unsure", reason: `the inbox socket broke: ${messageOf(error)}` };
  } finally {
    connection.close();
  }
}

const NO_PROOF = "it was sent to the inbox, and no sign of it is in the transcript " +
  "(where permissions are bypassed, Claude Code holds it in a dialog)";

/** Claude Code drops a connection with a longer line. */
export const LONGEST_LINE = 1_048_576;

export function messageLines(
  { token }: Pick<InboxRoad, "token">,
  { text, priority }: { text: string; priority: string },
): string {
  const user = {
    type: "user",
    message: { role: "user", content: text },
    priority,
    from: "uds:/dev/null", // no process listens for an answer
    msg_id: crypto.randomUUID(),
  };
  const lines = token === undefined ? [user] : [{ type: "auth", token }, user];
  return lines.map((line) => `${JSON.stringify(line)}\n`).join("");
}

/** Whether the transcript shows the text in Claude Code's queue, later than now. */
function queueProof({ config, claudeId }: InboxRoad, text: string): () => boolean {
  const find = () => transcriptOf(config, claudeId);
  let path = find();
  let from = path === undefined ? 0 : sizeOf(path);
  return () => {
    path ??= find();
    if (path === undefined) return false;
    const more = readFrom(path, from);
    from += more.bytes;
    return more.text.split("\n").some((line) => isEnqueued(line, text));
  };
}

/** The first prompt of a conversation has no queue record. */
export function isEnqueued(line: string, text: string): boolean {
  const value = parseIfJson(line);
  if (!isObject(value)) return false;
  if (value.type === "queue-operation") {
    return value.operation === "enqueue" && value.content === text;
  }
  const message = isObject(value.message) ? value.message : {};
  return value.type === "user" && typeof message.content === "string" &&
    message.content.includes(`\n${text}\n`);
}

function transcriptOf(config: string, claudeId: string): string | undefined {
  const projects = `${config}/projects`;
  return (quietly(() => namesIn(projects)) ?? []).map((name) =>
    `${projects}/${name}/${claudeId}.jsonl`
  ).find((path) => quietly(() => sizeOf(path)) !== undefined);
}

function sizeOf(path: string): number {
  return Deno.statSync(path).size;
}

function readFrom(path: string, from: number): { text: string; bytes: number } {
  using file = openRegular(path, { read: true });
  file.seekSync(from, Deno.SeekMode.Start);
  const size = Math.max(file.statSync().size - from, 0);
  const buffer = new Uint8Array(size);
  let bytes = 0;
  for (let count; bytes < size && (count = file.readSync(buffer.subarray(bytes))) !== null;) {
    bytes += count;
  }
  // Whole lines: the rest of one that is being written comes with the next look.
  const end = buffer.subarray(0, bytes).lastIndexOf(10) + 1;
  return { text: new TextDecoder().decode(buffer.subarray(0, end)), bytes: end };
}

/** Undefined where it is not there, or where the launcher's permissions do not reach. */
function quietly<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
