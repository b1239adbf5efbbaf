import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { type Dialog, readScreen } from "../lib/pane.ts";
import { readRegistry } from "../lib/registry.ts";
import type { Conversation } from "../lib/sessions/launch.ts";
import { recoveredDraft } from "../lib/sessions/recovery_wake.ts";
import { launchOf } from "./support/recovering.ts";
import { inSessionWorld, type SessionWorld } from "./support/session_world.ts";

function draft(
  world: SessionWorld,
  conversation: Conversation,
  { dialog, may = false, first = "" }: { dialog?: string; may?: boolean; first?: string } = {},
) {
  const settings = { answer_permissions: may };
  const reading = readRegistry(
    JSON.stringify({ agents: [{ agent_id: "anvil", hook_settings: settings }] }),
  );
  if (reading.kind === "broken") throw new Error(reading.reason);
  const pane = `${world.paths.root}/tests/fixtures/panes/${dialog}`;
  const shown: Dialog | undefined = dialog === undefined
    ? undefined
    : readScreen(Deno.readTextFileSync(pane)).dialog;
  const launch = launchOf({ first_command: first, tmux_socket: "/s/work" });
  const recovery = { wake_id: "1", found: "its tmux session was gone", conversation };
  return recoveredDraft(world, reading.registry.agents[0]!, launch, recovery, shown);
}

const PICKER = "55-resume-picker.txt";
const TRUST = "v325-80-trust.txt";
const NEW = { kind: "new", id: "x" } as const;
const OWN = { kind: "resume", target: "x" } as const;
const SHOP = { kind: "target", target: "shop" } as const;

// deno-fmt-ignore
const BODIES: [Conversation, Parameters<typeof draft>[2], state: string, words: RegExp, advice?: RegExp][] = [
  [OWN, {}, "idle", /goes on with its own conversation \(x\)\.$/, /^If a turn was running, it was cut off: /],
  [OWN, { dialog: PICKER }, "menu", /conversation \(x\) was not found: /, /^Pick the conversation to go on/],
  [SHOP, {}, "idle", /asked for the conversation of its claude_resume_target, "shop"/],
  [SHOP, { dialog: PICKER }, "menu", /conversation \(shop\) was not found: it shows/],
  [{ kind: "picker" }, { dialog: PICKER }, "menu", /is not known: /, /^Pick the conversation/],
  [{ kind: "chosen" }, {}, "idle", /Its launch command says itself which conversation it opens\./],
  [{ kind: "continue" }, {}, "idle", /goes on with the latest conversation of its folder/],
  [NEW, {}, "idle", /begins a new conversation/, /^Tell it what to work on\.$/],
  [NEW, { first: "go" }, "idle", /\nIt begins by itself with its first command: go$/, /^Wait for its wake\.$/],
  [NEW, { first: "go", dialog: TRUST }, "menu", /\nIt begins by itself with its first/, /ask a person\.$/],
];
for (const [conversation, more, state, words, advice] of BODIES) {
  Deno.test(`recoveredDraft() for ${JSON.stringify([conversation, more])}`, () =>
    inSessionWorld((world) => {
      const made = draft(world, conversation, more);
      assertEquals(made.state, state);
      assertMatch(made.body, words);
      if (advice !== undefined) assertMatch(made.details!.advice!, advice);
      return Promise.resolve();
    }));
}

for (const may of [false, true]) {
  Deno.test(`recoveredDraft() offers what is allowed at a trust dialog with answer_permissions ${may}`, () =>
    inSessionWorld((world) => {
      const { actions = [], details } = draft(world, NEW, { dialog: TRUST, may });
      const verbs = actions.map((line) => line.split(" anvil-main ")[1]);
      assertEquals(verbs, may ? ["choose <n>", "esc", "snapshot"] : ["snapshot"]);
      assertStringIncludes(actions[0]!, "--socket /s/work anvil-main");
      const isOff = /You may not answer it \(answer_permissions is off\)/;
      assertEquals(isOff.test(details!.advice!), !may);
      return Promise.resolve();
    }));
}
