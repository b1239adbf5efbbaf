/** Small helpers. Text becomes text nodes only, so that no text can become HTML. */

/**
 * @param {string} name
 * @param {Record<string, unknown>} [properties]
 * @param {...(Node | string | undefined)} children
 */
export function element(name, properties = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (value === undefined || value === false) continue;
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (key in made && key !== "list") made[key] = value;
    else made.setAttribute(key, value === true ? "" : String(value));
  }
  made.append(...children.filter((child) => child !== undefined));
  return made;
}

/** Sets the text only where it differs: a screen reader repeats what is set again. */
export function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

/** How long ago, in one short word. */
export function age(since, now = Date.now()) {
  const seconds = Math.max(0, Math.round((now - Date.parse(since)) / 1000));
  if (Number.isNaN(seconds)) return "";
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 86_400) {
    return `${Math.floor(seconds / 3600)} h ${Math.floor(seconds / 60) % 60} min`;
  }
  return `${Math.floor(seconds / 86_400)} d`;
}

/** A time of day, as this browser writes it. */
export function clock(at, withSeconds = true) {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return "";
  const parts = { hour: "2-digit", minute: "2-digit", hour12: false };
  return date.toLocaleTimeString([], withSeconds ? { ...parts, second: "2-digit" } : parts);
}

/** Without a clipboard, as on a page that is not encrypted, the line is shown to be copied by hand. */
export async function copied(button, text) {
  try {
    await navigator.clipboard.writeText(text);
    setText(button, "Copied");
  } catch {
    setText(button, text);
  }
}

/** Asks the server to do something. Never throws: the outcome is a sentence for the person. */
export async function act(order) {
  try {
    const answer = await fetch("act", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(order),
    });
    const text = await answer.text();
    try {
      return JSON.parse(text);
    } catch {
      return { done: false, said: text };
    }
  } catch {
    return { done: false, said: "The wall does not answer. Is `gsd-code wall` still running?" };
  }
}
