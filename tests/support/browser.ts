/**
 * Debian's Chromium without a window, by puppeteer-core. Only stories may load this file: what it
 * needs is in `tests/e2e/deno.lock`, so that nobody else downloads it.
 */

// deno-lint-ignore no-import-prefix -- in deno.json everybody would download it
import puppeteer, { type KeyInput, type Page as Tab } from "npm:puppeteer-core@25.16.0";
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

export class Page {
  /** What went wrong in the page: errors, and what its own rules have blocked. */
  readonly problems: string[] = [];
  /** Every address that the page has asked for. */
  readonly requests: string[] = [];

  constructor(private readonly tab: Tab) {
    tab.on("pageerror", (error) => this.problems.push(String(error)));
    tab.on("console", (said) => said.type() === "error" && this.problems.push(said.text()));
    tab.on("request", (request) => this.requests.push(request.url()));
  }

  async open(address: string): Promise<void> {
    await this.tab.goto(address, { waitUntil: "load" });
  }

  /** To a phone's width or from it, the page is loaded again. */
  async size(width: number, height: number): Promise<void> {
    await this.tab.setViewport({ width, height, isMobile: width < 600 });
  }

  async colours(scheme: "light" | "dark"): Promise<void> {
    await this.tab.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
  }

  /** The value of a JavaScript expression in the page. */
  value<T>(expression: string): Promise<T> {
    return this.tab.evaluate(expression) as Promise<T>;
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
    const find = `[...document.querySelectorAll("button, a")].find((one) =>
      one.offsetParent !== null && !one.disabled &&
      one.innerText.trim().split("\\n")[0] === ${JSON.stringify(label)})`;
    await this.waitFor(`the button "${label}"`, find);
    await (await this.tab.evaluateHandle(find)).asElement()!.click();
  }

  /** Presses a key as a keyboard does: `Tab`, `Enter`, `Escape`, or one letter. */
  async press(key: KeyInput, held?: "Control" | "Shift"): Promise<void> {
    if (held) await this.tab.keyboard.down(held);
    await this.tab.keyboard.press(key);
    if (held) await this.tab.keyboard.up(held);
  }

  async write(text: string): Promise<void> {
    await this.tab.keyboard.sendCharacter(text);
  }

  async screenshot(path: string): Promise<void> {
    Deno.writeFileSync(path, await this.tab.screenshot());
  }
}

/** A page in a browser of its own, which ends with the scene. */
export async function openPage(scene: Scene): Promise<Page> {
  const executablePath = browserProgram();
  if (executablePath === undefined) {
    throw new Error("There is no Chromium: apt-get install chromium");
  }
  const browser = await puppeteer.launch({
    executablePath,
    args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-component-update"],
    userDataDir: `${scene.dir}/chromium-${crypto.randomUUID()}`,
    env: { HOME: scene.home },
    timeout: 120_000,
  });
  scene.atEnd(() => browser.close());
  return new Page(await browser.newPage());
}
