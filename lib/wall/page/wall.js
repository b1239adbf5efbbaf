/** The wall: a tile for each session, and one session opened. */

import { act, age, element, setText } from "./elements.js";
import { requestForm } from "./requests.js";
import { Screens } from "./screen.js";

const wall = document.getElementById("wall");
const detail = document.getElementById("detail");
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
  events.onerror = () => say("No connection to gsd-code wall. The screens below are old.");
  events.onmessage = ({ data }) => {
    const event = JSON.parse(data);
    if (event.kind === "tiles") drawTiles(event.tiles);
    else if (event.kind === "screen") screens.take(event);
    else say(event.reason);
    if (event.kind !== "trouble") say("");
  };
}

function say(text) {
  setText(trouble, text);
  trouble.hidden = text === "";
}

function drawTiles(now) {
  tiles = now;
  const names = new Set(tiles.map(({ session }) => session));
  screens.forget(names);
  for (const [name, { node }] of drawn) {
    if (names.has(name)) continue;
    node.remove();
    drawn.delete(name);
  }
  for (const tile of tiles) {
    if (!drawn.has(tile.session)) drawn.set(tile.session, newTile(tile));
    fillTile(drawn.get(tile.session), tile);
  }
  arrange();
  drawTotals();
  drawAges();
  route();
}

/** Moves only what is in the wrong place, and keeps the focus where it was. */
function arrange() {
  const focus = document.activeElement;
  tiles.forEach(({ session }, at) => {
    const { node } = drawn.get(session);
    if (wall.children[at] !== node) wall.insertBefore(node, wall.children[at] ?? null);
  });
  if (focus instanceof HTMLElement && document.activeElement !== focus) focus.focus();
  wall.classList.toggle("empty", tiles.length === 0);
}

function newTile({ session }) {
  const parts = {
    state: element("b", { className: "state" }),
    since: element("span", { className: "since" }),
    screen: element("div", { className: "screen" }),
    now: element("p", { className: "now" }),
    requests: element("div", { className: "requests" }),
    agent: element("span", {}),
    context: element("meter", { min: 0, max: 100, low: 60, high: 85, optimum: 0 }),
    contextText: element("span", { className: "percent" }),
    said: element("p", { className: "said", role: "status", hidden: true }),
  };
  const link = element("a", { href: `#${encodeURIComponent(session)}` }, session);
  const node = element(
    "article",
    { className: "tile" },
    element("h2", {}, link, parts.state, parts.since),
    element(
      "a",
      { className: "look", href: link.href, tabIndex: -1, ariaHidden: "true" },
      parts.screen,
    ),
    parts.now,
    parts.requests,
    parts.said,
    element("footer", {}, parts.agent, parts.context, parts.contextText),
  );
  screens.showIn(session, parts.screen);
  return { node, link, parts, requestsKey: "" };
}

function fillTile(tile, { session, agent, state, now, context, open }) {
  const { node, parts } = tile;
  node.dataset.state = state;
  setText(parts.state, state);
  // The request below says the same, in full.
  setText(parts.now, open.length > 0 ? "" : now);
  setText(parts.agent, agent);
  parts.context.hidden = context === undefined;
  parts.context.value = context ?? 0;
  parts.context.title = "How full the context window is";
  setText(parts.contextText, context === undefined ? "" : `ctx ${Math.round(context)} %`);
  fillRequests(tile, session, open.slice(0, 1), parts);
}

/** Drawn again only when they change: somebody may be writing an answer. */
function fillRequests(owner, session, open, { requests, said }) {
  const key = JSON.stringify(open);
  if (owner.requestsKey === key) return;
  owner.requestsKey = key;
  const told = (outcome) => tell(said, outcome);
  requests.replaceChildren(...open.map((request) => requestForm(session, request, told)));
}

function tell(place, { done, said }) {
  setText(place, said);
  place.classList.toggle("failed", !done);
  place.hidden = said === "";
}

function drawTotals() {
  const counts = new Map();
  for (const { state } of tiles) counts.set(state, (counts.get(state) ?? 0) + 1);
  const parts = [
    tiles.length === 1 ? "1 session" : `${tiles.length} sessions`,
    ...[...counts].filter(([state]) => state !== "idle").map(([state, count]) =>
      `${count} ${state}`
    ),
  ];
  const usd = tiles.reduce((sum, tile) => sum + (tile.usd ?? 0), 0);
  if (usd > 0) parts.push(`$${usd.toFixed(2)}`);
  // Sessions of one account say the same.
  parts.push(...new Set(tiles.flatMap(({ limits = [] }) => limits)));
  setText(
    document.getElementById("totals"),
    tiles.length === 0 ? "No session runs" : parts.join(" · "),
  );
  const waiting = tiles.filter(({ state }) => WAITS.has(state)).length;
  document.title = waiting === 0 ? "gsd-code wall" : `(${waiting}) gsd-code wall`;
}

