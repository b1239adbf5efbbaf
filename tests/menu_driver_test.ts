import { assertEquals, assertStringIncludes } from "@std/assert";
import { main } from "../commands/menu_driver.ts";
import { main as send } from "../commands/send.ts";
import { writeHold } from "../lib/doors/holds.ts";
import { removeStop, writeStop } from "../lib/doors/spending_stops.ts";
import { writeAtomic } from "../lib/files.ts";
import { realClock } from "../lib/time.ts";
import { openPending } from "../lib/answers.ts";
import { driverWorld, pendingFor } from "./support/driver_context.ts";
import { fixturePane, fixtureRequest } from "./support/fixtures.ts";
import { TestHome } from "./support/home.ts";
import { TmuxServer } from "./support/tmux_server.ts";
import { until } from "./support/until.ts";

/** A session that shows a recorded screen, and a driver that works on it. */
async function withScreen(
  pane: string | undefined,
  test: (drive: Drive, server: TmuxServer, home: TestHome) => Promise<void>,
): Promise<void> {
  await using home = new TestHome();
  await using server = new TmuxServer();
  const id = await server.session("warden-main", "cat");
  if (pane !== undefined) await server.show(id, fixturePane(pane).trimEnd());
  const run = (command: typeof main) => async (...args: string[]) => {
    const said = { code: 0, out: "", err: "" };
    const world = driverWorld(home, {
      say: (line) => void (said.out += `${line}\n`),
      warn: (line) => void (said.err += `${line}\n`),
      clock: realClock, // as tmux has it
    });
    said.code = await command(["--socket", server.socket, "--wait", "0", ...args], world);
    return said;
  };
  await test(Object.assign(run(main), { send: run(send) }), server, home);
}

type Drive = ((...args: string[]) => Promise<Driven>) & {
  send(...args: string[]): Promise<Driven>;
};

interface Driven {
  code: number;
  out: string;
  err: string;
}

Deno.test("menu-driver snapshot --json gives the reading of the screen", () =>
  withScreen("13-ask-multi", async (drive) => {
    const { code, out } = await drive("--json", "warden-main", "snapshot");
    const { state, dialog, pending, ready } = JSON.parse(out);
    assertEquals([code, state, ready, pending], [0, "menu", false, []]);
    assertEquals(dialog.kind, "question");
    assertEquals(dialog.options[1].label, "Billing");
    const plain = await drive("warden-main", "snapshot");
    assertStringIncludes(plain.out, "[state: menu (question: Which features do you want");
  }));

for (const screen of ["bare-80x40", "export-60x40", "hex-80x40", "header-80x12"]) {
  Deno.test(`menu-driver shows no part of a key that the dialog has broken: ${screen}`, () =>
    withScreen(`v325-99g-permission-key-${screen}`, async (drive) => {
      const said = await Promise.all([
        drive("warden-main", "snapshot"),
        drive("--json", "warden-main", "snapshot"),
        drive("warden-main", "choose", "9"),
        drive("warden-main", "type", "hello"),
        drive("--dry-run", "warden-main", "choose", "2"),
        drive("--dry-run", "--json", "warden-main", "allow"),
      ]);
      const parts = /iVaYbU0r|YbU0rPkMz|uE1oXq|oXqW5|yBw9QxKvA4|HjF3sGdTu|d15d6c15b0f0|9f86d0818/;
      for (const { out, err } of said) assertEquals(parts.exec(out + err)?.[0], undefined);
      assertStringIncludes(said[0]!.out, "***");
    }));
}

Deno.test("menu-driver repeats no key that it was given", () =>
  withScreen("04-idle-default-mode", async (drive) => {
    const key = "ghp_aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5";
    const { err } = await drive("warden-main", "--pane", key, "type", "hello");
    assertEquals(err.includes(key.slice(4)), false);
    assertStringIncludes(err, "ghp_***");
  }));

