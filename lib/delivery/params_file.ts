/** Parameters for OpenClaw's program by a file: every user of the machine can read its arguments. */

import { isThere, removeIfThere, writeAtomic } from "../files.ts";
import { ROOT } from "../paths.ts";

/** Replaces a short argument by a file's text. Only Node reads this option. */
const PRELOAD = `${ROOT}/lib/delivery/params_file.cjs`;

export interface ParamsFile {
  /** The argument that stands for the parameters. */
  argument: string;
  /** What the program needs in its environment. */
  env: Record<string, string>;
  /** Removes the file; whether the program has read it. */
  remove(): boolean;
}

export function putParams(file: string, params: unknown): ParamsFile {
  writeAtomic(file, JSON.stringify(params));
  const quoted = PRELOAD.replace(/["\\]/g, "\\$&");
  return {
    argument: JSON.stringify({ gsd_params_file: file }),
    env: { NODE_OPTIONS: `--require "${quoted}"`, GSD_PARAMS_FILE: file },
    remove() {
      const wasRead = !isThere(file);
      removeIfThere(file);
      return wasRead;
    },
  };
}
