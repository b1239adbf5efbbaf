/** The tile of a session: its state, its screen, what it asks, what can be done. */

import { act, age, clock, copied, element, setText } from "./elements.js";
import { requestForm } from "./requests.js";

/** What waits for an answer first, then what has failed, then what is paused. */
export const WAITS = new Set(["asks", "permission", "dialog"]);

export function newTile(session, screens) {
  const parts = {
    state: element("b", { className: "state" }),
    since: element("span", { className: "since" }),
    screen: element("div", { className: "screen short" }),
    now: element("p", { className: "now" }),
    requests: element("div", { className: "requests" }),
    said: element("p", { className: "said", role: "status", hidden: true }),
    agent: element("span", { className: "agent" }),
    unsent: element("span", { className: "unsent" }),
    usd: element("span", { className: "usd", title: "What this conversation has cost" }),
    context: element("meter", { min: 0, max: 100, low: 60, high: 85, optimum: 0 }),
    contextText: element("span", { className: "percent" }),
  };
  parts.context.title = "How full the context window is";
  const link = element("a", { href: `#${encodeURIComponent(session)}`, title: session }, session);
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
    element(
      "footer",
      {},
      parts.agent,
      parts.unsent,
      parts.usd,
      element("span", { className: "context" }, parts.context, parts.contextText),
    ),
  );
  screens.showIn(session, parts.screen);
  return { node, link, parts, requestsKey: "" };
}

export function fillTile(tile, facts, hasScreen) {
  const { node, parts } = tile;
  const { agent, state, now, context, usd, unsent, open } = facts;
  node.dataset.state = state;
  setText(parts.state, state);
  // The request below says the same, in full.
  setText(parts.now, open.length > 0 ? "" : now);
  setText(parts.agent, agent);
  setText(parts.unsent, unsent > 0 ? `${unsent} unsent` : "");
  setText(parts.usd, usd > 0 ? `$${usd.toFixed(2)}` : "");
  parts.context.hidden = context === undefined;
  parts.context.value = context ?? 0;
  setText(parts.contextText, context === undefined ? "" : `${Math.round(context)} % context`);
  parts.screen.classList.toggle("none", !hasScreen);
  fillRequests(tile, facts, 1);
}

export function fillAge(tile, { since, until, state }) {
  const end = state === "limited" && until ? `until ${clock(until, false)}` : age(since);
  setText(tile.parts.since, end);
}

/** Drawn again only when they change: a person may be writing an answer. */
export function fillRequests(owner, { session, state, open, hint }, most = open.length) {
  const { requests, said } = owner.parts;
  const shown = open.slice(0, most);
  const key = JSON.stringify([shown, hint, state]);
  if (owner.requestsKey === key) return;
  owner.requestsKey = key;
  const done = (outcome) => tell(said, outcome);
  requests.replaceChildren(
    ...shown.map((request) => requestForm(session, request, done)),
    ...(state === "limited" || state === "failed" ? [goOn(session, state, done)] : []),
    ...(hint === undefined ? [] : [hintBox(hint)]),
  );
}

export function tell(place, { done, said }) {
  setText(place, said);
  place.classList.toggle("failed", !done);
  place.hidden = said === "";
}

/** A turn was stopped: the usual word sends Claude on. */
function goOn(session, state, done) {
  const button = element("button", {
    type: "button",
    title: 'Types "continue"',
    onclick: async () => {
      button.disabled = true;
      done(await act({ session, action: "type", text: "continue" }));
      button.disabled = false;
    },
  }, state === "limited" ? "Go on now" : "Continue");
  return element("p", { className: "row" }, button);
}

function hintBox({ say, run }) {
  if (run === undefined) return element("p", { className: "hint" }, say);
  const copy = element("button", {
    type: "button",
    className: "quiet",
    ariaLabel: `Copy: ${run}`,
    onclick: () => copied(copy, run),
  }, "Copy");
  return element(
    "div",
    { className: "hint" },
    element("p", {}, say),
    element("p", { className: "command" }, element("code", {}, run), copy),
  );
}
