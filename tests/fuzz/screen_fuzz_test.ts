import { assert, assertEquals } from "@std/assert";
import { readScreen } from "../../lib/pane.ts";
import { forSeeds, recordings, spoil } from "../support/fuzz.ts";

const PANES = recordings("panes");

Deno.test("readScreen() survives spoiled screens, and never takes one for a prompt with no box", () => {
  forSeeds(3000, (dice) => {
    const text = spoil(dice.pick(PANES), dice, PANES);
    const screen = readScreen(text);
    // deno-lint-ignore no-control-regex
    const drawsBox = /─{10}/.test(text) && /^(\u001b\[[0-9;]*m)*[❯!]/mu.test(text);
    if (screen.ready || screen.draft !== "") assert(drawsBox, "There is no input box");
    if (screen.state === "menu" || screen.state === "permission_prompt") {
      assert(screen.dialog !== undefined, "It claims a dialog and shows none");
      assert(!screen.ready, "A dialog is in the way, and yet it is ready");
    }
    const { pressurePct } = screen;
    assert(pressurePct === undefined || (pressurePct >= 0 && pressurePct <= 100));
  });
});

/** What Claude might quote: each of these is drawn somewhere by a dialog, a footer or a spinner. */
const QUOTED = PANES.flatMap((pane) => pane.split("\n")).map((line) => line.trim())
  .filter((line) => line !== "" && !/^[─▔❯]/.test(line) && line.length < 90);

Deno.test("readScreen() is not moved by what is said above the input box", () => {
  const screens = PANES.filter((pane) => /─{40,}\n❯[\s\u00a0]/.test(pane))
    .filter((pane) => readScreen(pane).state === "idle");
  assert(screens.length > 5);
  forSeeds(2000, (dice) => {
    const pane = dice.pick(screens);
    const lines = pane.split("\n");
    const box = lines.findLastIndex((line, at) =>
      /^─{40,}/.test(line) && (lines[at + 1] ?? "").startsWith("❯")
    );
    const said = Array.from({ length: 1 + dice.next(6) }, () => `  ${dice.pick(QUOTED)}`);
    const mixed = [...lines.slice(0, box), "● Look:", ...said, "", "", "", ...lines.slice(box)];
    const screen = readScreen(mixed.join("\n"));
    assertEquals(screen.state, "idle", said.join("\n"));
    assertEquals(screen.ready, readScreen(pane).ready);
    assertEquals(screen.draft, readScreen(pane).draft);
  });
});
