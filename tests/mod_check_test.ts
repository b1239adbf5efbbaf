import { assertEquals, assertStringIncludes } from "@std/assert";
import { checkMod, findingOf } from "../lib/doctor/mod_check.ts";
import { isThere } from "../lib/files.ts";
import { Clinic, findFindings, WARDEN } from "./support/clinic.ts";

Deno.test("findingOf() says what a version lacks, and what that costs", () => {
  const yes = findingOf("claude", { kind: "yes", version: "2.1.325" });
  assertEquals(yes.level, "ok");
  assertStringIncludes(yes.text, "Claude Code 2.1.325 can load the mod");
  const no = findingOf("claude", {
    kind: "no",
    version: "9.9.9",
    reason: "it does not know $.turn.abort",
  });
  assertEquals([no.level, no.text], [
    "note",
    "Claude Code 9.9.9 runs without the mod: it does not know $.turn.abort; instructions go with keys",
  ]);
  const unknown = findingOf("wrapper", { kind: "no", reason: "there is no program wrapper" });
  assertStringIncludes(unknown.text, "wrapper runs without the mod: there is no program wrapper");
});

Deno.test("checkMod() asks, and writes nothing", async () => {
  await using clinic = await Clinic.create();
  const findings = await findFindings(checkMod, clinic.world);
  assertEquals(findings.map(({ level }) => level), ["note"]);
  assertEquals(isThere(`${clinic.home.paths.data}/mod`), false);
  assertEquals(isThere(`${clinic.home.paths.data}/mod-support.json`), false);
});

Deno.test("checkMod() says one thing once, also of two launch commands", async () => {
  await using clinic = await Clinic.create();
  const says = "case $1 in --version) echo '2.1.197 (Claude Code)';; *) exit 1;; esac";
  const program = clinic.home.writeProgram("claude", says);
  clinic.registry({
    agents: [
      { ...WARDEN, claude_launch_command: `${program} --model opus` },
      { agent_id: "forge", openclaw_session_key: "k", claude_launch_command: program },
    ],
  });
  const findings = await findFindings(checkMod, clinic.world);
  assertEquals(findings.map(({ text }) => text.split(":")[0]), [
    "Claude Code 2.1.197 runs without the mod",
  ]);
});
