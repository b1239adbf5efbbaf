/** Keeps root from writing into a user's state folder: the user could not read those files. */

import { isFolder } from "../files.ts";

/** `what`: what is refused, as in "deliver". Undefined where it may be done. */
export function whyNotAsRoot(state: string, what: string): string | undefined {
  try {
    const { uid } = Deno.statSync(state);
    if (uid === 0 || ownerOfNewFile(state) !== 0) return undefined;
    return `Cannot ${what} as root: ${state} belongs to user ${uid}. Run it as that user: ` +
      `sudo -u '#${uid}' …`;
  } catch {
    return undefined; // no folder yet, or no file can be made in it
  }
}

/** A launcher's Deno may not ask for the user id, but it may write here. */
function ownerOfNewFile(state: string): number | null {
  const locks = `${state}/locks`; // what happens in there does not wake the watch
  const dir = isFolder(locks) ? locks : state;
  const path = Deno.makeTempFileSync({ dir, prefix: "owner-", suffix: ".tmp" });
  try {
    return Deno.statSync(path).uid;
  } finally {
    Deno.removeSync(path);
  }
}

/** Says so where root must not write into this state folder. */
export function isRefusedAsRoot(
  what: string,
  { paths, warn }: { paths: { state: string }; warn(line: string): void },
): boolean {
  const refusal = whyNotAsRoot(paths.state, what);
  if (refusal !== undefined) warn(refusal);
  return refusal !== undefined;
}
