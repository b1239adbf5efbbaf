/** Debian's Chromium without a window, over its own protocol. */

import { readTextIfThere } from "../../lib/files.ts";
import type { Scene } from "./artefacts.ts";
import { until } from "./until.ts";

const PROGRAMS = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

export function browserProgram(): string | undefined {
  const named = Deno.env.get("GSD_CHROMIUM");
  return [...(named ? [named] : []), ...PROGRAMS].find((path) => {
    try {
      return Deno.statSync(path).isFile;
    } catch {
      return false;
    }
  });
}

type Reply = { result?: Record<string, unknown>; error?: { message: string } };

/** The browser's end of its protocol. What is asked of a browser that has ended fails at once. */
class Connection {
  #next = 1;
  #ended: string | undefined;
  readonly #waiting = new Map<number, (reply: Reply) => void>();

  constructor(private readonly socket: WebSocket, why: () => string) {
    socket.addEventListener("message", ({ data }) => {
      const { id, ...reply } = JSON.parse(data);
      this.#waiting.get(id)?.(reply);
      this.#waiting.delete(id);
    });
    socket.addEventListener("close", () => {
      this.#ended = `Chromium has ended. ${why()}`.trim();
      for (const tell of this.#waiting.values()) tell({ error: { message: this.#ended } });
      this.#waiting.clear();
    });
  }

  /** `sessionId`: the page that is meant; without it the browser itself. */
  async call(
    method: string,
    params: Record<string, unknown> = {},
    sessionId?: string,
  ): Promise<Record<string, unknown>> {
    if (this.#ended !== undefined) throw new Error(`${method}: ${this.#ended}`);
    const id = this.#next++;
    const reply = await new Promise<Reply>((resolve) => {
      this.#waiting.set(id, resolve);
      this.socket.send(JSON.stringify({ id, method, params, sessionId }));
    });
    if (reply.error !== undefined) throw new Error(`${method}: ${reply.error.message}`);
    return reply.result ?? {};
  }

  /** Calls `take` with what the page reports. */
  listen(
    sessionId: string,
    take: (method: string, params: Record<string, unknown>) => void,
  ): void {
    this.socket.addEventListener("message", ({ data }) => {
      const message = JSON.parse(data);
      if (message.sessionId === sessionId && message.method) take(message.method, message.params);
    });
  }
}

export class Page {
  /** What went wrong in the page: errors, and what its own rules have blocked. */
  readonly problems: string[] = [];
  /** Every address that the page has asked for. */
  readonly requests: string[] = [];

  constructor(private readonly connection: Connection, private readonly sessionId: string) {
    connection.listen(sessionId, (method, params) => this.#take(method, params));
  }

  #take(method: string, params: Record<string, unknown>): void {
    if (method === "Runtime.exceptionThrown") this.problems.push(JSON.stringify(params));
    if (method === "Log.entryAdded") {
      const { entry } = params as { entry: { level: string; text: string } };
      if (entry.level === "error") this.problems.push(entry.text);
    }
    if (method === "Network.requestWillBeSent") {
      this.requests.push((params as { request: { url: string } }).request.url);
    }
  }

  call(method: string, params: Record<string, unknown> = {}): Promise<Record<string, unknown>> {
    return this.connection.call(method, params, this.sessionId);
  }

  async open(address: string): Promise<void> {
    const { errorText } = await this.call("Page.navigate", { url: address });
    if (errorText) throw new Error(`Chromium cannot open ${address}: ${errorText}`);
    await this.waitFor("the page to load", `document.readyState === "complete"`);
  }

  async size(width: number, height: number): Promise<void> {
    const mobile = width < 600;
    await this.call("Emulation.setDeviceMetricsOverride", {
      ...{ width, height, deviceScaleFactor: 1, mobile },
    });
  }

  async colours(scheme: "light" | "dark"): Promise<void> {
    const features = [{ name: "prefers-color-scheme", value: scheme }];
    await this.call("Emulation.setEmulatedMedia", { features });
  }

  /** The value of a JavaScript expression in the page. */
  async value<T>(expression: string): Promise<T> {
    const asked = { expression, returnByValue: true, awaitPromise: true };
    const { result, exceptionDetails } = await this.call("Runtime.evaluate", asked) as {
      result: { value: T };
      exceptionDetails?: { exception?: { description?: string } };
    };
    if (exceptionDetails !== undefined) {
      throw new Error(exceptionDetails.exception?.description ?? `cannot evaluate ${expression}`);
    }
    return result.value;
  }

  text(selector = "body"): Promise<string> {
    return this.value(`document.querySelector(${JSON.stringify(selector)})?.innerText ?? ""`);
  }

  async waitFor(what: string, expression: string): Promise<void> {
    await until(what, () => this.value<boolean>(`Boolean(${expression})`), {
      present: () => this.text().catch(String),
    });
  }

  /** Clicks the first button or link with that label, or first line of it, as a mouse does. */
  async click(label: string): Promise<void> {
    const find = `[...document.querySelectorAll("button, a")]
      .find((one) => one.offsetParent !== null && !one.disabled && one.innerText.trim().split("\\n")[0] === ${
      JSON.stringify(label)
    })`;
    await this.waitFor(`the button "${label}"`, find);
    await this.value(`${find}.scrollIntoView({ block: "center" })`);
    const box = await this.value<{ x: number; y: number }>(
      `(({ x, y, width, height }) => ({ x: x + width / 2, y: y + height / 2 }))` +
        `(${find}.getBoundingClientRect())`,
    );
    for (const type of ["mousePressed", "mouseReleased"]) {
      await this.call("Input.dispatchMouseEvent", { type, ...box, button: "left", clickCount: 1 });
    }
  }

  /** Presses a key as a keyboard does: `Tab`, `Enter`, `Escape`, `ArrowDown`, or one letter. */
  async press(key: string, modifiers = 0): Promise<void> {
    const codes: Record<string, number> = { Tab: 9, Enter: 13, Escape: 27, ArrowDown: 40, " ": 32 };
    const text = key === "Enter" ? "\r" : key.length === 1 ? key : undefined;
    const common = { key, modifiers, windowsVirtualKeyCode: codes[key] ?? key.charCodeAt(0) };
    await this.call("Input.dispatchKeyEvent", {
      type: "keyDown",
      ...common,
      ...(text === undefined || modifiers !== 0 ? {} : { text }),
    });
    await this.call("Input.dispatchKeyEvent", { type: "keyUp", ...common });
  }

  async write(text: string): Promise<void> {
    await this.call("Input.insertText", { text });
  }

  async screenshot(path: string): Promise<void> {
    const { data } = await this.call("Page.captureScreenshot", { format: "png" });
    Deno.writeFileSync(path, Uint8Array.from(atob(String(data)), (char) => char.charCodeAt(0)));
  }
}

/** A page in a browser of its own, which ends with the scene. */
export async function openPage(scene: Scene): Promise<Page> {
  const program = browserProgram();
  if (program === undefined) throw new Error("There is no Chromium: apt-get install chromium");
  const profile = `${scene.dir}/chromium-${crypto.randomUUID()}`;
  const said = `${scene.dir}/chromium-${crypto.randomUUID()}.log`;
  const log = Deno.openSync(said, { create: true, write: true });
  const child = new Deno.Command(program, {
    args: [
      ...["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"],
      ...["--disable-background-networking", "--disable-component-update", "--disable-sync"],
      ...["--remote-debugging-port=0", `--user-data-dir=${profile}`, "about:blank"],
    ],
    env: { HOME: scene.home },
    stdin: "null",
    stdout: "null",
    stderr: "piped",
  }).spawn();
  const writing = child.stderr.pipeTo(log.writable);
  let ended: Deno.CommandStatus | undefined;
  const ending = child.status.then((status) => ended = status);
  scene.atEnd(async () => {
    if (ended === undefined) child.kill("SIGKILL");
    await ending;
    await writing.catch(() => {}); // what it has started may hold its end of the pipe
  });
  const lastWords = () => (readTextIfThere(said) ?? "").slice(-500);
  const [port = "", path = ""] = await until("Chromium's port", () => {
    const lines = readTextIfThere(`${profile}/DevToolsActivePort`)?.split("\n") ?? [];
    return lines.length >= 2 ? lines : ended === undefined ? undefined : [];
  }, { present: lastWords });
  if (port === "") throw new Error(`Chromium ended with ${ended?.code}: ${lastWords()}`);
  const socket = new WebSocket(`ws://127.0.0.1:${port}${path}`);
  scene.atEnd(() => socket.close());
  await new Promise((resolve, reject) => {
    socket.addEventListener("open", resolve);
    socket.addEventListener("error", () => reject(new Error("Chromium refuses its protocol")));
  });
  const connection = new Connection(socket, lastWords);
  const { targetId } = await connection.call("Target.createTarget", { url: "about:blank" });
  const attaching = { targetId, flatten: true };
  const { sessionId } = await connection.call("Target.attachToTarget", attaching);
  const page = new Page(connection, String(sessionId));
  for (const domain of ["Page", "Runtime", "Log", "Network"]) await page.call(`${domain}.enable`);
  return page;
}
