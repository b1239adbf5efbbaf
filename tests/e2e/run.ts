/** `deno task e2e`: the stories on the real programs, with all downloads done before the first. */

import { readTextIfThere, removeIfThere } from "../../lib/files.ts";
import { messageOf } from "../../lib/process.ts";
import { TIME_IS_UP, within } from "../../lib/time.ts";
import { clearScene, onSignal, SCENE_LIST } from "../support/artefacts.ts";
import { cacheDir, getAll, VERSIONS } from "../support/real_programs.ts";
import { onlyThese, playedAgain, readFailures, tellFailures } from "../support/test_report.ts";

const HELP = `Runs whole stories on the real Claude Code and the real OpenClaw, offline.

  deno task e2e                          all of them
  deno task e2e --filter question        those whose name holds "question"
  deno task e2e tests/e2e/support_e2e_test.ts
  deno task e2e --second-chance          what fails is played once more, and must pass then

The programs (${
  Object.entries(VERSIONS).map(([name, versions]) => `${name} ${versions.join(", ")}`).join("; ")
}) come once
from the npm registry into ${cacheDir()}; GSD_E2E_CACHE moves it.
When a story fails, its message names the folder that holds panes, journal, payloads and logs;
GSD_E2E_ARTEFACTS says where such folders go.
`;

export async function main(args: string[]): Promise<number> {
  if (args.includes("--help") || args.includes("-h")) {
    console.log(HELP);
    return 0;
  }
  const hasSecondChance = args.includes("--second-chance");
  args = args.filter((arg) => arg !== "--second-chance");
  const wrong = args.find((arg, at) =>
    !arg.endsWith(".ts") && !/^--filter(=|$)/.test(arg) && args[at - 1] !== "--filter"
  );
  if (wrong !== undefined) {
    console.error(`e2e does not take "${wrong}"; see deno task e2e --help`);
    return 2;
  }
  try {
    await getAll();
  } catch (error) {
    console.error(messageOf(error));
    return 1;
  }
  const here = new URL(".", import.meta.url).pathname;
  const named = args.some((arg) => arg.endsWith(".ts"));
  const files = named ? args.filter((arg) => arg.endsWith(".ts")) : [here];
  const report = Deno.makeTempFileSync({ prefix: "gsd-e2e-report-" });
  const play = (more: string[]) => runTests([`--junit-path=${report}`, ...more]);
  try {
    const code = await play([...args, ...(named ? [] : files)]);
    const failures = readFailures(readTextIfThere(report) ?? "");
    if (failures.length === 0 || code === 130) return code;
    console.error(`\nWhat failed:\n${tellFailures(failures)}`);
    if (!hasSecondChance) return code;
    console.error("\nOnce more, these alone …");
    const again = await play([...onlyThese(failures), ...files]);
    const second = readTextIfThere(report) ?? "";
    if (again === 0 && playedAgain(failures, second)) {
      console.error("\nAll of it passed the second time: unsteady, not broken.");
      return 0;
    }
    console.error(`\nWhat failed again:\n${tellFailures(readFailures(second))}`);
    return again || 1;
  } finally {
    removeIfThere(report);
  }
}

/** What stories load beside the packages of everybody. */
const LOCK = new URL("deno.lock", import.meta.url).pathname;

/** Longer than the test runner takes to say which test it was. */
const RUNNER_MS = 5000;

/** `deno test` ends at once when it is interrupted: what its stories have started is ended here. */
export async function runTests(args: string[]): Promise<number> {
  const scenes = Deno.makeTempFileSync({ prefix: "gsd-e2e-scenes-" });
  const test = new Deno.Command(Deno.execPath(), {
    // Two files at a time: the stories of one file follow one another.
    args: ["test", "-A", "--quiet", "--parallel", `--lock=${LOCK}`, ...args],
    env: { DENO_NO_UPDATE_CHECK: "1", DENO_JOBS: "2", [SCENE_LIST]: scenes },
  }).spawn();
  let isInterrupted = false;
  const clear = async () => {
    const dirs = (readTextIfThere(scenes) ?? "").split("\n").filter((dir) => dir !== "");
    for (const dir of dirs.reverse()) await clearScene(dir);
    removeIfThere(scenes);
  };
  onSignal(async () => {
    isInterrupted = true;
    console.error("Interrupted: ending what was started …");
    endProcess(test, "SIGINT");
    if (await within(test.status, RUNNER_MS) === TIME_IS_UP) endProcess(test, "SIGKILL");
    await clear();
  });
  const { code } = await test.status;
  await clear();
  return code === 0 ? 0 : isInterrupted || code === 130 ? 130 : 1;
}

function endProcess(child: Deno.ChildProcess, signal: Deno.Signal): void {
  try {
    child.kill(signal);
  } catch {
    // The terminal has sent the signal to it already.
  }
}

if (import.meta.main) Deno.exit(await main(Deno.args));
