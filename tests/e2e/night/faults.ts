/** The faults of a night: each is played, noted as a fact, and over when its session goes on. */

import { allProcesses, treeBelow } from "../../../lib/doors/process_tree.ts";
import { ownerOf } from "../../../lib/known_sessions.ts";
import { readScreen } from "../../../lib/pane.ts";
import { draftIn } from "../../support/real_claude.ts";
import { pause, until } from "../../support/until.ts";
import { type Night, type NightSession, PATIENCE_MS } from "./stage.ts";

export interface SessionFault {
  name: string;
  /** Only for a session of this kind. */
  for?: "plain" | "mod";
  /** The watch starts it again, which it does three times an hour. */
  isLoss?: boolean;
  /** Played in a short night, too: it takes less than a minute. */
  isQuick?: boolean;
  play(night: Night, session: NightSession): Promise<void>;
}

const GONE = ["session_lost", "session_end"];

/** A turn that the model never ends by itself. */
async function hang(night: Night, session: NightSession): Promise<void> {
  session.api = { kind: "hangs" };
  const words = night.words(session, "Work");
  await session.claude.submit(words);
  const isWorking = (screen: string) => readScreen(screen).state === "working";
  await session.claude.waitForScreen("work", isWorking);
  // Before it, Esc only gives the prompt back.
  const { claudeModel } = night.stage;
  await until(
    "the request",
    () => claudeModel.asked().some(({ prompt }) => prompt.endsWith(words)),
  );
}

/** Told as lost, started again, told as recovered, and sent on by its agent. */
/** So long the watch waits before it calls a session lost. */
const LOOKED_AFTER_MS = 4000;

async function comesBack(night: Night, session: NightSession, before: number): Promise<void> {
  const gone = night.facts.at(-1)!;
  night.fact(session, ["session_recovered"]);
  // It is told within a minute of its return, not of its end.
  const fact = night.facts.at(-1)!;
  await until(`${session.name} to be back`, async () => {
    await session.claudePid();
    return true;
  }, { timeoutMs: PATIENCE_MS });
  fact.at = Date.now();
  // The recovery of another session of its agent was quicker than the watch: one wake has both.
  if (fact.at - gone.at < LOOKED_AFTER_MS) gone.isOptional = true;
  await night.goesOn(session, before);
  await session.attach();
}

export const SESSION_FAULTS: SessionFault[] = [
  {
    name: "Claude Code killed, idle",
    isLoss: true,
    async play(night, session) {
      const before = session.answers;
      Deno.kill(await session.claudePid(), "SIGKILL");
      night.fact(session, GONE);
      await comesBack(night, session, before);
    },
  },
  {
    name: "Claude Code killed at work",
    isQuick: true,
    isLoss: true,
    async play(night, session) {
      const before = session.answers;
      await hang(night, session);
      session.api = { kind: "works" };
      Deno.kill(await session.claudePid(), "SIGKILL");
      night.fact(session, GONE);
      await comesBack(night, session, before);
    },
  },
  {
    name: "pane killed",
    isQuick: true,
    async play(night, session) {
      const before = session.answers;
      const { pane } = session.claude;
      await session.server.tmux("kill-pane", "-t", pane);
      night.fact(session, GONE);
      await comesBack(night, session, before);
    },
  },
  {
    name: "session renamed",
    isQuick: true,
    async play(night, session) {
      const before = session.answers;
      const name = `${session.name}-r${session.names.length}`;
      await session.server.tmux("rename-session", "-t", `=${session.present}`, name);
      session.names.push(name);
      night.fact(session, ["session_changed"]);
      await session.attach();
      // Until then no hook finds the agent: the end of a turn would be reported as idle, a minute later.
      await until(`the record of ${name}`, () => ownerOf(night.stage.paths, name), {
        timeoutMs: PATIENCE_MS,
      });
      await session.claude.submit(night.words(session, "Work"));
      await night.goesOn(session, before);
    },
  },
  {
    name: "Esc pressed",
    isQuick: true,
    async play(night, session) {
      const before = session.answers;
      await hang(night, session);
      session.api = { kind: "works" };
      night.fact(session, ["interrupted"]);
      await session.claude.keys("Escape");
      await session.claude.waitUntilIdle();
      await night.settled(session);
      // Its agent asks the person, who goes on. Claude Code may have given the prompt back.
      await session.claude.keys("C-u");
      await session.claude.waitForScreen("an empty box", (screen) => draftIn(screen) === "");
      await session.claude.submit(night.words(session, "Go on"));
      await night.goesOn(session, before);
    },
  },
  {
    name: "API hangs",
    async play(night, session) {
      const before = session.answers;
      await hang(night, session);
      // Where its agent is slow to stop it, that it has stalled is news once more.
      night.fact(session, ["stalled"], { isOptional: true });
      night.fact(session, ["retrying", "stalled"]);
      await night.goesOn(session, before);
    },
  },
  {
    name: "529 storm",
    async play(night, session) {
      const before = session.answers;
      session.api = { kind: "overloaded" };
      await session.claude.submit(night.words(session, "Work"));
      night.fact(session, ["retrying"]);
      await night.settled(session);
      session.api = { kind: "works" };
      await night.goesOn(session, before);
    },
  },
  {
    name: "429, reset 20 s ahead, in words",
    play: (night, session) => limit(night, session, true),
  },
  {
    name: "429, reset 20 s ahead, in a header",
    isQuick: true,
    for: "mod",
    play: (night, session) => limit(night, session, false),
  },
  {
    name: "hooks killed",
    async play(night, session) {
      const before = session.answers;
      const turn = session.claude.submit(night.words(session, "Work"))
        .then(() => until("the answer", () => session.answers > before))
        .then(() => session.claude.waitUntilIdle()).then(() => pause(3000));
      await night.killHooks(session, turn);
      await turn;
      await night.goesOn(session, before);
    },
  },
  {
    name: "a question, its hook killed",
    async play(night, session) {
      const before = session.answers;
      session.api = { kind: "asks" };
      const asked = session.claude.submit(night.words(session, "Ask"))
        .then(() =>
          session.claude.waitForScreen("the question", (screen) => {
            return readScreen(screen).dialog?.kind === "question";
          })
        );
      await night.killHooks(session, asked.then(() => pause(1000)));
      await asked;
      // Who answers by keys may be told so, or not.
      night.fact(session, ["ask_user_question_answered"], { isOptional: true });
      await night.goesOn(session, before);
      session.api = { kind: "works" };
    },
  },
  {
    name: "hooks removed from settings.json",
    isQuick: true,
    for: "plain",
    async play(night, session) {
      const before = session.answers;
      const file = `${night.scene.home}/.claude/settings.json`;
      const settings = Deno.readTextFileSync(file);
      const { hooks: _, ...others } = JSON.parse(settings);
      Deno.writeTextFileSync(file, JSON.stringify(others, null, 2));
      try {
        await pause(2000);
        await session.claude.submit(night.words(session, "Work"));
        await night.goesOn(session, before);
      } finally {
        Deno.writeTextFileSync(file, settings);
      }
    },
  },
];

