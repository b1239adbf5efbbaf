/** Sends changes to every open page. Without an open page nothing is read. */

import type { CapturedScreen } from "../doors/tmux_screens.ts";
import { messageOf } from "../json.ts";
import type { Clock } from "../time.ts";
import { styledLines, type StyledRun } from "../doors/styled_lines.ts";
import type { Tile } from "./tile.ts";

export type SessionScreen = Omit<CapturedScreen, "pane"> & { session: string };

export interface FeedSource {
  tiles(): Promise<Tile[]>;
  /** What all turns have cost today; undefined where nothing reports it. */
  usdToday?(): number | undefined;
  /** The screens of the sessions that were last read. */
  screens(): Promise<SessionScreen[]>;
}

export type FeedEvent =
  | TilesEvent
  /** Only the lines that changed; `all`: there are no others. */
  | {
    kind: "screen";
    session: string;
    columns: number;
    rows: number;
    all: boolean;
    lines: [number, StyledRun[]][];
  }
  | { kind: "trouble"; reason: string }
  | { kind: "end" };

export interface TilesEvent {
  kind: "tiles";
  tiles: Tile[];
  usd_today?: number;
}

export type FeedListener = (event: FeedEvent) => void;

const SCREENS_EVERY_MS = 250;
const TILES_EVERY_MS = 1500;

interface Shown {
  columns: number;
  rows: number;
  /** As tmux wrote it: the same text need not be read again. */
  text: string;
  lines: StyledRun[][];
  /** Each line as JSON, to compare. */
  keys: string[];
}

export class Feed {
  #listeners = new Set<FeedListener>();
  #shown = new Map<string, Shown>();
  #tiles: TilesEvent = { kind: "tiles", tiles: [] };
  #tilesKey = "";
  #tilesAt = -Infinity;
  #running = false;

  constructor(readonly source: FeedSource, readonly clock: Clock) {}

  get listeners(): number {
    return this.#listeners.size;
  }

  /** Sends the listener the whole state, then each change. Returns how to stop. */
  listen(listener: FeedListener): () => void {
    this.#listeners.add(listener);
    if (this.#tilesKey !== "") listener(this.#tiles);
    for (const [session, shown] of this.#shown) listener(whole(session, shown));
    if (!this.#running) {
      this.#running = true;
      this.#run();
    }
    return () => this.#listeners.delete(listener);
  }

  /** Call after an action: the tiles are read again at once. */
  nudge(): void {
    this.#tilesAt = -Infinity;
  }

  /** Notifies all listeners that the wall ends. */
  end(): void {
    this.#tell({ kind: "end" });
    this.#listeners.clear();
  }

  async #run(): Promise<void> {
    while (this.#listeners.size > 0) {
      const began = this.clock.now();
      try {
        await this.#look(began);
      } catch (error) {
        this.#tell({ kind: "trouble", reason: messageOf(error) });
      }
      // A slow machine gets as long a rest as a look took.
      const spent = this.clock.now() - began;
      await this.clock.sleep(Math.max(SCREENS_EVERY_MS - spent, spent, 1));
    }
    // It would be out of date when the next page opens.
    this.#shown.clear();
    this.#tilesKey = "";
    this.#tilesAt = -Infinity;
    this.#running = false;
  }

  async #look(now: number): Promise<void> {
    if (now - this.#tilesAt >= TILES_EVERY_MS) {
      this.#tilesAt = now;
      const tiles = await this.source.tiles();
      const usd = this.source.usdToday?.();
      const event: TilesEvent = {
        kind: "tiles",
        tiles,
        ...(usd === undefined ? {} : { usd_today: usd }),
      };
      const key = JSON.stringify(event);
      if (key !== this.#tilesKey) {
        this.#tiles = event;
        this.#tilesKey = key;
        this.#tell(event);
      }
    }
    for (const screen of await this.source.screens()) this.#show(screen);
    const sessions = new Set(this.#tiles.tiles.map(({ session }) => session));
    for (const session of this.#shown.keys()) {
      if (!sessions.has(session)) this.#shown.delete(session);
    }
  }

  #show({ session, columns, rows, text }: SessionScreen): void {
    const before = this.#shown.get(session);
    const isSameSize = before?.columns === columns && before.rows === rows;
    if (isSameSize && before.text === text) return;
    const lines = styledLines(text);
    const now = { columns, rows, text, lines, keys: lines.map((line) => JSON.stringify(line)) };
    this.#shown.set(session, now);
    if (!isSameSize || before.lines.length !== lines.length) {
      this.#tell(whole(session, now));
      return;
    }
    const changed = lines.map((line, at): [number, StyledRun[]] => [at, line])
      .filter(([at]) => now.keys[at] !== before.keys[at]);
    if (changed.length === 0) return;
    this.#tell({ kind: "screen", session, columns, rows, all: false, lines: changed });
  }

  #tell(event: FeedEvent): void {
    for (const listener of this.#listeners) listener(event);
  }
}

function whole(session: string, { columns, rows, lines }: Shown): FeedEvent {
  return {
    kind: "screen",
    session,
    columns,
    rows,
    all: true,
    lines: lines.map((line, at) => [at, line]),
  };
}
