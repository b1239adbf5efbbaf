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
  if (isShort) toEnd(place);
}

/** Where there is too little room, the last lines are shown. */
function toEnd(place) {
  place.scrollTop = place.scrollHeight;
}

/** The screens by session. A screen can be drawn in several places: the tile, and the open session. */
export class Screens {
  #lines = new Map();
  #sizes = new Map();
  #places = new Map();

  /** Draws the session's screen in `place`, now and when it changes, until `place` is removed. */
  showIn(session, place) {
    const places = this.#places.get(session) ?? new Set();
    this.#places.set(session, places.add(place));
    this.#draw(session, place);
  }

  constructor() {
    addEventListener("resize", () => {
      for (const places of this.#places.values()) {
        for (const place of places) if (place.classList.contains("short")) toEnd(place);
      }
    });
  }

  hasScreen(session) {
    return this.#lines.has(session);
  }

  take({ session, columns, rows, all, lines }) {
    const known = all ? [] : this.#lines.get(session) ?? [];
    for (const [at, runs] of lines) known[at] = runs;
    this.#lines.set(session, known);
    this.#sizes.set(session, { columns, rows });
    for (const place of this.#places.get(session) ?? []) {
      if (!place.isConnected) this.#places.get(session).delete(place);
      else if (all || place.children.length !== known.length) this.#draw(session, place);
      else {
        for (const [at, runs] of lines) place.children[at].replaceChildren(...runs.map(spanOf));
        hideEmpty(place);
      }
    }
  }

  forget(sessions) {
    for (const session of this.#lines.keys()) {
      if (!sessions.has(session)) this.#lines.delete(session);
    }
  }

  #draw(session, place) {
    const lines = this.#lines.get(session) ?? [];
    const { columns = 80, rows = 24 } = this.#sizes.get(session) ?? {};
    place.style.setProperty("--columns", String(Math.max(columns, 20)));
    place.style.setProperty("--rows", String(Math.max(rows, 5)));
    place.replaceChildren(...lines.map((runs) => {
      const line = document.createElement("div");
      line.append(...runs.map(spanOf));
      return line;
    }));
    hideEmpty(place);
    toEnd(place);
  }
}
