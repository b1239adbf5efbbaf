/** Operates Claude Code's menus and prompt in a tmux session, for its agent. */

import { isRefusedAsRoot } from "../lib/doors/as_root.ts";
import { nameInTmux } from "../lib/driver/claude_pane.ts";
import { carryOut } from "../lib/driver/carry_out.ts";
import { type ActionResult, refused } from "../lib/driver/driver_context.ts";
import { inTurn } from "../lib/driver/driver_turn.ts";
import { type DriverWorld, paneWorld, realDriverWorld } from "../lib/driver/driver_world.ts";
import { readMenuArgs } from "../lib/driver/menu_args.ts";
import type { MenuOptions, Verb } from "../lib/driver/menu_order.ts";
import { shown, snapshot } from "../lib/driver/menu_snapshot.ts";
import { currentName } from "../lib/known_sessions.ts";
import { later } from "../lib/paths.ts";
import { messageOf } from "../lib/process.ts";

/** Agents start this file by its own launcher, so the text cannot depend on how it was called. */
export const HELP = `Operates Claude Code's menus and prompt in a tmux session.

Usage: gsd-code menu-driver [options] <session> <action>

  snapshot             show the screen; with --json what it means: state, question, options, draft
  choose <n>           take option n of the open question or menu
  answer <a> [<a> …]   one answer per open question: a number, several (1,3), a label, or your own
                       words; text:… is always words, 1,3,text:… is both
  type <text>          type a prompt and send it; at an open question: answer in your own words.
                       - alone reads the text from standard input
  clear                empty the input box of a text that you typed
  clear_then <text>    /clear, then type <text>
  submit               submit what is chosen
  enter | esc          press that key
  allow                allow what is asked for (only where answer_permissions is true)
  deny [<message>]     refuse it; Claude reads the message
  fill <name=value> …  fill in the form of an MCP server; or one JSON object with all values
  decline | leave      refuse that form; leave it to a person, who then sees it

Options, before type, clear_then and deny:
  --question <id>      this question or request and no other. With the secret behind the id, as in
                       the wake's own lines, the waiting hook takes the answer; else keys do
  --seen <code>        with allow, for a request that its wake shows in part: the code that stands
                       at the end of the whole text
  --notes <text>       a note beside the answer; again for the next question
  --wait <seconds>     how long to wait for a prompt that is not ready (10)
  --queue              type also while Claude works: it reads the text after the tool call that
                       runs, in this turn; where no tool runs any more, after the turn
  --after-turn         type it when this turn has ended: it becomes the last step in the queue of
                       the session (gsd-code queue)
  --now                type at once: a running turn is interrupted first
  --prompt-only        type nothing while a question is open: the text is not an answer
  --anyway             for a person: also with a draft of another person (clear, enter,
                       submit), in a session that a person has taken, and where a limit of
                       spending is reached
  --road <name>        mod, socket or keys: this road and no other. Without it: the mod inside
                       Claude Code, else keys; the inbox socket where a draft is in their way
  --pane <%id>         which pane, where several run Claude Code
  --socket <name>      the tmux server: a name or a path (also GSD_TMUX_SOCKET)
  --by <name>          who decides, for the journal (the session's agent)
  --dry-run            check everything, press nothing
  --json               for programs
  --help               this text

Examples:
  gsd-code menu-driver warden-main snapshot
  gsd-code menu-driver warden-main choose 2
  gsd-code menu-driver warden-main answer 2 1,3 "none of these, use MIT"
  gsd-code menu-driver warden-main type "Run the tests and fix what fails"
  gsd-code menu-driver warden-main clear_then /gsd:resume-work
  echo "a long text" | gsd-code menu-driver warden-main type -

If a hook waits beside the dialog and --question has the wake's secret, the hook gets the answer and
no key is pressed. Otherwise keys are pressed one at a time, and the screen is checked after each.
Exit codes: 0 done; 1 could not, with the reason on stderr (keys may have been pressed: look with
snapshot before you try again); 2 called wrongly.
`;

export async function main(
  args: string[],
  world: DriverWorld = realDriverWorld(),
): Promise<number> {
  const order = readMenuArgs(args, world.readStdin);
  if (order.kind === "help") {
    world.say(HELP.trimEnd());
    return 0;
  }
  if (order.kind === "usage") {
    world.warn(`${order.problem}; see gsd-code menu-driver --help`);
    return 2;
  }
  const { verb, options } = order;
  let { session } = order;
  if (isRefusedAsRoot(`${verb.kind} in session "${session}"`, world)) return 1;
  try {
    session = await nameNow(world, await nameInTmux(paneWorld(world, options), session), options);
    if (options.afterTurn && verb.kind === "type") {
      const { addStep } = await loadQueue();
      world.say(await addStep(world, session, verb.text, options));
      return 0;
    }
    const outcome = verb.kind === "snapshot"
      ? await snapshot(world, session, options)
      : await inTurn(world, session, options, () => carryOut(world, session, verb, options));
    return report(world, session, verb, options, outcome);
  } catch (error) {
    return report(world, session, verb, options, refused(messageOf(error)));
  }
}

function loadQueue(): Promise<typeof import("../lib/queue/change_queue.ts")> {
  return import(later("../lib/queue/change_queue.ts"));
}

/** A session that was renamed is found by its earlier name, unless another one has that now. */
async function nameNow(
  world: DriverWorld,
  session: string,
  options: MenuOptions,
): Promise<string> {
  const name = currentName(world.paths, session);
  if (name === session) return session;
  const { tmux } = paneWorld(world, options);
  const { kind } = await tmux.call("has-session", "-t", `=${session}`);
  return kind === "ok" ? session : name;
}

function report(
  world: DriverWorld,
  session: string,
  verb: Verb,
  options: MenuOptions,
  outcome: ActionResult,
): number {
  if (outcome.kind === "refused") {
    const sentence = `Cannot ${verb.kind} in session "${session}": ${shown(outcome.reason)}`;
    world.warn(sentence.replace(/\s*\n\s*/g, " "));
    return 1;
  }
  if (verb.kind === "snapshot") {
    world.say(outcome.said);
    return 0;
  }
  const said = shown(outcome.said);
  world.say(options.json ? JSON.stringify({ done: said, via: outcome.via }) : said);
  return 0;
}

/** For a person at the page or the live table: the same as a call, with its words as the result. */
export async function driveFor(
  by: string,
  words: string[],
  stdin: string,
): Promise<{ done: boolean; said: string }> {
  const lines: string[] = [];
  const add = (line: string) => void lines.push(line);
  const world = { ...realDriverWorld(), say: add, warn: add, readStdin: () => stdin };
  const code = await main(["--by", by, "--anyway", ...words], world);
  return { done: code === 0, said: lines.join("\n") };
}

if (import.meta.main) Deno.exit(await main(Deno.args));