Deno.test("menu-driver refuses with one sentence that names the present state", async () => {
  const cases: [string | undefined, string[], string][] = [
    ["13-ask-multi", ["warden-main", "choose", "9"], "has no option 9; its options are: 1. Auth"],
    [
      "13-ask-multi",
      ["warden-main", "clear_then", "x"],
      "a dialog is open (choose or answer it, or esc); the present state is menu",
    ],
    [
      "01-idle-fresh",
      ["warden-main", "choose", "1"],
      "no question is open; the present state is idle",
    ],
    [
      "01-idle-fresh",
      ["warden-main", "allow"],
      "so no agent may decide; the present state is idle",
    ],
    ["01-idle-fresh", ["warden-main", "enter"], "there is nothing to enter"],
    ["08-bash-mode", ["warden-main", "type", "x"], "a person is typing there: wait, or tell"],
    ["08-bash-mode", ["warden-main", "enter"], "a person is typing there"],
    ["08-bash-mode", ["warden-main", "submit"], "a person is typing there"],
    ["08-bash-mode", ["warden-main", "clear"], "a person is typing there"],
    ["01-idle-fresh", ["warden-main", "clear"], "there is nothing to clear"],
    ["10-ask-single", ["warden-main", "clear"], "a dialog is open, and no draft"],
    ["02-working", ["warden-main", "type", "x"], "Claude is still working"],
    ["30-permission-bash", ["warden-main", "choose", "1"], "no agent may decide"],
    ["30-permission-bash", ["warden-main", "type", "x"], "the present state is permission_prompt"],
    ["55-resume-picker", ["warden-main", "choose", "9"], "there is no option 9"],
    [
      undefined,
      ["warden-main", "type", "x"],
      "no pane of it shows Claude Code (%0 runs cat); if that has ended, gsd-code recover brings",
    ],
    [
      "01-idle-fresh",
      ["warden", "type", "x"],
      'no tmux session of that name; there is "warden-main"',
    ],
    ["01-idle-fresh", ["--pane", "%9", "warden-main", "type", "x"], "it has no pane %9"],
  ];
  for (const [pane, args, reason] of cases) {
    await withScreen(pane, async (drive, server) => {
      const before = await server.tmux("capture-pane", "-p", "-t", "=warden-main:");
      const { code, out, err } = await drive(...args);
      assertEquals([code, out], [1, ""], err);
      assertStringIncludes(err, reason);
      assertEquals(err.split("\n").length, 2);
      assertEquals(await server.tmux("capture-pane", "-p", "-t", "=warden-main:"), before);
    });
  }
});

Deno.test("menu-driver --dry-run checks everything and presses nothing", () =>
  withScreen("10-ask-single", async (drive, server) => {
    const before = await server.tmux("capture-pane", "-p", "-t", "=warden-main:");
    const { code, out } = await drive("--dry-run", "warden-main", "choose", "2");
    assertEquals(code, 0);
    assertStringIncludes(out, 'Would press keys: Answered "Which database should we use?": SQLite');
    assertEquals(await server.tmux("capture-pane", "-p", "-t", "=warden-main:"), before);
  }));

Deno.test("menu-driver looks at and leaves a screen that it cannot read, where Claude Code runs", async () => {
  await using folder = new TestHome();
  const claude = `${folder.dir}/claude`;
  Deno.symlinkSync("/bin/sleep", claude);
  for (const name of ["v325-99h-stats", "v197-99h-stats"]) {
    await withScreen(undefined, async (drive, server) => {
      const file = `${folder.dir}/screen`;
      // As a page may look in a version to come.
      Deno.writeTextFileSync(file, fixturePane(name).replace("Settings", "Pages").trimEnd());
      const isNotOurs = await drive("warden-main", "esc");
      assertStringIncludes(isNotOurs.err, "no pane of it shows Claude Code (%0 runs cat)");
      const command = `printf '\\033[H\\033[2J'; cat '${file}'; exec '${claude}' 1000`;
      await server.tmux("respawn-pane", "-k", "-t", "%0", command);
      const shown = () => server.capture("warden-main");
      await until("the statistics", async () => (await shown()).includes("↓ stats"));
      await until("the program", async () => {
        const current = ["display-message", "-p", "-t", "%0", "#{pane_current_command}"];
        return await server.tmux(...current) === "claude";
      });
      const look = await drive("warden-main", "snapshot");
      assertEquals(look.code, 0, look.err);
      assertStringIncludes(look.out, "Favorite model");
      assertStringIncludes(look.out, "[state: unknown]");
      const left = await drive("warden-main", "esc");
      assertEquals([left.code, left.err], [0, ""]);
      const typed = await drive("--dry-run", "warden-main", "type", "x");
      assertEquals(typed.code, 1);
      assertStringIncludes(typed.err, "cannot be read: snapshot shows it, esc leaves a menu");
    });
  }
});

