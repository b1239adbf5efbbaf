/** `deno task e2e`: the stories on the real programs, with all downloads done before the first. */

import { messageOf } from "../../lib/process.ts";
import { cacheDir, getAll, VERSIONS } from "../support/real_programs.ts";

const HELP = `Runs whole stories on the real Claude Code and the real OpenClaw, offline.

  deno task e2e                          all of them
  deno task e2e --filter question        those whose name holds "question"
  deno task e2e tests/e2e/support_e2e_test.ts

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
  const test = new Deno.Command(Deno.execPath(), {
    args: ["test", "-A", "--quiet", ...args, ...(named ? [] : [here])],
    env: { DENO_NO_UPDATE_CHECK: "1" },
  }).spawn();
  const { code } = await test.status;
  return code === 0 ? 0 : 1;
}

if (import.meta.main) Deno.exit(await main(Deno.args));
