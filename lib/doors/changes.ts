/** Waits for changes of files below some folders. */

import { isFolder } from "../files.ts";
import { pause, within } from "../time.ts";

export interface WatchedFolder {
  path: string;
  recursive: boolean;
}

/** Changes come in groups. */
const SETTLE_MS = 200;

export class Changes implements Disposable {
  readonly #watchers = new Map<string, Deno.FsWatcher>();
  #wake: () => void = () => {};
  #isChanged = false;

  /** `isOurs`: what the watcher itself writes is no change. */
  constructor(
    private readonly folders: WatchedFolder[],
    private readonly isOurs: (path: string) => boolean,
  ) {}

  /** Resolves soon after a change, and after `ms` at the latest. */
  async next(ms: number): Promise<void> {
    this.#watch();
    if (!this.#isChanged) {
      const changed = new Promise<void>((resolve) => this.#wake = resolve);
      await within(changed, Math.max(1, ms));
    }
    if (this.#isChanged) await pause(SETTLE_MS);
    this.#isChanged = false;
  }

  /** Ends the waiting. */
  wake(): void {
    this.#isChanged = true;
    this.#wake();
  }

  /** A folder may be created later, or again. Without a watcher only the time limit remains. */
  #watch(): void {
    for (const { path, recursive } of this.folders) {
      if (this.#watchers.has(path) || !isFolder(path)) continue;
      try {
        const watcher = Deno.watchFs(path, { recursive });
        this.#watchers.set(path, watcher);
        this.#follow(path, watcher);
      } catch {
        // The system's limit of file watches is reached.
      }
    }
  }

  async #follow(path: string, watcher: Deno.FsWatcher): Promise<void> {
    try {
      for await (const { kind, paths } of watcher) {
        if (kind === "access" || paths.every(this.isOurs)) continue;
        this.wake();
        if (!isFolder(path)) break;
      }
    } catch {
      // Closed.
    }
    this.#watchers.delete(path);
  }

  [Symbol.dispose](): void {
    for (const watcher of this.#watchers.values()) watcher.close();
    this.#watchers.clear();
  }
}