Deno.test("menu-driver refuses to guess between two panes that show Claude Code", () =>
  withScreen("01-idle-fresh", async (drive, server) => {
    const second = await server.tmux("new-window", "-d", "-P", "-F", "#{pane_id}", "cat");
    await server.show(second, fixturePane("10-ask-single").trimEnd());
    const { code, err } = await drive("warden-main", "choose", "1");
    assertEquals(code, 1);
    assertStringIncludes(err, `several panes of it run Claude Code (%0, ${second}); name one`);
    const named = await drive("--pane", second, "--dry-run", "warden-main", "choose", "1");
    assertEquals(named.code, 0, named.err);
  }));

Deno.test("menu-driver answers a question in the pane that asks it, and in no other", () =>
  withScreen("10-ask-single", async (drive, server, home) => {
    const second = await server.tmux("new-window", "-d", "-P", "-F", "#{pane_id}", "cat");
    await server.show(second, fixturePane("10-ask-single").trimEnd());
    const asked = pendingFor("question", fixtureRequest("permission_request-ask-single"));
    openPending(home.paths, { ...asked, pane: second });
    const choose = ["--dry-run", "warden-main", "choose", "2"];
    const found = await drive("--question", "q-1", ...choose);
    assertEquals([found.code, found.err], [0, ""]);
    const other = await drive("--question", "q-1", "--pane", "%0", ...choose);
    assertEquals(other.code, 1);
    assertStringIncludes(other.err, `q-1 was asked in pane ${second}, not in %0`);
  }));

Deno.test('menu-driver finds a session with "$" in its name as it was asked for', () =>
  withScreen("04-idle-default-mode", async (drive, server) => {
    await server.tmux("rename-session", "-t", "warden-main", "x$y");
    for (const name of await server.sessions()) {
      assertEquals((await drive(name, "snapshot")).code, 0, name);
    }
    const { code, err } = await drive("--dry-run", "x$y", "type", "hello");
    assertEquals([code, err], [0, ""]);
    const other = await drive("x$z", "type", "hello");
    assertStringIncludes(other.err, "there is no tmux session of that name");
  }));

Deno.test("menu-driver does not answer a question that another one has replaced", () =>
  withScreen("10-ask-single", async (drive) => {
    const { code, err } = await drive("--question", "q-old", "warden-main", "choose", "1");
    assertEquals(code, 1);
    assertStringIncludes(err, "the question q-old is no longer open; the present state is menu");
  }));

Deno.test("menu-driver --help teaches and wrong usage exits 2", async () => {
  let out = "", err = "";
  await using home = new TestHome();
  const world = driverWorld(home, {
    say: (line) => void (out += `${line}\n`),
    warn: (line) => void (err += `${line}\n`),
  });
  assertEquals(await main(["--help"], world), 0);
  assertStringIncludes(out, "menu-driver warden-main choose 2");
  assertEquals(await main(["warden-main", "jump"], world), 2);
  assertStringIncludes(err, "; see gsd-code menu-driver --help");
});

Deno.test("send types as the menu driver does, with its options before or after the text", () =>
  withScreen("04-idle-default-mode", async (drive) => {
    const typed = await drive("--dry-run", "--queue", "warden-main", "type", "Now the tests");
    assertEquals([typed.code, typed.err], [0, ""]);
    for (
      const args of [
        ["warden-main", "Now the tests", "--dry-run", "--queue"],
        ["--queue", "--dry-run", "warden-main", "Now", "the", "tests"],
      ]
    ) assertEquals(await drive.send(...args), typed);
    const dashed = await drive.send("--dry-run", "warden-main", "--", "--queue is text");
    assertEquals(dashed.code, 0, dashed.err);
    const nowhere = await drive.send("other", "text");
    assertStringIncludes(nowhere.err, `Cannot type in session "other": `);
    for (const args of [["warden-main"], [], ["warden-main", "text", "--quene"]]) {
      assertEquals((await drive.send(...args)).code, 2, args.join(" "));
    }
  }));

