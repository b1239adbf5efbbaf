/** `gsd-code wall`, until the end of a scene. */

import type { Scene } from "./artefacts.ts";

/** `program`: what starts it, such as its launcher. The address is the first line that it prints. */
export async function startWall(
  scene: Scene,
  [program, ...args]: string[],
  env: Record<string, string>,
): Promise<{ address: string; pid: number }> {
  const child = new Deno.Command(program!, {
    ...{ args, env, stdin: "null", stdout: "piped", stderr: "null" },
  }).spawn();
  scene.atEnd(async () => {
    try {
      child.kill("SIGKILL");
    } catch {
      // It has ended.
    }
    await child.status;
  });
  let printed = "";
  const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  scene.atEnd(() => reader.cancel());
  while (!printed.includes("\n")) {
    const { value, done } = await reader.read();
    if (done) throw new Error(`The wall ended: ${printed}`);
    printed += value;
  }
  return { address: printed.trim(), pid: child.pid };
}
