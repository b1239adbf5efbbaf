/** An open question or request, with what answers it. */

import { act, element } from "./elements.js";

/** `done`: called with the outcome of what was done. */
export function requestForm(session, request, done) {
  const box = element("form", {
    className: "request",
    onsubmit: (event) => event.preventDefault(),
  });
  const send = async (order) => {
    // One click, one answer: everything rests until it is known what became of it.
    const parts = [...box.elements];
    for (const part of parts) part.disabled = true;
    const outcome = await act({ session, question: request.id, ...order });
    for (const part of parts) part.disabled = false;
    done(outcome);
  };
  box.append(...(request.kind === "question" ? questions(request, send) : decision(request, send)));
  return box;
}

function questions({ questions }, send) {
  const [only] = questions;
  if (questions.length === 1 && !only.many) return [title(only), choices(only, send), own(send)];
  const fields = questions.map((question, at) => severalOf(question, at));
  const answers = () => fields.map((field) => field.answer());
  return [
    ...fields.map(({ node }) => node),
    element(
      "p",
      { className: "row" },
      button(
        "Send the answers",
        () => {
          const given = answers();
          const open = given.findIndex((answer) => answer === "");
          if (open >= 0) fields[open].focus();
          else send({ action: "answer", answers: given });
        },
        "",
        "main",
      ),
    ),
  ];
}

function title({ question }) {
  return element("p", { className: "asked" }, question);
}

function choices({ options }, send) {
  return element(
    "p",
    { className: "row choices" },
    ...options.map(({ label, description }, at) =>
      element(
        "button",
        { type: "button", onclick: () => send({ action: "choose", number: at + 1 }) },
        label,
        description ? element("small", {}, description) : undefined,
      )
    ),
  );
}

function own(send) {
  const text = element("input", {
    type: "text",
    ariaLabel: "Your own answer",
    placeholder: "Or in your own words",
    onkeydown: (event) => event.key === "Enter" && give(),
  });
  const give = () => {
    if (text.value.trim() !== "") send({ action: "answer", answers: [`text:${text.value}`] });
  };
  return element("p", { className: "row" }, text, button("Answer", give));
}

/** One of several questions, or one that takes several options. */
function severalOf(question, at) {
  const type = question.many ? "checkbox" : "radio";
  const boxes = question.options.map(({ label, description }) => {
    const input = element("input", { type, name: `question-${at}` });
    const words = element(
      "span",
      {},
      label,
      element("small", {}, description ? ` ${description}` : ""),
    );
    return { input, node: element("label", {}, input, words) };
  });
  const text = element("input", {
    type: "text",
    placeholder: "Or in your own words",
    ariaLabel: `Your own answer to: ${question.question}`,
  });
  const node = element(
    "fieldset",
    {},
    element("legend", {}, question.question),
    ...boxes.map((box) => box.node),
    text,
  );
  return {
    node,
    focus: () => (boxes[0]?.input ?? text).focus(),
    answer() {
      const chosen = boxes.flatMap(({ input }, index) => input.checked ? [String(index + 1)] : []);
      const words = text.value.trim() === "" ? [] : [`text:${text.value}`];
      return (question.many ? [...chosen, ...words] : words.length > 0 ? words : chosen).join(",");
    },
  };
}

function decision(request, send) {
  const shown = element("pre", { className: "asked", tabIndex: 0 }, request.text);
  if (request.why_not) return [shown, element("p", { className: "why" }, request.why_not)];
  const why = element("input", {
    type: "text",
    placeholder: "A word to Claude, with a refusal",
    ariaLabel: "A word to Claude, with a refusal",
  });
  return [
    shown,
    element(
      "p",
      { className: "row" },
      button("Allow", () => send({ action: "allow" }), "", "main"),
      button("Deny", () => send({ action: "deny", text: why.value })),
      why,
    ),
  ];
}

function button(label, onclick, hint, className) {
  const more = { title: hint || undefined, className };
  return element("button", { type: "button", onclick, ...more }, label);
}
