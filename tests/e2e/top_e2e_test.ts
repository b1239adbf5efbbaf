import { assertEquals, assertStringIncludes } from "@std/assert";
import { ROOT } from "../../lib/paths.ts";
import { inScene } from "../support/artefacts.ts";
import { VERSIONS } from "../support/real_programs.ts";
import { TmuxServer } from "../support/tmux_server.ts";
import { until } from "../support/until.ts";
import { AnswersStage } from "./answers_stage.ts";

const [VERSION] = VERSIONS.claude;

Deno.test(`${VERSION}: every key of top does what it says, and kill -9 leaves the terminal well`, () =>
  inScene("top", async (scene) => {
    const stage = new AnswersStage(scene, { version: VERSION!, hookRoad: true });
    const claude = await stage.start();
    await using outer = new TmuxServer();
    const variables = Object.entries({ ...stage.env, PS1: "$ " })
      .flatMap(([name, value]) => ["-e", `${name}=${value}`]);
    const size = ["-x", "80", "-y", "24"];
    await outer.tmux("new-session", "-d", ...size, "-s", "outer", ...variables, "sh");
    await outer.tmux("set-option", "-w", "-t", "=outer:", "window-size", "manual");
    const screen = () => outer.capture("outer");
    const sees = (what: string, isThere: (shown: string) => boolean) =>
      until(what, async () => isThere(await screen()), { present: screen });
    const press = (...keys: string[]) => outer.tmux("send-keys", "-t", "=outer:", ...keys);
    const line = async (text: string) => {
      await press("-l", text);
      await press("Enter");
    };
    const recorded = (what: string, fits: (record: Record<string, unknown>) => boolean) =>
      until(what, () => stage.journal().find(fits), { present: () => stage.journal() });

    await line(`stty -g > ${scene.dir}/before; echo as it was`);
    await sees("a line", (shown) => /^(. )?as it was$/m.test(shown));
    const program = `${Deno.execPath()} run -A --quiet ${ROOT}/commands/top.ts`;
    await line(`sh -c 'echo $$ > ${scene.dir}/pid; exec env -u TMUX ${program}'`);
    await sees("its row", (shown) => /^warden-main +warden +idle/m.test(shown));

    // a: the question, one of its options, Enter.
    await stage.ask(claude, "single");
    await sees("the question", (shown) => /^warden-main +warden +asks/m.test(shown));
    // Claude Code says that it waits before its hook has written the question down.
    await until("its options", async () => {
      const shown = await screen();
      if (/^ {2}2 {2}SQLite$/m.test(shown)) return true;
      await press("a");
      return false;
    }, { present: screen });
    await press("2");
    await sees("what Enter does", (shown) => shown.includes("Enter sends: SQLite"));
    await press("Enter");
    await claude.waitUntilIdle();
    const { decision } = await recorded(
      "an answer by top",
      ({ kind, by }) => kind === "answered" && by === "top",
    );
    assertStringIncludes(JSON.stringify(decision), "SQLite");
    await sees("idle again", (shown) => /^warden-main +warden +idle/m.test(shown));

    // i: an instruction, as it was written.
    await press("i");
    await sees("the prompt", (shown) => shown.includes("Enter sends it to Claude"));
    await press("-l", "A word from top; with <odd> 'signs'");
    await press("Enter");
    const asked = "A word from top; with <odd> 'signs'";
    await until(
      "the instruction at the model",
      () => stage.model.requests.some(({ prompt }) => prompt.includes(asked)),
    );
    await claude.waitUntilIdle();
    const typed = await recorded(
      "its record",
      ({ kind, text }) => kind === "instruction" && text === asked,
    );
    assertEquals(typed.by, "top");

    // p: its wakes are held, and go again.
    await press("p");
    await sees("held", (shown) => /^warden-main +warden +held/m.test(shown));
    await press("p");
    await sees("not held", (shown) => /^warden-main +warden +idle/m.test(shown));

    // l and ?: what happened, and the keys. Enter: the session itself, in another size.
    await press("l");
    await sees("its log", (shown) => /top +answered +SQLite/.test(shown));
    await press("q");
    await press("?");
    await sees("the help", (shown) => shown.includes("tmux's own keys lead back"));
    await press("q");
    await outer.tmux("resize-window", "-t", "=outer:", "-x", "200", "-y", "50");
    await sees("50 lines", (shown) => shown.split("\n")[49]?.includes("q quit") === true);
    await press("Enter");
    await sees("the session", (shown) => /\n\[warden-ma/.test(shown));
    await press("C-b", "d");
    await sees("the table again", (shown) => shown.includes("q quit"));

    Deno.kill(Number(Deno.readTextFileSync(`${scene.dir}/pid`)), "SIGKILL");
    await sees("what was there before", (shown) => /^(. )?as it was$/m.test(shown));
    await line(`stty -g | cmp - ${scene.dir}/before && echo same modes`);
    await sees("the modes of before", (shown) => /^(. )?same modes$/m.test(shown));
  }));
