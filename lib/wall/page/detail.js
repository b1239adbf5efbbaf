/** One session opened: its story, its screen, what it asks, a box for an instruction. */

import { act, age, clock, copied, element, setText } from "./elements.js";
import { fillRequests, tell } from "./tiles.js";

const place = document.getElementById("detail");

export class Detail {
  #story = "";

  constructor(tile, screens) {
    const { session, attach } = tile;
    const isNarrow = matchMedia("(max-width: 800px)").matches;
    this.session = session;
    this.requestsKey = "";
    this.parts = {
      state: element("b", { className: "state" }),
      since: element("span", { className: "since" }),
      agent: element("span", { className: "agent" }),
      now: element("p", { className: "now" }),
      screen: element("div", { className: `screen ${isNarrow ? "short" : ""}` }),
      story: element("ol", { className: "story", tabIndex: 0, ariaLabel: "What happened" }),
      requests: element("div", { className: "requests" }),
      said: element("p", { className: "said", role: "status", hidden: true }),
    };
    const { parts } = this;
    const copy = element("button", {
      type: "button",
      className: "quiet",
      title: attach,
      onclick: () => copied(copy, attach),
    }, "Copy the attach line");
    const back = element("a", { className: "back", href: "#" }, "← All sessions");
    place.replaceChildren(
      element(
        "header",
        {},
        back,
        element("h2", {}, session, " ", parts.state),
        parts.since,
        parts.agent,
        copy,
      ),
      element(
        "div",
        { className: "halves" },
        element("div", { className: "past" }, element("h3", {}, "Story"), parts.story),
        element(
          "div",
          { className: "present" },
          parts.now,
          parts.requests,
          parts.said,
          element("h3", {}, "Screen"),
          parts.screen,
          this.#form(),
        ),
      ),
    );
    place.hidden = false;
    screens.showIn(session, parts.screen);
    back.focus();
  }

  #form() {
    const { session, parts } = this;
    const text = element("textarea", {
      id: "instruction",
      rows: 2,
      ariaLabel: `An instruction for ${session}`,
      placeholder: "An instruction for Claude",
      onkeydown: (event) =>
        event.key === "Enter" && (event.ctrlKey || event.metaKey) && give("type"),
    });
    const give = async (action) => {
      if (text.value.trim() === "") return text.focus();
      text.disabled = true;
      const outcome = await act({ session, action, text: text.value });
      text.disabled = false;
      if (outcome.done) text.value = "";
      tell(parts.said, outcome);
      text.focus();
      this.drawStory();
    };
    const button = (label, onclick, more = {}) =>
      element("button", { type: "button", onclick, ...more }, label);
    return element(
      "form",
      { className: "give", onsubmit: (event) => event.preventDefault() },
      text,
      element(
        "p",
        { className: "row" },
        button("Send", () => give("type"), { className: "main", title: "Ctrl+Enter" }),
        button("Queue", () => give("queue"), { title: "Claude reads it while it works" }),
        button("Esc", async () => tell(parts.said, await act({ session, action: "esc" })), {
          title: "Stops the running turn",
        }),
        element("span", { className: "keys" }, "i writes · Ctrl+Enter sends · Escape goes back"),
      ),
    );
  }

  fill(tile) {
    const { state, now, agent, context, usd, unsent, open } = tile;
    place.dataset.state = state;
    setText(this.parts.state, state);
    const facts = [
      agent,
      context === undefined ? "" : `${Math.round(context)} % context`,
      usd > 0 ? `$${usd.toFixed(2)}` : "",
      unsent > 0 ? `${unsent} unsent` : "",
    ];
    setText(this.parts.agent, facts.filter((part) => part !== "").join(" · "));
    setText(this.parts.now, open.length > 0 ? "" : now);
    fillRequests(this, tile);
    this.fillAge(tile);
    const key = JSON.stringify([state, now]);
    if (this.#story !== key) this.drawStory();
    this.#story = key;
  }

  fillAge({ since, until, state }) {
    const end = state === "limited" && until ? `until ${clock(until, false)}` : age(since);
    setText(this.parts.since, end);
  }

  async drawStory() {
    const { session, parts: { story } } = this;
    let lines;
    try {
      lines = await (await fetch(`story?session=${encodeURIComponent(session)}`)).json();
    } catch {
      return;
    }
    const isAtEnd = story.scrollTop + story.clientHeight >= story.scrollHeight - 30;
    const isFirst = story.children.length === 0;
    story.replaceChildren(...lines.map(({ at, who, kind, text, note, tone }) =>
      element(
        "li",
        { "data-tone": tone },
        element("time", { dateTime: at }, clock(at)),
        element(
          "p",
          {},
          element("span", { className: "who" }, who),
          " ",
          element("b", {}, kind),
          // Options of a question stand apart.
          text === "" ? "" : ` ${text.replaceAll("  ", " \u00a0 ")}`,
          element("small", {}, note === "" ? "" : ` ${note}`),
        ),
      )
    ));
    if (lines.length === 0) {
      story.append(element("li", { className: "hint" }, "Nothing happened in the last day."));
    }
    if (isAtEnd || isFirst) story.scrollTop = story.scrollHeight;
  }

  close() {
    place.hidden = true;
    place.replaceChildren();
  }
}
