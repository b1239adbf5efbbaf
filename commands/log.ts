/** Lists what happened in the sessions, a line each. */

import { type CommandLine, readCommandLine, refuse } from "../lib/cli/command_line.ts";
import { outputLost, printable, type Speaker, terminal } from "../lib/cli/speaker.ts";
import { wholeText, withoutSecrets } from "../lib/doors/kept_texts.ts";
import { textOf } from "../lib/events.ts";
import { deadFile, wakeFile } from "../lib/outbox.ts";
import { readWake } from "../lib/outbox_files.ts";
import { type Paths, pathsFrom, ROOT } from "../lib/paths.ts";
import { messageOf } from "../lib/process.ts";
import { WORDS } from "../lib/story/happenings.ts";
import type { StoryLine } from "../lib/story/story_line.ts";
import { Printer, type PrinterWorld } from "../lib/story/log_printer.ts";
import { isWanted, meantBy, nameBefore, namesInStory, storyOf } from "../lib/story/read_story.ts";
import { dayOf, momentOf, SINCE_FORMS } from "../lib/story/since.ts";
import { followJournal, StoryTail } from "../lib/story/story_tail.ts";

export const HELP = `Lists what happened in the sessions: a line each, the latest last.

Usage: gsd-code log [<session or agent>] [options]
       gsd-code log --wake <id>

  gsd-code log --since 22:00            what happened since ten in the evening
  gsd-code log warden-main -f           and what happens now, until Ctrl-C
  gsd-code log --kind asks,answered     only questions and their answers
  gsd-code log --grep migration         only lines with this word
  gsd-code log --wake 01K9ZQ3V7T8M2N4P6R8S0V2X4Z

A line has the time, the session, who did it, what it was, and its words:

  22:10:12  shop-main  Claude  asks      Which database should we use?
  22:10:40  shop-main  warden  answered  SQLite  (after 28 s)

Who: an agent's id, a person's login (a command in a terminal), keyboard (a person at Claude Code's
own prompt), Claude, or a part of this program. On a terminal a long text is cut; --json and pipes
have more of it, and --wake has the whole.

Options:
  --since <when>    a time (22:00), a date (2026-11-16) or an age (30min, 12h, 7d); 24h by default
  --session <name>  only this session; a name without an option is that of a session or an agent
  --agent <id>      only the sessions of this agent
  --kind <kinds>    only these, with commas: a word of the log, or a kind of the journal's records
  --grep <text>     only lines that hold this text, in capitals or not
  --follow          go on with what happens now; also -f
  --wake <id>       the whole text of a wake, or of a long instruction
  --json            the records of the journal, one JSON object per line
  --help            this text
`;

const COMMAND = {
  task: "log",
  help: HELP,
  flags: ["follow", "json"],
  short: { follow: "f" },
  values: {
    since: SINCE_FORMS,
    session: "the name of a session",
    agent: "the id of an agent",
    kind: "kinds, such as asks,answered",
    grep: "a text",
    wake: "the id of a wake",
  },
  words: 1,
} as const;

type Given = CommandLine<
  "follow" | "json",
  "since" | "session" | "agent" | "kind" | "grep" | "wake"
>;

export interface LogWorld extends Speaker, PrinterWorld {
  paths: Paths;
  now(): Date;
  /** Aborts when the person has seen enough. */
  end: AbortSignal;
}

export async function main(args: string[], world: LogWorld = realWorld()): Promise<number> {
  const given = readCommandLine(args, COMMAND, world);
  if (typeof given === "number") return given;
  const wakeId = given.values.wake?.at(-1);
  try {
    return wakeId === undefined ? await tell(given, world) : tellWake(wakeId, world);
  } catch (error) {
    world.warn(`Cannot read the journal in ${world.paths.state}: ${messageOf(error)}`);
    return 1;
  }
}

