/** Our programs as a user who is not root, where root has been at work before. */

import { isFile } from "../../lib/files.ts";
import { ROOT } from "../../lib/paths.ts";
import type { DeliveryHome, Ended } from "./delivery_home.ts";
import { make } from "./odd_files.ts";

/** The id of that user and group. */
export const NOBODY = 65534;
export const CAN_BE_NOBODY = Deno.uid() === 0 && isFile("/usr/bin/setpriv");

export interface OtherUser {
  /** A copy of the project that the user can read. */
  root: string;
  run(script: string, ...args: string[]): Promise<Ended>;
}

/** Gives all of the home to that user, with a Deno and a project in it. */
export async function otherUser(home: DeliveryHome): Promise<OtherUser> {
  make("chown", "-R", `${NOBODY}:${NOBODY}`, home.dir);
  const deno = `${home.dir}/deno`;
  await Deno.copyFile(Deno.execPath(), deno);
  make("chmod", "755", deno);
  const root = `${home.dir}/project`;
  await Deno.mkdir(root);
  make("cp", "-r", `${ROOT}/lib`, `${ROOT}/commands`, root);
  return {
    root,
    async run(script, ...args) {
      const { code, stdout, stderr } = await new Deno.Command("setpriv", {
        args: [`--reuid=${NOBODY}`, `--regid=${NOBODY}`, "--clear-groups", deno].concat(
          ["run", "-A", "--quiet", "--no-config", "--no-npm", script, ...args],
        ),
        env: { ...home.env, DENO_DIR: `${home.dir}/deno_dir` },
        clearEnv: true,
        cwd: "/",
      }).output();
      const [out, err] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
      return { code, stdout: out!, stderr: err! };
    },
  };
}
