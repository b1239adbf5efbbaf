/** A folder for one story: removed when the story passes, copied when it fails. */

import { appendLine, readTextIfThere, removeIfThere } from "../../lib/files.ts";
import { within } from "../../lib/time.ts";
import { removeTree } from "./home.ts";

export interface Scene {
  name: string;
  /** All files of the story; removed at its end. */
  dir: string;
  home: string;
  /** A text to keep when the story fails: a pane, a log, what a model was asked. */
  keep(name: string, text: () => string | Promise<string>): void;
  /** Runs at the end in any case, the last one first. */
  atEnd(work: () => unknown): void;
}

/**
 * Runs `story` in a fresh folder with an empty HOME. When it throws, its texts and the folders
 * `home` and `state` are kept, and the message says where.
 */
export async function inScene<T>(name: string, story: (scene: Scene) => Promise<T>): Promise<T> {
  if (isEnding) await new Promise<never>(() => {}); // start nothing more
  const dir = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "gsd-e2e-" }));
  const texts: [string, () => string | Promise<string>][] = [];
  const ends: (() => unknown)[] = [];
  const scene: Scene = {
    name,
    dir,
    home: `${dir}/home`,
    keep: (name, text) => texts.push([name, text]),
    atEnd: (work) => ends.push(work),
  };
  Deno.mkdirSync(scene.home);
  const list = Deno.env.get(SCENE_LIST);
  if (list !== undefined) appendLine(list, dir);
  const close = once(async () => {
    for (const end of ends.reverse()) {
      try {
        await end();
      } catch (error) {
        console.error(`The end of "${name}" failed:`, error);
      }
    }
    await clearScene(dir);
  });
  open.add({ dir, close });
  try {
    return await story(scene);
  } catch (error) {
    const kept = await keepAll(scene, texts);
    const told = error instanceof Error ? error : new Error(String(error));
    told.message += `\nPanes, journal, payloads and logs of this story: ${kept}`;
    throw told;
  } finally {
    await close();
    open.forEach((one) => one.dir === dir && open.delete(one));
  }
}

/** Names a file with the folders of a run, so that a later process can clear them. */
export const SCENE_LIST = "GSD_E2E_SCENES";

const open = new Set<{ dir: string; close(): Promise<void> }>();
const CLOSING_MS = 15_000;

function once(work: () => Promise<void>): () => Promise<void> {
  let doing: Promise<void> | undefined;
  return () => doing ??= work();
}

/** Ctrl-C ends the scenes that are open, with all that runs in them, and then the program. */
export function endScenesOnSignal(): void {
  onSignal(async () => {
    console.error("Interrupted: ending what was started …");
    const scenes = [...open].reverse();
    await within(Promise.all(scenes.map((scene) => scene.close())), CLOSING_MS);
    for (const { dir } of scenes) await clearScene(dir);
  });
}

let isEnding = false;

/** Runs `work` once, however many signals come, then exits. */
export function onSignal(work: () => Promise<void>): void {
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    Deno.addSignalListener(signal, () => {
      if (isEnding) return;
      isEnding = true;
      work().finally(() => Deno.exit(130));
    });
  }
}

/** Kills the processes of a scene, and removes its folder. */
export async function clearScene(dir: string): Promise<void> {
  const tmux = /-L (\S+)/.exec(readTextIfThere(`${dir}/tmux`) ?? "")?.[1];
  endProcessesOf(dir);
  if (tmux !== undefined) removeIfThere(`/tmp/tmux-${Deno.uid()}/${tmux}`);
  unmountBelow(dir);
  await removeTree(dir);
}

/** A story may have mounted a small disk to fill it. */
function unmountBelow(dir: string): void {
  const mounts = (readTextIfThere("/proc/mounts") ?? "").split("\n").map((line) =>
    line.split(" ")[1]
  );
  for (const place of mounts.filter((place) => place?.startsWith(`${dir}/`))) {
    new Deno.Command("umount", { args: ["--lazy", place!], stderr: "null" }).outputSync();
  }
}

/** Hooks and deliverers outlive the Claude Code that started them, and would write again. */
function endProcessesOf(dir: string): void {
  for (const { name } of Deno.readDirSync("/proc")) {
    if (!/^\d+$/.test(name) || Number(name) === Deno.pid) continue;
    try {
      const told = ["environ", "cmdline"].map((file) =>
        Deno.readTextFileSync(`/proc/${name}/${file}`)
      );
      if (told.some((text) => text.includes(`${dir}/`))) Deno.kill(Number(name), "SIGKILL");
    } catch {
      // It has just ended, or is not ours.
    }
  }
}

async function keepAll(
  scene: Scene,
  texts: [string, () => string | Promise<string>][],
): Promise<string> {
  const base = Deno.env.get("GSD_E2E_ARTEFACTS") ?? `${Deno.env.get("TMPDIR") || "/tmp"}`;
  Deno.mkdirSync(base, { recursive: true });
  const slug = scene.name.replace(/[^A-Za-z0-9.]+/g, "-").slice(0, 60);
  const folder = Deno.makeTempDirSync({ dir: base, prefix: `gsd-e2e-kept-${slug}-` });
  for (const [name, text] of texts) {
    let content: string;
    try {
      content = await text();
    } catch (error) {
      content = `Could not be read: ${error}`;
    }
    Deno.writeTextFileSync(`${folder}/${name.replaceAll("/", "-")}`, content);
  }
  for (const entry of Deno.readDirSync(scene.dir)) {
    copyTree(`${scene.dir}/${entry.name}`, `${folder}/${entry.name}`);
  }
  return folder;
}

/** Copies regular files up to 5 MB, but no sockets, large databases or programs. */
function copyTree(from: string, to: string): void {
  const info = Deno.lstatSync(from);
  if (info.isFile && info.size < 5_000_000) return Deno.copyFileSync(from, to);
  if (!info.isDirectory) return;
  Deno.mkdirSync(to, { recursive: true });
  for (const entry of Deno.readDirSync(from)) {
    try {
      copyTree(`${from}/${entry.name}`, `${to}/${entry.name}`);
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error; // removed meanwhile
    }
  }
}
