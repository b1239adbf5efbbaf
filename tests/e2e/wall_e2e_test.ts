import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { ROOT } from "../../lib/paths.ts";
import { realClock } from "../../lib/time.ts";
import { accessFor } from "../../lib/wall/access.ts";
import { Feed } from "../../lib/wall/feed.ts";
import type { Tile } from "../../lib/wall/tile.ts";
import { answerer } from "../../lib/wall/wall_server.ts";
import { inScene } from "../support/artefacts.ts";
import { openPage, type Page } from "../support/browser.ts";
import { VERSIONS } from "../support/real_programs.ts";
import { startWall } from "../support/start_wall.ts";
import { until } from "../support/until.ts";
import { AnswersStage } from "./answers_stage.ts";

const [VERSION] = VERSIONS.claude;

/** By the Tab key alone. */
async function tabTo(page: Page, element: string): Promise<void> {
  for (let steps = 0; steps < 60; steps++) {
    if (await page.value(`document.activeElement === ${element}`)) return;
    await page.press("Tab");
  }
  throw new Error(`Tab does not lead to ${element}`);
}

/** A screenshot of every view, where somebody wants to look at them. */
async function shot(page: Page, name: string): Promise<void> {
  const folder = Deno.env.get("GSD_SCREENSHOTS");
  if (folder) await page.screenshot(`${folder}/${name}.png`);
}

Deno.test(`${VERSION}: the wall shows a question, and a click answers it`, () =>
  inScene("wall", async (scene) => {
    const stage = new AnswersStage(scene, { version: VERSION!, hookRoad: true });
    const claude = await stage.start();
    const program = [Deno.execPath(), "run", "-A", "--quiet", `${ROOT}/commands/wall.ts`];
    const { address } = await startWall(scene, program, stage.env);
    const page = await openPage(scene);
    scene.keep("page.txt", () => page.text());
    await page.size(1280, 900);

    const stranger = await openPage(scene);
    await stranger.open(address.replace(/token=.*/, "token=wrong"));
    await stranger.waitFor(
      "the refusal",
      `document.body.innerText.includes("the token is part of it")`,
    );
    assert(!(await stranger.text()).includes("warden-main"));

    await page.colours("dark");
    await page.open(address);
    await page.waitFor("its tile", `document.querySelector(".tile[data-state=idle]")`);
    await page.waitFor(
      "its screen",
      `document.querySelector(".screen").innerText.includes("Claude Code")`,
    );
    assertEquals(await page.value("location.search"), "", "the token stays in the address");

    await stage.ask(claude, "single");
    await page.waitFor(
      "the question",
      `document.querySelector(".tile[data-state=asks] form button")`,
    );
    assertEquals(await page.value("document.title"), "(1) gsd-code wall");
    await shot(page, "wall-asks");
    await page.click("SQLite");
    await page.waitFor("the answer's words", `document.querySelector(".said").innerText !== ""`);
    await claude.waitUntilIdle();
    await page.waitFor("idle again", `document.querySelector(".tile[data-state=idle]")`);
    const answered = await until(
      "the record of it",
      () => stage.journal().find(({ kind, by }) => kind === "answered" && by === "wall"),
    );
    assertStringIncludes(JSON.stringify(answered.decision), "SQLite");

    await page.size(390, 844);
    await page.colours("light");
    await stage.ask(claude, "three");
    await page.waitFor(
      "three questions",
      `document.querySelectorAll(".tile fieldset").length === 3`,
    );
    const width = await page.value<number>("document.documentElement.scrollWidth");
    assertEquals(width, 390, "the page is wider than the phone");
    await shot(page, "wall-phone");
    await page.size(1280, 900);

    await page.waitFor("its tile again", `document.querySelector(".tile fieldset")`);

    // By keyboard alone: to the tile, into the session, an answer to each question, back.
    await page.press("j");
    await page.press("Enter");
    await page.waitFor("the session opened", `document.querySelector("#detail .request")`);
    await shot(page, "wall-session");
    const field = (at: number, selector: string) =>
      `document.querySelectorAll("#detail fieldset")[${at}].querySelector("${selector}")`;
    await tabTo(page, field(0, "[type=text]"));
    await page.write("Rust, please");
    await tabTo(page, field(1, "[type=checkbox]"));
    await page.press(" ");
    await tabTo(page, field(2, "[type=text]"));
    await page.write("MIT");
    await tabTo(page, `document.querySelector("#detail .request button")`);
    await page.press("Enter");
    await claude.waitUntilIdle();
    await page.press("Escape");
    await page.waitFor("the wall again", `!document.getElementById("wall").hidden`);

    await page.press("j");
    await page.press("Enter");
    await page.waitFor("the session opened", `document.querySelector("#detail textarea")`);
    await page.press("i");
    await page.write("A word from the wall <b>bold</b>");
    await page.press("Enter", "Control");
    await until(
      "the instruction at the model",
      () =>
        stage.model.requests.some((request) =>
          JSON.stringify(request).includes("A word from the wall")
        ),
    );
    await claude.waitUntilIdle();
    await page.waitFor("its words", `document.querySelector("#detail .said").innerText !== ""`);

    // A permission, refused with a word from the opened session, then granted from the wall.
    await stage.ask(claude, "bash");
    await page.waitFor("the request", `document.querySelector("#detail .request pre")`);
    await tabTo(page, `document.querySelector("#detail .request [type=text]")`);
    await page.write("Not on a Friday");
    await page.click("Deny");
    await claude.waitUntilIdle();
    await until(
      "the word at the model",
      () =>
        stage.model.requests.some(({ toolResults }) => toolResults.join().includes("on a Friday")),
    );
    await page.press("Escape");
    await page.press("Escape");
    await page.waitFor("the wall again", `!document.getElementById("wall").hidden`);
    await stage.ask(claude, "bash");
    await page.click("Allow");
    await claude.waitUntilIdle();
    const decided = await until("both decisions", () => {
      const own = stage.journal().filter(({ kind, by }) => kind === "decided" && by === "wall");
      return own.length === 2 ? own : undefined;
    }, { present: () => stage.journal() });
    assertEquals(decided.map(({ decision }) => (decision as { kind: string }).kind), [
      ...["deny", "allow"],
    ]);

    assertEquals(page.problems, []);
    const { origin } = new URL(address);
    assertEquals(
      page.requests.filter((one) => !one.startsWith(origin) && !one.startsWith("about:")),
      [],
    );
  }));

