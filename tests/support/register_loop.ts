/** Registers and removes our hooks again and again until it is killed: `<settings> <data>`. */

import { wantedHooks } from "../../lib/hook_command.ts";
import { pathsFrom, rootOf } from "../../lib/paths.ts";
import { register, unregister } from "../../lib/registration.ts";

const root = rootOf(import.meta.url).replace(/\/tests$/, "");
const [settings = "", data = ""] = Deno.args;
const install = {
  paths: { ...pathsFrom(() => undefined, root), data },
  home: "/",
  deno: "/usr/bin/deno",
  tmux: "/usr/bin/tmux",
  transcripts: [],
  allowAll: false,
};
console.log("started");
for (let round = 0;; round++) {
  const options = { data, dryRun: false, now: new Date() };
  const wanted = wantedHooks(install, { answer: 600 + round % 7, reply: 10 });
  const outcome = round % 3 === 2
    ? unregister(settings, root, options)
    : register(settings, wanted, root, options);
  if (outcome.kind === "refused") console.log(outcome.reason);
}
