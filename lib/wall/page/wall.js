/** The wall: a tile for each session, or one session opened. */

import { Detail } from "./detail.js";
import { element, setText } from "./elements.js";
import { Screens } from "./screen.js";
import { fillAge, fillTile, newTile, WAITS } from "./tiles.js";

const wall = document.getElementById("wall");
const trouble = document.getElementById("trouble");
const screens = new Screens();
/** By session: its tile's nodes. */
const drawn = new Map();
let tiles = [];
let opened;

// The token is in the cookie now. It need not stay in the address and in the history.
if (location.search !== "") history.replaceState(null, "", location.pathname + location.hash);

listen();
setInterval(drawAges, 1000);
addEventListener("hashchange", route);
document.addEventListener("keydown", onKey);

function listen() {
  const events = new EventSource("events");
  events.onopen = () => say("");
  events.onerror = () => say("No connection to gsd-code wall. What you see is old.");
  events.onmessage = ({ data }) => {
    const event = JSON.parse(data);
    if (event.kind === "tiles") drawTiles(event);
    else if (event.kind === "screen") showScreen(event);
    else say(event.reason);
    if (event.kind !== "trouble") say("");
  };
}

function say(text) {
  setText(trouble, text);
  trouble.hidden = text === "";
  document.body.classList.toggle("old", text !== "");
}

function showScreen(event) {
  screens.take(event);
  drawn.get(event.session)?.parts.screen.classList.remove("none");
}

function drawTiles({ tiles: now, usd_today }) {
  tiles = now;
  const names = new Set(tiles.map(({ session }) => session));
  screens.forget(names);
  for (const [name, { node }] of drawn) {
    if (names.has(name)) continue;
    node.remove();
    drawn.delete(name);
  }
  for (const tile of tiles) {
    const { session } = tile;
    if (!drawn.has(session)) drawn.set(session, newTile(session, screens));
    fillTile(drawn.get(session), tile, screens.hasScreen(session));
  }
  arrange();
  drawTotals(usd_today);
  drawAges();
  route();
}

/** Moves only what is in the wrong place, and keeps the focus where it was. */
function arrange() {
  const focus = document.activeElement;
  document.getElementById("nothing")?.remove();
  tiles.forEach(({ session }, at) => {
    const { node } = drawn.get(session);
    if (wall.children[at] !== node) wall.insertBefore(node, wall.children[at] ?? null);
  });
  if (tiles.length === 0) wall.append(nothing());
  if (focus instanceof HTMLElement && document.activeElement !== focus) focus.focus();
}

function nothing() {
  return element(
    "div",
    { id: "nothing" },
    element("h2", {}, "No session runs"),
    element("p", {}, "Start one in a terminal; it appears here by itself:"),
    element("p", {}, element("code", {}, "gsd-code spawn <agent> <folder>")),
  );
}

/** What is wrong, or waits, in words; the rest is only counted. */
const WORDS = {
  ...{ asks: "asks", permission: "permission", dialog: "dialog", stalled: "stalled" },
  ...{ failed: "failed", limited: "limited", retrying: "retrying", lost: "lost" },
};

function drawTotals(usd) {
  const counts = new Map();
  for (const { state } of tiles) counts.set(state, (counts.get(state) ?? 0) + 1);
  const waiting = tiles.filter(({ state }) => WAITS.has(state)).length;
  const chip = (state, text) => element("li", { "data-state": state }, text);
  const verb = waiting === 1 ? "waits" : "wait";
  const chips = tiles.length === 0 ? [] : [
    chip("all", tiles.length === 1 ? "1 session" : `${tiles.length} sessions`),
    ...(waiting > 0 ? [chip("asks", `${waiting} ${verb} for an answer`)] : []),
    ...[...counts].filter(([state]) => !WAITS.has(state))
      .map(([state, count]) => chip(state, `${count} ${WORDS[state] ?? state}`)),
  ];
  const totals = document.getElementById("totals");
  const key = chips.map(({ textContent }) => textContent).join("\n");
  // A screen reader repeats what is set again.
  if (totals.dataset.key !== key) totals.replaceChildren(...chips);
  totals.dataset.key = key;
  // Sessions of one account say the same.
  const limits = new Set(tiles.flatMap(({ limits = [] }) => limits));
  const account = [...(usd > 0 ? [`$${usd.toFixed(2)} today`] : []), ...limits];
  setText(document.getElementById("account"), account.join(" · "));
  document.title = waiting === 0 ? "gsd-code wall" : `(${waiting}) gsd-code wall`;
}

function drawAges() {
  for (const tile of tiles) {
    fillAge(drawn.get(tile.session), tile);
    if (opened?.session === tile.session) opened.fillAge(tile);
  }
}

/** The address says which session is open, so that Back and a bookmark work. */
function route() {
  const name = decoded(location.hash.slice(1));
  const tile = tiles.find(({ session }) => session === name);
  if (tile === undefined) {
    if (opened !== undefined) close();
    return;
  }
  if (opened?.session !== name) opened = new Detail(tile, screens);
  wall.hidden = true;
  opened.fill(tile);
}

function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return "";
  }
}

function close() {
  const { session } = opened;
  opened.close();
  opened = undefined;
  wall.hidden = false;
  drawn.get(session)?.link.focus();
}

/** j and k or the arrows go from tile to tile, Escape goes back, i writes an instruction. */
function onKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const isWriting = event.target instanceof HTMLElement &&
    event.target.matches("input, textarea, select");
  if (event.key === "Escape" && opened !== undefined) {
    if (isWriting) event.target.blur();
    else location.hash = "";
    return;
  }
  if (isWriting) return;
  if (event.key === "i" && opened !== undefined) {
    event.preventDefault();
    document.getElementById("instruction").focus();
    return;
  }
  const step = { j: 1, ArrowRight: 1, ArrowDown: 1, k: -1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
  if (step === undefined || opened !== undefined || tiles.length === 0) return;
  event.preventDefault();
  const links = tiles.map(({ session }) => drawn.get(session).link);
  const at = links.findIndex((link) => link.closest("article").contains(document.activeElement));
  links[(Math.max(at, step === 1 ? -1 : 0) + step + links.length) % links.length].focus();
}