async function tell({ flags, values, words }: Given, world: LogWorld): Promise<number> {
  const asked = values.since?.at(-1) ?? "24h";
  const since = momentOf(asked, world.now());
  if (since === undefined) {
    return refuse(`--since takes ${SINCE_FORMS}, not "${asked}"`, COMMAND, world);
  }
  const kinds = values.kind?.flatMap((list) => list.split(",")).map((one) => one.trim());
  const odd = kinds?.find((kind) => !WORDS.includes(kind) && !KINDS.includes(kind));
  if (odd !== undefined) {
    const known = [...new Set([...WORDS, ...KINDS])].join(", ");
    return refuse(`--kind has no "${odd}"; it takes ${known}`, COMMAND, world);
  }
  const problems: string[] = [];
  let [name] = words;
  let session = values.session?.at(-1);
  const agent = values.agent?.at(-1);
  const isMeant = (line: StoryLine) =>
    (isWanted(line, name) || line.agent_id === words[0]) &&
    (session === undefined || line.session === session) &&
    (agent === undefined || line.agent_id === agent);
  // Made before anything is read: what is written meanwhile is not lost.
  using tail = flags.follow ? new StoryTail(world.paths) : undefined;
  const read = storyOf(world.paths, { since: since.getTime() }, (why) => problems.push(why));
  const all = [...read, ...tail?.next(read) ?? []].filter(isMeant);
  if (problems.length > 0) world.warn(`Skipped, since it cannot be read: ${problems.join("; ")}`);
  const named = [name, session, agent].filter((one) => one !== undefined);
  if (named.length > 0 && all.length === 0) {
    const known = namesInStory(world.paths);
    const odd = named.find((one) => !known.names.has(one));
    if (odd !== undefined) {
      world.warn(`There is no record of a session or agent "${odd}"${meantBy(odd, known)}`);
      return 1;
    }
  }
  const printer = new Printer(world, { json: flags.json, kinds, grep: values.grep?.at(-1) });
  const count = printer.print(all);
  if (count === 0 && !flags.json && !flags.follow) {
    world.say(`Nothing happened since ${dayOf(since)} ${since.toTimeString().slice(0, 5)}`);
  }
  if (tail === undefined) return 0;
  for await (const lines of followJournal(tail, world.paths, world.end)) {
    printer.print(lines.filter((line) => {
      const before = nameBefore(line);
      // A session that is renamed meanwhile is followed under its new name.
      if (before !== undefined && before === name) name = textOf(line, "session");
      if (before !== undefined && before === session) session = textOf(line, "session");
      return isMeant(line);
    }));
  }
  return 130;
}

/** The kinds of the journal's records (docs/journal.md). */
const KINDS = [
  ...["queued", "delivered", "suppressed", "failed", "dead", "instruction", "prompt"],
  ...["answered", "decided", "session", "step", "problem"],
];

function tellWake(id: string, world: LogWorld): number {
  const records = storyOf(world.paths, { since: 0 })
    .filter((line) => line.wake_id === id || line.instruction_id === id);
  const text = wholeText(world.paths, id) ?? waitingText(world.paths, id, records) ??
    records.map((line) => textOf(line, "text")).find((one) => one !== "");
  if (records.length === 0 && text === undefined) {
    world.warn(`No wake or instruction "${id}" is known; texts are kept for 30 days`);
    return 1;
  }
  new Printer(world, { json: false, kinds: undefined, grep: undefined }).print(records);
  if (text !== undefined) world.say(`\n${text.trimEnd()}`);
  return 0;
}

/** The text of a wake that is not delivered yet, or never was. */
function waitingText(paths: Paths, wake_id: string, records: StoryLine[]): string | undefined {
  const agent_id = records.map((line) => textOf(line, "agent_id")).find((one) => one !== "");
  if (agent_id === undefined) return undefined;
  const files = [wakeFile(paths, { agent_id, wake_id }), deadFile(paths, { agent_id, wake_id })];
  const message = files.map((file) => readWake(file)?.message).find((text) => text !== undefined);
  return message === undefined ? undefined : withoutSecrets(message);
}

function realWorld(): LogWorld {
  const end = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    Deno.addSignalListener(signal, () => end.abort());
  }
  return {
    paths: pathsFrom((name) => Deno.env.get(name), ROOT),
    now: () => new Date(),
    width: () => Deno.stdout.isTerminal() ? Deno.consoleSize().columns : undefined,
    end: end.signal,
    warn: terminal.warn,
    say: (line) => {
      try {
        const bytes = new TextEncoder().encode(`${printable(line)}\n`);
        for (let at = 0; at < bytes.length;) at += Deno.stdout.writeSync(bytes.subarray(at));
      } catch (error) {
        end.abort(); // the reader has gone, as with `| head`
        outputLost(error);
      }
    },
  };
}

if (import.meta.main) Deno.exit(await main(Deno.args));
