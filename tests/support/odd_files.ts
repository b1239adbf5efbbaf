/** Things that are not regular files, in the place of a file. */

import type { Ended } from "./delivery_home.ts";

export const ODD: Record<string, (path: string) => void> = {
  "a fifo": (path) => make("mkfifo", path),
  "a folder": (path) => {
    Deno.mkdirSync(path, { recursive: true });
    Deno.writeTextFileSync(`${path}/inside`, "x");
  },
  "a link to itself": (path) => Deno.symlinkSync(path, path),
  "a socket": (path) => {
    const listener = Deno.listen({ transport: "unix", path: `${path}.s` });
    Deno.renameSync(`${path}.s`, path); // its own name would go with it
    listener.close();
  },
  "a file of 300 MB": (path) => {
    const file = Deno.openSync(path, { write: true, createNew: true });
    file.truncateSync(300 * 1024 * 1024); // without a block on the disk
    file.close();
  },
};

export function make(program: string, ...args: string[]): void {
  const { success, stderr } = new Deno.Command(program, { args }).outputSync();
  if (!success) throw new Error(`${program}: ${new TextDecoder().decode(stderr)}`);
}

/** Waits for a process; one that hangs is killed, and that is said. */
export async function ended(
  { child, done }: { child: Deno.ChildProcess; done: Promise<Ended> },
): Promise<Ended> {
  let hangs = false;
  const timer = setTimeout(() => {
    hangs = true;
    child.kill("SIGKILL");
  }, HANGS_MS);
  const result = await done;
  clearTimeout(timer);
  if (hangs) throw new Error(`It has not ended within ${HANGS_MS / 1000} s`);
  return result;
}

/** Far longer than any of our programs takes, however busy the machine is. */
const HANGS_MS = 300_000;
