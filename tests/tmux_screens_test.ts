import { assertEquals, assertStringIncludes } from "@std/assert";
import { captureScreens, screensIn } from "../lib/doors/tmux_screens.ts";
import { tmuxFrom } from "../lib/tmux.ts";
import { TmuxServer } from "./support/tmux_server.ts";
import { until } from "./support/until.ts";

function doorTo(server: TmuxServer, calls: string[][] = []) {
  const door = tmuxFrom(() => undefined, { socket: server.socket, timeoutMs: 300_000 });
  return { call: (...args: string[]) => (calls.push(args), door.call(...args)) };
}

Deno.test("many screens are read by one call of tmux", async () => {
  await using server = new TmuxServer();
  const panes = [await server.session("one"), await server.session("two")];
  await server.show(panes[0]!, "first");
  await server.show(panes[1]!, "second");
  const calls: string[][] = [];
  const screens = await captureScreens(doorTo(server, calls), panes);
  assertEquals(calls.length, 1);
  assertEquals(screens.map(({ pane, columns, rows }) => ({ pane, columns, rows })), [
    { pane: panes[0]!, columns: 120, rows: 40 },
    { pane: panes[1]!, columns: 120, rows: 40 },
  ]);
  assertStringIncludes(screens[0]!.text, "first");
  assertStringIncludes(screens[1]!.text, "second");
});

Deno.test("colours are kept only where they are wanted", async () => {
  await using server = new TmuxServer();
  const pane = await server.session("one", "printf '\\033[31mred\\033[0m.'; cat");
  const shows = async (colours: boolean) =>
    (await captureScreens(doorTo(server), [pane], { colours }))[0]!.text.trimEnd();
  await until("the word", async () => (await shows(false)).includes("red"));
  assertEquals(await shows(false), "red.");
  assertEquals(await shows(true), "\u001b[31mred\u001b[39m.");
});

Deno.test("a pane that has gone hides no other", async () => {
  await using server = new TmuxServer();
  const pane = await server.session("one");
  await server.show(pane, "still here");
  const screens = await captureScreens(doorTo(server), ["%99", pane]);
  assertEquals(screens.map((screen) => screen.pane), [pane]);
});

Deno.test("what is no pane is not asked for", async () => {
  const calls: string[][] = [];
  const door = {
    call: (...args: string[]) => {
      calls.push(args);
      return Promise.resolve({ kind: "ok" as const, stdout: "" });
    },
  };
  assertEquals(await captureScreens(door, ["; kill-server", "", "1"]), []);
  assertEquals(calls, []);
});

Deno.test("a screen cannot pretend to be another pane's", () => {
  const printed = "mark %1 80 24\nscreen 123 %2 80 24\nmark x\nmark %3 10 5\nthree\n";
  const screens = screensIn(printed.replaceAll("\nmark x", "\nother x"), "mark ");
  assertEquals(screens.map(({ pane }) => pane), ["%1", "%3"]);
});
