/** Registers and removes our hooks in a loop until it is killed: `<settings> <data>`. */

import { wantedHooks } from "../../lib/install/hook_command.ts";
import { pathsFrom, ROOT } from "../../lib/paths.ts";
import { register, unregister } from "../../lib/install/registration.ts";

const root = ROOT;
const [settings = "", data = ""] = Deno.args;
const paths = { ...pathsFrom(() => undefined, root), data };
console.log("started");
for (let round = 0;; round++) {
  const options = { data, dryRun: false, now: new Date() };
  const wanted = wantedHooks(paths, { answer: 600 + round % 7, reply: 10 });
  const outcome = round % 3 === 2
    ? unregister(settings, root, options)
    : register(settings, wanted, root, options);
  if (outcome.kind === "refused") console.log(outcome.reason);
}