const WAITS = new Set(["asks", "permission", "dialog"]);

function drawAges() {
  for (const { session, since } of tiles) {
    setText(drawn.get(session).parts.since, age(since));
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
  if (opened?.session !== name) open(tile);
  fillDetail(tile);
}

function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return "";
  }
}

function open(tile) {
  const { session, attach } = tile;
  const parts = {
    state: element("b", { className: "state" }),
    now: element("p", { className: "now" }),
    screen: element("div", { className: "screen" }),
    story: element("ol", { className: "story", tabIndex: 0, ariaLabel: "What happened" }),
    requests: element("div", { className: "requests" }),
    said: element("p", { className: "said", role: "status", hidden: true }),
  };
  const text = element("textarea", {
    id: "instruction",
    rows: 3,
    ariaLabel: `An instruction for ${session}`,
    placeholder: "An instruction for Claude. Ctrl+Enter sends it.",
    onkeydown: (event) => event.key === "Enter" && (event.ctrlKey || event.metaKey) && give("type"),
  });
  const give = async (action) => {
    if (text.value.trim() === "") return text.focus();
    text.disabled = true;
    const outcome = await act({ session, action, text: text.value });
    text.disabled = false;
    if (outcome.done) text.value = "";
    tell(parts.said, outcome);
    text.focus();
    drawStory();
  };
  const press = async () => tell(parts.said, await act({ session, action: "esc" }));
  const copy = async (event) => {
    await navigator.clipboard?.writeText(attach);
    setText(event.target, "Copied");
  };
  detail.replaceChildren(
    element(
      "header",
      {},
      element("a", { className: "back", href: "#", ariaLabel: "Back to all sessions" }, "← All"),
      element("h2", {}, session, " ", parts.state),
      element("button", { type: "button", onclick: copy, title: attach }, "Copy the attach line"),
    ),
    parts.now,
    element(
      "div",
      { className: "halves" },
      element("div", { className: "past" }, element("h3", {}, "Story"), parts.story),
      element("div", { className: "present" }, element("h3", {}, "Screen"), parts.screen),
    ),
    parts.requests,
    parts.said,
    element(
      "form",
      { className: "give", onsubmit: (event) => event.preventDefault() },
      text,
      element(
        "p",
        { className: "row" },
        element(
          "button",
          { type: "button", className: "main", onclick: () => give("type") },
          "Send",
        ),
        element("button", {
          type: "button",
          onclick: () => give("queue"),
          title: "Claude reads it while it works",
        }, "Queue"),
        element(
          "button",
          { type: "button", onclick: press, title: "Stops the running turn" },
          "Esc",
        ),
      ),
    ),
  );
  opened = { session, parts, requestsKey: "" };
  detail.hidden = false;
  wall.hidden = true;
  screens.showIn(session, parts.screen);
  drawStory();
  detail.querySelector(".back").focus();
}

function close() {
  const { session } = opened;
  opened = undefined;
  detail.hidden = true;
  detail.replaceChildren();
  wall.hidden = false;
  drawn.get(session)?.link.focus();
}

function fillDetail({ session, state, now, open }) {
  const { parts } = opened;
  detail.dataset.state = state;
  const isNew = opened.now !== now || parts.state.textContent !== state;
  opened.now = now;
  setText(parts.state, state);
  setText(parts.now, open.length > 0 ? "" : now);
  fillRequests(opened, session, open, parts);
  if (isNew) drawStory();
}

async function drawStory() {
  const { session, parts: { story } } = opened;
  let lines;
  try {
    lines = await (await fetch(`story?session=${encodeURIComponent(session)}`)).json();
  } catch {
    return;
  }
  if (opened?.session !== session) return;
  const isAtEnd = story.scrollTop + story.clientHeight >= story.scrollHeight - 30;
  story.replaceChildren(...lines.map(({ at, who, kind, text }) =>
    element(
      "li",
      { "data-kind": kind },
      element("time", { dateTime: at }, clock(at)),
      element("span", { className: "who" }, who),
      element("b", {}, kind),
      element("span", { className: "text" }, text),
    )
  ));
  if (isAtEnd || story.scrollTop === 0) story.scrollTop = story.scrollHeight;
}

function clock(at) {
  const date = new Date(at);
  return Number.isNaN(date.getTime()) ? "" : date.toLocaleTimeString([], { hour12: false });
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