Deno.test("menu-driver finds a renamed session by its old name, unless another one has it", () =>
  withScreen("01-idle-fresh", async (drive, server, { paths }) => {
    writeAtomic(
      `${paths.data}/launches/old.json`,
      JSON.stringify({ session: "old", agent_id: "warden", moved_to: "warden-main" }),
    );
    assertEquals((await drive("old", "snapshot")).code, 0);
    await server.session("old", "cat");
    assertStringIncludes((await drive("old", "snapshot")).err, 'Cannot snapshot in session "old"');
  }));

Deno.test("menu-driver and send refuse in a session that a person has taken, and --anyway is a person's", () =>
  withScreen("01-idle-fresh", async (drive, _, home) => {
    const hold = { kind: "taken", name: "warden-main", agent_id: "warden" } as const;
    writeHold(home.paths, { ...hold, since: "2026-11-16T09:00:00.000Z" });
    const taken = "a person has taken this session since 2026-11-16T09:00:00Z: no instruction";
    for (const words of [["type", "x"], ["choose", "1"], ["esc"], ["allow"], ["clear_then", "x"]]) {
      const { code, err } = await drive("warden-main", ...words);
      assertEquals(code, 1);
      assertStringIncludes(err, taken);
      assertStringIncludes(err, "a person at a terminal adds --anyway");
    }
    assertStringIncludes((await drive.send("warden-main", "x")).err, taken);
    assertEquals((await drive("warden-main", "snapshot")).code, 0);
    assertEquals((await drive("--anyway", "--dry-run", "warden-main", "type", "x")).code, 0);
    assertEquals((await drive.send("--anyway", "--dry-run", "warden-main", "x")).code, 0);
    home.env.OPENCLAW_SHELL = "exec";
    const { code, err } = await drive("--anyway", "--dry-run", "warden-main", "type", "x");
    assertEquals(code, 1);
    assertStringIncludes(err, "--anyway is for a person, and this call comes from OpenClaw");
    delete home.env.OPENCLAW_SHELL;
    // Given back: it ends before the deliverer has sent it.
    writeHold(home.paths, { ...hold, since: "", until: "2026-11-16T09:30:00.000Z" });
    assertEquals((await drive("--dry-run", "warden-main", "type", "x")).code, 0);
  }));

Deno.test("menu-driver begins nothing where a limit is reached, but compacts, clears and ends", () =>
  withScreen("01-idle-fresh", async (drive, _, home) => {
    const dry = async (...words: string[]) => {
      const { code, err } = await drive("--dry-run", "warden-main", ...words);
      return code === 0 ? "done" : err;
    };
    const why = "this conversation has cost $10.31 of $10.00";
    writeStop(home.paths, "warden-main", { why, clears: true });
    const said = await dry("type", "go on");
    assertStringIncludes(said, `a limit is reached: ${why}; gsd-code budget warden-main says`);
    assertStringIncludes(said, "a person at a terminal adds --anyway");
    for (const words of ["/compact", "/clear", "/exit", "/context"]) {
      assertEquals(await dry("type", words), "done", words);
    }
    for (const words of ["/gsd-progress", "/context:build", "/cost-report", "/clearly"]) {
      assertStringIncludes(await dry("type", words), "a limit is reached", words);
    }
    assertEquals(await dry("clear_then", "/gsd-progress"), "done");
    assertEquals((await drive("--anyway", "--dry-run", "warden-main", "type", "x")).code, 0);
    home.env.OPENCLAW_SHELL = "exec";
    const { err } = await drive("--anyway", "--dry-run", "warden-main", "type", "x");
    assertStringIncludes(err, "--anyway is for a person, and this call comes from OpenClaw");
    // A new conversation costs money of the same day.
    writeStop(home.paths, "warden-main", { why, clears: false });
    assertStringIncludes(await dry("clear_then", "/gsd-progress"), "a limit is reached");
    removeStop(home.paths, "warden-main");
    assertEquals(await dry("type", "go on"), "done");
  }));

Deno.test("menu-driver type --prompt-only answers no question", () =>
  withScreen("10-ask-single", async (drive) => {
    const { code, err } = await drive("--prompt-only", "warden-main", "type", "x");
    assertEquals(code, 1);
    assertStringIncludes(err, "a dialog is open (choose or answer it, or esc)");
  }));
