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

export class Page {
  #next = 1;
  readonly #waiting = new Map<number, (reply: Reply) => void>();
  /** What went wrong in the page: errors, and what its own rules have blocked. */
  readonly problems: string[] = [];
  /** Every address that the page has asked for. */
  readonly requests: string[] = [];

  constructor(private readonly socket: WebSocket, private readonly sessionId: string) {
    socket.addEventListener("message", ({ data }) => this.#take(JSON.parse(data)));
  }

  #take(message: Reply & { id?: number; method?: string; params?: Record<string, unknown> }): void {
    if (message.id !== undefined) {
      this.#waiting.get(message.id)?.(message);
      this.#waiting.delete(message.id);
    } else if (message.method === "Runtime.exceptionThrown") {
      this.problems.push(JSON.stringify(message.params));
    } else if (message.method === "Log.entryAdded") {
      const { entry } = message.params as { entry: { level: string; text: string } };
      if (entry.level === "error") this.problems.push(entry.text);
    } else if (message.method === "Network.requestWillBeSent") {
      this.requests.push((message.params as { request: { url: string } }).request.url);
    }
  }

  async call(
    method: string,
    params: Record<string, unknown> = {},
  ): Promise<Record<string, unknown>> {
    const id = this.#next++;
    const reply = await new Promise<Reply>((resolve) => {
      this.#waiting.set(id, resolve);
      this.socket.send(JSON.stringify({ id, method, params, sessionId: this.sessionId }));
    });
    if (reply.error !== undefined) throw new Error(`${method}: ${reply.error.message}`);
    return reply.result ?? {};
  }

  async open(address: string): Promise<void> {
    await this.call("Page.navigate", { url: address });
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
      present: () => this.text(),
    });
  }

  /** Clicks the first button or link with that label, as a mouse does. */
  async click(label: string): Promise<void> {
    const find = `[...document.querySelectorAll("button, a")]
      .find((one) => one.offsetParent !== null && !one.disabled && one.innerText.trim() === ${
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
  const child = new Deno.Command(program, {
    args: [
      ...["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"],
      ...["--disable-background-networking", "--disable-component-update", "--disable-sync"],
      ...["--remote-debugging-port=0", `--user-data-dir=${profile}`, "about:blank"],
    ],
    env: { HOME: scene.home },
    stdin: "null",
    stdout: "null",
    stderr: "null",
  }).spawn();
  scene.atEnd(async () => {
    child.kill("SIGKILL");
    await child.status;
  });
  const [port = "", path = ""] = await until("Chromium's port", () => {
    const lines = readTextIfThere(`${profile}/DevToolsActivePort`)?.split("\n") ?? [];
    return lines.length >= 2 ? lines : undefined;
  });
  const socket = new WebSocket(`ws://127.0.0.1:${port}${path}`);
  scene.atEnd(() => socket.close());
  await new Promise((resolve, reject) => {
    socket.addEventListener("open", resolve);
    socket.addEventListener("error", reject);
  });
  return await attachedPage(socket);
}

async function attachedPage(socket: WebSocket): Promise<Page> {
  const asked = (id: number, method: string, params: Record<string, unknown>) =>
    new Promise<Record<string, unknown>>((resolve) => {
      const take = ({ data }: MessageEvent) => {
        const message = JSON.parse(data);
        if (message.id !== id) return;
        socket.removeEventListener("message", take);
        resolve(message.result);
      };
      socket.addEventListener("message", take);
      socket.send(JSON.stringify({ id, method, params }));
    });
  const { targetId } = await asked(-1, "Target.createTarget", { url: "about:blank" });
  const { sessionId } = await asked(-2, "Target.attachToTarget", { targetId, flatten: true });
  const page = new Page(socket, String(sessionId));
  for (const domain of ["Page", "Runtime", "Log", "Network"]) await page.call(`${domain}.enable`);
  return page;
}
