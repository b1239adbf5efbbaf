import { assertEquals } from "@std/assert";
import { lastWakeAt, statusLine, statusText } from "../lib/companion/status_line.ts";
import { journalFile, record } from "../lib/journal.ts";
import "../lib/cli/load_guards.ts";
import { TestHome } from "./support/home.ts";

Deno.test("statusText() names the agent, and the time of day of the last wake", () => {
  const whose = "warden looks after this session";
  assertEquals(statusText("warden", undefined), `${whose}, no wake yet`);
  assertEquals(statusText("warden", new Date(2026, 10, 17, 9, 5)), `${whose}, last wake at 09:05`);
});

Deno.test("lastWakeAt() takes the last wake that reached the agent", () => {
  const lines = [
    { at: "2026-11-17T09:00:00.000Z", kind: "delivered" },
    { at: "2026-11-17T10:00:00.000Z", kind: "delivered" },
    { at: "2026-11-17T11:00:00.000Z", kind: "failed", reason: 'not "delivered"' },
  ].map((line) => JSON.stringify(line));
  assertEquals(lastWakeAt(lines.join("\n"))?.toISOString(), "2026-11-17T10:00:00.000Z");
  assertEquals(lastWakeAt(`${lines[0]}\n{"kind":"delivered","at`)?.getUTCHours(), 9);
  assertEquals(lastWakeAt(""), undefined);
});

Deno.test("statusLine() shows its line once, and again when a wake was delivered", async () => {
  await using home = new TestHome();
  const { paths } = home;
  const shown: string[] = [];
  const agent = { agent_id: "warden" };
  const line = statusLine(paths, { session: "warden-main", agent }, (text) => shown.push(text));
  line.refresh();
  line.refresh();
  assertEquals(shown.length, 1);
  const at = new Date(2026, 10, 17, 14, 2);
  record(paths, { kind: "delivered", session: "warden-main", agent_id: "warden" }, at);
  line.refresh();
  Deno.utimeSync(journalFile(paths, "warden-main"), 5, 5);
  line.refresh();
  assertEquals(shown.slice(1), ["warden looks after this session, last wake at 14:02"]);
});