Deno.test("the wall stays whole whatever its sessions are called and show", () =>
  inScene("hostile wall", async (scene) => {
    const evil = `<img src=x onerror="document.body.remove()"><script>1</script>"'\`\${7}`;
    const long = evil + "x".repeat(1_000_000);
    const option = { label: evil, description: evil };
    const tile = (session: string, state: string): Tile => ({
      ...{ session, state, agent: evil, since: "not a time", now: long.slice(0, 100_000) },
      ...{ context: 999, unsent: 0, attach: evil },
      open: [{
        ...{ id: "q-1", kind: "question", asked_at: "", text: "" },
        questions: [{ question: long.slice(0, 4000), many: false, options: [option, option] }],
      }],
    });
    const tiles = [tile(evil, "asks"), tile("../../etc", evil), tile("#%ff", "idle")];
    const screen = `\u001b[31m${evil}\u001b]0;x\u0007\u001b[2J\u001b[38;2;9;9;999mend ${
      "y".repeat(1_000_000)
    }\n`;
    const source = {
      tiles: () => Promise.resolve(tiles),
      screens: () =>
        Promise.resolve(
          tiles.map(({ session }) => ({ session, columns: 1e9, rows: -5, text: screen })),
        ),
    };
    const feed = new Feed(source, realClock);
    let answer = (_: Request) => Promise.resolve(new Response());
    const options = { port: 0, hostname: "127.0.0.1", onListen: () => {} };
    const server = Deno.serve(options, (request) => answer(request));
    scene.atEnd(async () => {
      feed.end();
      await server.shutdown();
    });
    const access = accessFor(server.addr.port, ["127.0.0.1"]);
    answer = answerer({
      ...{ access, feed, act: () => Promise.resolve({ done: false, said: long }) },
      story: () =>
        Array(300).fill({ at: evil, who: evil, kind: evil, text: evil, note: evil, tone: evil }),
    });
    const page = await openPage(scene);
    await page.size(1280, 900);
    await page.open(access.address);
    await page.waitFor(
      "three tiles",
      `document.querySelectorAll(".tile .screen span").length >= 3`,
    );
    assertEquals(await page.value("document.querySelectorAll('img, script:not([src])').length"), 0);
    assertStringIncludes(await page.text(".tile h2"), "<img src=x");
    assertEquals(await page.value("document.documentElement.scrollWidth <= 1280"), true);
    await page.press("j");
    await page.press("Enter");
    await page.waitFor("the story", `document.querySelectorAll(".story li").length === 300`);
    assertEquals(await page.value("document.querySelectorAll('img, script:not([src])').length"), 0);
    assertEquals(await page.value("document.documentElement.scrollWidth <= 1280"), true);
    await shot(page, "wall-hostile");
    assertEquals(page.problems, []);
  }));

