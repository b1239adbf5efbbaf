import { assertEquals } from "@std/assert";
import { colours } from "../lib/cli/colours.ts";
import { printable } from "../lib/cli/speaker.ts";
import { GsdCode } from "./support/gsd_code.ts";
import { TmuxServer } from "./support/tmux_server.ts";
import { until } from "./support/until.ts";

Deno.test("colours() are those of a terminal where they are on, and nothing where they are off", () => {
  const red = printable(colours(true).red("x"));
  assertEquals(red, Deno.noColor ? "x" : "\x1b[31mx\x1b[39m");
  for (const ink of Object.values(colours(false))) assertEquals(ink("x"), "x");
});

Deno.test("gsd-code help is bold on a terminal, and plain there with NO_COLOR", async () => {
  await using home = await GsdCode.create();
  await using server = new TmuxServer();
  const heading = async (name: string, variables: Record<string, string>) => {
    const env = Object.entries({ ...home.env, ...variables })
      .map(([name, value]) => `${name}='${value}'`).join(" ");
    const pane = await server.session(name, `env -i ${env} gsd-code help; exec sleep 1000`);
    return await until("the help is shown", async () => {
      const screen = await server.tmux("capture-pane", "-e", "-p", "-t", pane);
      return screen.includes("names this version")
        ? screen.split("\n").find((line) => line.includes("Set up"))
        : undefined;
    });
  };
  assertEquals((await heading("colours", {})).slice(0, 10), "\x1b[1mSet up");
  assertEquals(await heading("plain", { NO_COLOR: "1" }), "Set up");
});
