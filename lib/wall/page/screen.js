/** Draws the screen of a pane: lines of runs, each with its colours. */

const STYLES = [[1, "bold"], [2, "dim"], [4, "italic"], [8, "underline"], [32, "strike"]];
const INVERSE = 16;

/** The 256 colours of a terminal. The first 16 are the palette of wall.css. */
function colourOf(value) {
  if (typeof value === "string") return /^#[0-9a-f]{6}$/.test(value) ? value : "";
  if (value < 16) return `var(--c${value})`;
  if (value >= 232) return grey(8 + (value - 232) * 10);
  const step = (part) => part === 0 ? 0 : 55 + part * 40;
  const rest = value - 16;
  return `rgb(${step(Math.floor(rest / 36))} ${step(Math.floor(rest / 6) % 6)} ${step(rest % 6)})`;
}

function grey(level) {
  return `rgb(${level} ${level} ${level})`;
}

function spanOf({ t, f, b, s = 0 }) {
  const span = document.createElement("span");
  span.textContent = t;
  const isInverse = (s & INVERSE) !== 0;
  const front = f === undefined ? undefined : colourOf(f);
  const back = b === undefined ? undefined : colourOf(b);
  const ink = isInverse ? back ?? "var(--paper)" : front;
  const ground = isInverse ? front ?? "var(--ink)" : back;
  if (ink) span.style.color = ink;
  if (ground) span.style.backgroundColor = ground;
  for (const [bit, name] of STYLES) if (s & bit) span.classList.add(name);
  return span;
}

/**
 * A screen that is half empty shows its last words, not the emptiness below them. A short one has no
 * room for emptiness between them either: one empty line stands for many.
 */
function hideEmpty(place) {
  const lines = [...place.children];
  const isShort = place.classList.contains("short");
  const isEmpty = lines.map((line) => line.textContent.trim() === "");
  const last = isEmpty.lastIndexOf(false);
  lines.forEach((line, at) => {
    const isOneOfMany = isShort && isEmpty[at] && isEmpty[at - 1] === true;
    line.hidden = at > last || isOneOfMany;
  });
}

/** Where there is too little room, the last lines are shown. */
function toEnd(place) {
  place.scrollTop = place.scrollHeight;
}

/** Steps of the width, so that not every word changes the size of the letters. */
const LEAST_COLUMNS = 60;
const STEP = 20;
const MOST_IN_A_TILE = 80;
/** Letters become larger only when the screen was narrow for so long. */
const NARROW_MS = 10_000;

const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60]|[\u{1f000}-\u{10ffff}]/u;

/** In columns of a terminal, as widthOf() of status_table.ts counts them. */
function widthOf(text) {
  let width = 0;
  for (const char of text) width += WIDE.test(char) ? 2 : 1;
  return width;
}

/** How many columns are in use. Rules are as wide as the pane, and can be cut. */
export function columnsUsed(lines, columns) {
  const widths = lines.map((runs = []) => {
    const text = runs.map(({ t }) => t).join("").trimEnd();
    return /^\W{0,4}[─━═╌]{20,}/.test(text) ? 0 : widthOf(text);
  });
  const used = Math.max(LEAST_COLUMNS, ...widths);
  return Math.min(Math.ceil(used / STEP) * STEP, Math.max(columns, 20));
}

/** The screens by session. A screen can be drawn in several places: the tile, and the open session. */
export class Screens {
  #lines = new Map();
  /** By session: for how many columns there is room, and when so many were last in use. */
  #columns = new Map();
  #places = new Map();

  /** Draws the session's screen in `place`, now and when it changes, until `place` is removed. */
  showIn(session, place) {
    const places = this.#places.get(session) ?? new Set();
    this.#places.set(session, places.add(place));
    this.#watched.observe(place);
    this.#draw(session, place);
  }

  /** A place gets smaller when a question appears above it. */
  #watched = new ResizeObserver((changes) => changes.forEach(({ target }) => toEnd(target)));

  hasScreen(session) {
    return this.#lines.has(session);
  }

  take({ session, columns, all, lines }) {
    const known = all ? [] : this.#lines.get(session) ?? [];
    for (const [at, runs] of lines) known[at] = runs;
    this.#lines.set(session, known);
    this.#fit(session, columnsUsed(known, columns));
    for (const place of this.#places.get(session) ?? []) {
      if (!place.isConnected) this.#leave(session, place);
      else if (all || place.children.length !== known.length) this.#draw(session, place);
      else this.#change(session, place, lines);
    }
  }

  #leave(session, place) {
    this.#places.get(session).delete(place);
    this.#watched.unobserve(place);
  }

  #change(session, place, lines) {
    const isAtEnd = place.scrollTop + place.clientHeight >= place.scrollHeight - 20;
    this.#size(session, place);
    for (const [at, runs] of lines) place.children[at].replaceChildren(...runs.map(spanOf));
    hideEmpty(place);
    if (isAtEnd) toEnd(place);
  }

  /** In a tile the beginnings of long lines say enough. */
  #size(session, place) {
    const { columns = MOST_IN_A_TILE } = this.#columns.get(session) ?? {};
    const room = place.closest(".tile") ? Math.min(columns, MOST_IN_A_TILE) : columns;
    place.style.setProperty("--columns", String(room));
  }

  #fit(session, used) {
    const known = this.#columns.get(session);
    const isNarrow = known !== undefined && used < known.columns &&
      Date.now() - known.at < NARROW_MS;
    if (!isNarrow) this.#columns.set(session, { columns: used, at: Date.now() });
  }

  forget(sessions) {
    for (const session of this.#lines.keys()) {
      if (!sessions.has(session)) this.#lines.delete(session);
    }
  }

  #draw(session, place) {
    const lines = this.#lines.get(session) ?? [];
    this.#size(session, place);
    place.replaceChildren(...lines.map((runs) => {
      const line = document.createElement("div");
      line.append(...runs.map(spanOf));
      return line;
    }));
    hideEmpty(place);
    toEnd(place);
  }
}