Deno.test("the wall has a button or a line for a session that stands still, and words for none", () =>
  inScene("wall hints", async (scene) => {
    const attach = "tmux attach -t docs";
    const common = { agent: "forge", now: "", unsent: 0, attach, open: [] };
    const until = new Date(2026, 10, 17, 2, 40).toISOString();
    const hint = { say: "This brings it back:", run: "gsd-code recover mobile" };
    let tiles: Tile[] = [
      { ...common, session: "docs", state: "limited", until },
      { ...common, session: "mobile", state: "lost", hint },
    ];
    // A wide pane: a rule over all of it, and short lines.
    const screen = (text: string) => ({ session: "docs", columns: 200, rows: 50, text });
    let text = `${"─".repeat(200)}\n${"Some words\n".repeat(60)}The last line\n`;
    const source = {
      tiles: () => Promise.resolve(tiles),
      screens: () => Promise.resolve(tiles.length === 0 ? [] : [screen(text)]),
      usdToday: () => 3.12,
    };
    const feed = new Feed(source, realClock);
    const orders: string[][] = [];
    let answer = (_: Request) => Promise.resolve(new Response());
    const options = { port: 0, hostname: "127.0.0.1", onListen: () => {} };
    const server = Deno.serve(options, (request) => answer(request));
    scene.atEnd(async () => {
      feed.end();
      await server.shutdown();
    });
    const access = accessFor(server.addr.port, ["127.0.0.1"]);
    const act = ({ words, stdin }: { words: string[]; stdin: string }) => {
      orders.push([...words, stdin]);
      return Promise.resolve({ done: true, said: "Typed it" });
    };
    answer = answerer({ access, feed, act, story: () => [] });
    const page = await openPage(scene);
    await page.size(1280, 900);
    await page.open(access.address);
    await page.waitFor("what was spent", `account.innerText === "$3.12 today"`);
    await page.waitFor("its screen", `document.querySelector(".screen").innerText !== ""`);
    const letters = (place: string) =>
      page.value<number>(
        `parseFloat(getComputedStyle(document.querySelector("${place}")).fontSize)`,
      );
    const short = await letters(".tile .screen");
    assert(short >= 10, `letters of ${short} px, though the lines are short`);
    await page.click("Go on now");
    await page.waitFor("its words", `document.querySelector(".said").innerText === "Typed it"`);
    assertEquals(orders, [["docs", "type", "-", "continue"]]);
    const [limited = "", lost = ""] = await page.value<string[]>(
      `[...document.querySelectorAll(".tile")].map((one) => one.innerText)`,
    );
    assertStringIncludes(limited, "until 02:40");
    assertStringIncludes(lost, "gsd-code recover mobile");
    await page.press("j");
    await page.press("Enter");
    await page.waitFor("its story", `document.body.innerText.includes("Nothing happened")`);
    const opened = `document.querySelector("#detail .screen")`;
    await page.waitFor(
      "the end of its screen",
      `${opened}.scrollHeight > ${opened}.clientHeight &&
        ${opened}.scrollTop + ${opened}.clientHeight >= ${opened}.scrollHeight - 2`,
    );
    const before = await letters("#detail .screen");
    text = `${"A long line. ".repeat(15)}\n${text}`;
    await page.waitFor("the long line", `${opened}.innerText.includes("A long line")`);
    const after = await letters("#detail .screen");
    assert(after < before, `${after} px, so that the long line fits, after ${before} px`);
    await page.press("Escape");
    tiles = [];
    await page.waitFor("nothing", `document.getElementById("nothing") !== null`);
    assertStringIncludes(await page.text("#wall"), "gsd-code spawn <agent> <folder>");
    assertEquals(page.problems, []);
  }));