async function limit(night: Night, session: NightSession, inWords: boolean): Promise<void> {
  const before = session.answers;
  session.api = { kind: "limited", until: Date.now() + 20_000, inWords };
  await session.claude.submit(night.words(session, "Work"));
  // Nobody but the watch sends it on: `resume_after_limit`.
  await night.goesOn(session, before);
  session.api = { kind: "works" };
}

/** A fault of everything; the sessions that are given to it have a turn while it lasts. */
export interface WideFault {
  name: string;
  /** Played in a short night, too. */
  isQuick?: boolean;
  /** Why it cannot be played here. */
  whyNot?(night: Night): string | undefined;
  play(night: Night, sessions: NightSession[], lastsMs: number): Promise<void>;
}

/** Each has a turn; the fault ends after its time, and then somebody has to know. */
async function turnsIn(
  night: Night,
  sessions: NightSession[],
  lastsMs: number,
): Promise<void> {
  const end = performance.now() + lastsMs;
  await Promise.all(sessions.map(async (session) => {
    const before = session.answers;
    await session.claude.submit(night.words(session, "Work"));
    await until("the answer", () => session.answers > before);
  }));
  await pause(Math.max(0, end - performance.now()));
}

const isBack = (night: Night, sessions: NightSession[]) =>
  Promise.all(sessions.map((session) => night.settled(session)));

/** With all that it has started, as a service manager ends it: else its state stays locked. */
async function killGateway({ shared }: Night): Promise<void> {
  // Only its own: the gateways of other stories are below this process as well.
  const below = treeBelow(await allProcesses(), shared.gateway.pid()!);
  await shared.gateway.kill("SIGKILL");
  for (const { pid } of below) {
    try {
      Deno.kill(pid, "SIGKILL");
    } catch {
      // It has ended with the gateway.
    }
  }
}

export const WIDE_FAULTS: WideFault[] = [
  {
    name: "gateway down",
    isQuick: true,
    async play(night, sessions, lastsMs) {
      const outage = { from: Date.now(), to: Infinity };
      night.outages.push(outage);
      await killGateway(night);
      await turnsIn(night, sessions, lastsMs);
      await night.shared.gateway.start();
      outage.to = Date.now();
      await isBack(night, sessions);
    },
  },
  {
    name: "disk full",
    isQuick: true,
    whyNot: (night) => night.hasOwnDisk ? undefined : "no file system could be mounted",
    async play(night, sessions, lastsMs) {
      const outage = { from: Date.now(), to: Infinity };
      night.outages.push(outage);
      const free = night.fillDisk();
      try {
        await turnsIn(night, sessions, lastsMs);
      } finally {
        free();
        outage.to = Date.now();
      }
      await isBack(night, sessions);
    },
  },
  {
    name: "registry broken",
    isQuick: true,
    async play(night, sessions, lastsMs) {
      const { registry } = night.stage.paths;
      const whole = Deno.readTextFileSync(registry);
      Deno.writeTextFileSync(registry, "{ broken");
      try {
        await turnsIn(night, sessions, lastsMs);
      } finally {
        Deno.writeTextFileSync(registry, whole);
      }
      await isBack(night, sessions);
    },
  },
  {
    name: "watch killed",
    async play(night, sessions) {
      const turns = turnsIn(night, sessions, 0);
      await night.restartWatch();
      await turns;
      await isBack(night, sessions);
    },
  },
  {
    name: "tmux server killed",
    isQuick: true,
    async play(night, sessions) {
      const before = sessions.map(({ answers }) => answers);
      await sessions[0]!.server.tmux("kill-server");
      for (const session of sessions) night.fact(session, GONE);
      await Promise.all(sessions.map((session, at) => comesBack(night, session, before[at]!)));
    },
  },
];
