/** Serves a page with the live screens of all sessions, and what answers them. */

import { readCommandLine, refuse } from "../lib/cli/command_line.ts";
import { realWorld, type World } from "../lib/cli/world.ts";
import { FleetReader } from "../lib/fleet/fleet_reader.ts";
import { ScreenTimes } from "../lib/fleet/screen_times.ts";
import { messageOf } from "../lib/process.ts";
import { happeningsOf } from "../lib/story/read_story.ts";
import { SpentToday } from "../lib/story/spent_today.ts";
import { realClock } from "../lib/time.ts";
import { accessFor } from "../lib/wall/access.ts";
import { Feed } from "../lib/wall/feed.ts";
import { type ActionOutcome, answerer, type StoryRow } from "../lib/wall/wall_server.ts";
import { WallSource } from "../lib/wall/wall_source.ts";
import { driveFor } from "./menu_driver.ts";

export const HELP = `Serves a page with the live screens of all sessions.

Usage: gsd-code wall [--port <number>] [--host <address>]

It prints an address with a token. Anyone with that address sees the screens, answers questions and
gives instructions, as gsd-code menu-driver does. Ctrl-C ends it. While no page is open, it rests.

  --port <number>   the port; without it a free one is taken
  --host <address>  another address than 127.0.0.1. The page is not encrypted: use an ssh tunnel instead
  --help            this text

Keys on the page: j and k or the arrows move, Enter opens a session, i writes an instruction,
Ctrl+Enter sends it, Escape goes back.

Examples:
  gsd-code wall
  gsd-code wall --port 8080
  ssh -L 8080:127.0.0.1:8080 my-server gsd-code wall --port 8080
`;

const COMMAND = {
  task: "wall",
  help: HELP,
  flags: [],
  values: { port: "a number from 1 to 65535", host: "an address of this machine" },
} as const;

export interface WallWorld extends World {
  /** Resolves when the wall must end. */
  ended: Promise<unknown>;
  /** One action of the menu driver. */
  drive(words: string[], stdin: string): Promise<ActionOutcome>;
}

export async function main(args: string[], world: WallWorld = realWallWorld()): Promise<number> {
  const given = readCommandLine(args, COMMAND, world);
  if (typeof given === "number") return given;
  const host = given.values.host?.at(-1) ?? "127.0.0.1";
  const wanted = given.values.port?.at(-1);
  const port = wanted === undefined ? 0 : Number(wanted);
  if (wanted !== undefined && !(Number.isInteger(port) && port > 0 && port < 65_536)) {
    return refuse(`--port needs ${COMMAND.values.port}`, COMMAND, world);
  }
  const reader = new FleetReader(world, new ScreenTimes(world.paths));
  const spent = new SpentToday(world.paths);
  const source = new WallSource(world, reader, () => spent.usd(world.now()));
  const feed = new Feed(source, realClock);
  let answer = (_: Request): Promise<Response> =>
    Promise.resolve(new Response(null, { status: 503 }));
  let server: Deno.HttpServer<Deno.NetAddr>;
  try {
    const options = { port, hostname: host, onListen: () => {} };
    server = Deno.serve(options, (request) => answer(request));
  } catch (error) {
    world.warn(`Cannot listen on ${host} port ${port}: ${messageOf(error)}; try another --port`);
    return 1;
  }
  const access = accessFor(server.addr.port, namesOf(host));
  answer = answerer({
    access,
    feed,
    story: (session) => storyRows(world, session),
    act: ({ session, words, stdin }) => {
      const socket = source.socketOf(session);
      return world.drive(socket === undefined ? words : ["--socket", socket, ...words], stdin);
    },
  });
  world.say(access.address);
  if (!isLoopback(host)) {
    world.warn(
      `Warning: ${host} can be reached by others, and the page is not encrypted: anyone who reads ` +
        `the traffic has the token. An ssh tunnel to 127.0.0.1 is safer.`,
    );
  }
  world.warn("Open this address in a browser. Ctrl-C ends the wall.");
  await world.ended;
  feed.end();
  await server.shutdown();
  return 130;
}

/** The host names that a browser may use; the first one is in the printed address. */
function namesOf(host: string): string[] {
  const isEvery = host === "0.0.0.0" || host === "::";
  const own = isEvery ? Deno.networkInterfaces().map(({ address }) => address) : [host];
  const reachable = own.filter((name) => !isLoopback(name) && !name.startsWith("fe80"));
  return [...new Set([...reachable, ...own, "127.0.0.1", "localhost"])];
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127\.\d+\.\d+\.\d+$/.test(host);
}

const STORY_MS = 24 * 3_600_000;
const MOST_ROWS = 300;

/** The last day of a session. */
function storyRows({ paths, now }: World, session: string): StoryRow[] {
  const since = now().getTime() - STORY_MS;
  return happeningsOf(paths, { session, since }).slice(-MOST_ROWS)
    .map(({ at, who, what, text, note, tone }) => ({
      at: at.toISOString(),
      who,
      kind: what,
      tone,
      text: text.slice(0, 2000),
      note,
    }));
}

function realWallWorld(): WallWorld {
  const ended = new Promise<void>((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM"] as const) Deno.addSignalListener(signal, resolve);
  });
  return { ...realWorld(), ended, drive: (words, stdin) => driveFor("wall", words, stdin) };
}

if (import.meta.main) Deno.exit(await main(Deno.args));
