import { assertEquals } from "@std/assert";
import { type Caller, giverOf } from "../lib/driver/caller.ts";
import type { Giver } from "../lib/records.ts";

const by = (chain: string): Caller => ({ kind: "outside", chain });
const AGENT: Giver = { by: "warden", by_kind: "agent" };

const CASES: [what: string, chain: string, signs: object, giver: Giver][] = [
  ["an agent's shell", "systemd > openclaw > sh > menu-driver", {}, AGENT],
  [
    "an agent with a terminal of its own",
    "openclaw-gateway > bash > menu-driver",
    { isTerminal: true, login: "ana" },
    AGENT,
  ],
  [
    "a person",
    "sshd > bash > menu-driver",
    { isTerminal: true, login: "ana" },
    { by: "ana", by_kind: "person" },
  ],
  [
    "a person without a login",
    "unknown",
    { isTerminal: true },
    { by: "person", by_kind: "person" },
  ],
  [
    "a person who is called like the agent",
    "tmux pane %3 > bash > menu-driver",
    { isTerminal: true, login: "warden" },
    { by: "person", by_kind: "person" },
  ],
  [
    "a login that is no name",
    "bash > menu-driver",
    { isTerminal: true, login: "a\nb" },
    { by: "person", by_kind: "person" },
  ],
  ["no sign at all", "cron > sh > menu-driver", {}, AGENT],
  ["--by of the agent", "bash > menu-driver", { named: "warden", isTerminal: true }, AGENT],
  [
    "--by of another",
    "bash > menu-driver",
    { named: "wall", isTerminal: true },
    { by: "wall", by_kind: "person" },
  ],
  ["--by of a program", "systemd > deno", { named: "watch" }, { by: "watch", by_kind: "program" }],
];

for (const [what, chain, signs, giver] of CASES) {
  Deno.test(`giverOf() says who gives the order: ${what}`, () => {
    assertEquals(giverOf(by(chain), { agentId: "warden", isTerminal: false, ...signs }), giver);
  });
}
