/** The pages: short lines, links that lead somewhere, and names of things that exist. */

import { assert, assertEquals } from "@std/assert";
import { CHECKS } from "../commands/doctor.ts";
import { COMMANDS } from "../lib/cli/commands.ts";
import { HOOKS } from "../lib/install/hook_list.ts";
import { ROOT } from "../lib/paths.ts";
import { WORDS } from "../lib/story/happenings.ts";

const config = JSON.parse(Deno.readTextFileSync(`${ROOT}/deno.json`));

/** Every page of the project; recordings of other programs are not pages. */
function pages(folder = ""): string[] {
  return Array.from(Deno.readDirSync(`${ROOT}/${folder}`)).flatMap(({ name, isDirectory }) => {
    const path = `${folder}${name}`;
    if (!isDirectory) return name.endsWith(".md") ? [path] : [];
    return /^\.|^node_modules$/.test(name) || path === "tests/fixtures" ? [] : pages(`${path}/`);
  });
}

const read = (page: string) => Deno.readTextFileSync(`${ROOT}/${page}`);

Deno.test("every line of a page is under 120 characters", () => {
  assert(pages().length > 10);
  const long = pages().flatMap((page) => {
    // OpenClaw reads each field of the front matter as one line.
    const text = read(page).replace(/^---\n[^]*?\n---\n/, (front) => front.replace(/.+/g, ""));
    return text.split("\n").flatMap((line, index) =>
      [...line].length >= 120 ? [`${page}:${index + 1}`] : []
    );
  });
  assertEquals(long, []);
});

Deno.test("every link between pages leads to a file and a heading that are there", () => {
  const broken = pages().flatMap((page) =>
    linksIn(page).filter((link) => !leadsSomewhere(page, link)).map((link) => `${page}: ${link}`)
  );
  assertEquals(broken, []);
});

function linksIn(page: string): string[] {
  const text = read(page).replace(/^```[^]*?^```$/gm, "");
  return Array.from(text.matchAll(/\]\(([^)\s]+)\)/g), ([, link]) => link!)
    .filter((link) => !/^https?:/.test(link));
}

function leadsSomewhere(page: string, link: string): boolean {
  const [file = "", heading] = link.split("#");
  const target = file === "" ? page : new URL(file, `file:///${page}`).pathname.slice(1);
  try {
    Deno.statSync(`${ROOT}/${target}`);
  } catch {
    return false;
  }
  return heading === undefined || headingsOf(target).includes(heading);
}

/** As GitHub names them. */
function headingsOf(page: string): string[] {
  return Array.from(
    read(page).matchAll(/^#+ (.+)$/gm),
    ([, heading]) => heading!.toLowerCase().replace(/[^\p{L}\p{N} _-]/gu, "").replaceAll(" ", "-"),
  );
}

Deno.test("docs/README.md links every page", () => {
  const linked = linksIn("docs/README.md").map((link) => new URL(link, "file:///docs/").pathname);
  const missing = pages().filter((page) => page !== "docs/README.md")
    .filter((page) => !linked.includes(`/${page}`));
  assertEquals(missing, []);
});

Deno.test("every task that a page names is in deno.json", () => {
  const unknown = pages().flatMap((page) =>
    Array.from(read(page).matchAll(/\bdeno task (?:--\S+ \S+ )?([a-z][a-z0-9-]*)/g))
      .filter(([, task]) => config.tasks[task!] === undefined)
      .map(([whole]) => `${page}: ${whole}`)
  );
  assertEquals(unknown, []);
});

Deno.test("every command of gsd-code that a page names is there", () => {
  const known = ["help", ...COMMANDS.map(({ name }) => name)];
  const unknown = pages().flatMap((page) =>
    Array.from(read(page).matchAll(/(?:^|[`$(&*]| )gsd-code ([a-z][a-z-]*)/gm))
      .filter(([, command]) => !known.includes(command!)).map(([whole]) => `${page}:${whole}`)
  );
  assertEquals(unknown, []);
});

Deno.test("every file of the project that a page names is there", () => {
  const places = /`((?:hooks|lib|commands|config|bench|tests|types|docs)\/[\w./-]+|register\.ts)`/g;
  const missing = pages().flatMap((page) =>
    Array.from(read(page).matchAll(places), ([, path]) => path!)
      .filter((path) => path !== "config/recovery-registry.json") // the user's own
      .filter((path) => !isThere(path)).map((path) => `${page}: ${path}`)
  );
  assertEquals(missing, []);
});

Deno.test("every file that a page names without its folder is somewhere in the project", () => {
  const folders = ["bench", "commands", "config", "hooks", "lib", "tests", "types"];
  const names = new Set(
    ["register.ts", ...folders.flatMap(filesIn)].map((path) =>
      path.slice(path.lastIndexOf("/") + 1)
    ),
  );
  const named = pages().flatMap((page) =>
    Array.from(read(page).matchAll(/`(\w+\.ts)`/g), ([, name]) => ({ page, name: name! }))
  );
  assert(named.length > 20);
  const missing = named.filter(({ name }) => !names.has(name));
  assertEquals(missing.map(({ page, name }) => `${page}: ${name}`), []);
});

function isThere(path: string): boolean {
  try {
    Deno.statSync(`${ROOT}/${path}`);
    return true;
  } catch {
    return false;
  }
}

Deno.test("every function that ARCHITECTURE.md names is in the file beside it", () => {
  const named = [
    ...read("ARCHITECTURE.md").matchAll(/`([\w/]+\.ts)`(?::|\*\*,) `(\w+)(?:\(\))?`/g),
  ];
  assert(named.length > 15);
  const missing = named.filter(([, file, name]) => !new RegExp(`\\b${name}\\b`).test(read(file!)));
  assertEquals(missing.map(([whole]) => whole), []);
});

Deno.test("the examples of code in CONTRIBUTING.md are those of tests/examples, which are checked", () => {
  const page = read("CONTRIBUTING.md").replace(/^ {3}/gm, "");
  const blocks = Array.from(page.matchAll(/^```ts\n([^]*?)^```/gm), ([, code]) => code!);
  const asWritten = {
    "subagent_stop.ts": (path: string) => path.replace("../../lib/", "../lib/"),
    "disk_check.ts": (path: string) => path.replace("../../lib/doctor/", "./"),
  };
  const examples = Object.entries(asWritten).map(([name, written]) =>
    read(`tests/examples/${name}`).replace(/(?<=from ")[^"]+/g, written)
  );
  assertEquals(blocks, examples);
});

Deno.test("docs/hooks.md has a row for every hook", () => {
  const page = read("docs/hooks.md");
  const missing = HOOKS.filter(({ event, file }) =>
    !page.includes(`\n| ${event} | \`${file}\` | `)
  );
  assertEquals(missing.map(({ file }) => file), []);
});

Deno.test("docs/troubleshooting.md has a row for every check of doctor, in its order", () => {
  const table = read("docs/troubleshooting.md").split("| check | finds |\n")[1]!.split("\n\n")[0]!;
  const rows = Array.from(table.matchAll(/^\| (\w+) \|/gm), ([, check]) => check);
  assertEquals(rows, [...Object.keys(CHECKS), "speed"]);
});

Deno.test("every test that docs/testing.md says was seen red is there", () => {
  const section = read("docs/testing.md").split("## Broken on purpose\n")[1] ?? "";
  const named = Array.from(
    section.replaceAll("\n  ", " ").matchAll(/`([^`]+)`/g),
    ([, name]) => name!,
  )
    .filter((name) => name.split(" ").length > 4)
    // What these names begin with is put before them when they run.
    .map((name) => name.replace(/^(\w+\.ts (?=is silent)|the agent learns )/, ""));
  assert(named.length > 10);
  const tests = filesIn("tests").filter((path) => path.endsWith(".ts")).map(read).join("\n");
  assertEquals(named.filter((name) => !name.startsWith("golden:") && !tests.includes(name)), []);
});

/** What OpenClaw and the system say, as part of our messages. */
const NOT_OURS = [
  "AUTH_TOKEN_MISMATCH",
  "missing scope: operator.write",
  "Pending input ownership ended",
  "Permission denied",
];

Deno.test("docs/testing.md has a row for every file of stories", () => {
  const files = Array.from(Deno.readDirSync(`${ROOT}/tests/e2e`), ({ name }) => name)
    .flatMap((name) => /^(\w+)_e2e_test\.ts$/.exec(name)?.[1] ?? []);
  const rows = read("docs/testing.md").split("\n").filter((line) => line.startsWith("| `"));
  const cells = rows.map((row) => row.split("|")[1]!).join(" ");
  assertEquals(files.filter((name) => !cells.includes(`\`${name}\``)), []);
});

Deno.test("every message that docs/troubleshooting.md quotes is in the code", () => {
  const messages = quotedMessages();
  assert(messages.length > 30);
  const parts = messages.flatMap((message) => message.split(/…|"|\b60\b/))
    .map((part) => part.replace(/^[\s:;,.')(]+|[\s:;,.')(]+$/g, ""))
    .filter((part) => part.length > 8 && !NOT_OURS.includes(part));
  // A text over several lines of code is one text.
  const code = ["lib", "commands", "hooks"].flatMap(filesIn).map(read).join("\n")
    .replace(/["'`]\s*\+\s*\(?\s*["'`]/g, "");
  assertEquals(parts.filter((part) => !code.includes(part)), []);
});

/** What is in backquotes in the first column of the tables, but for commands and files. */
function quotedMessages(): string[] {
  const rows = read("docs/troubleshooting.md").matchAll(/^\| (.*?) \| /gm);
  return Array.from(rows, ([, first]) => first!).flatMap((first) =>
    Array.from(first.matchAll(/`([^`]+)`/g), ([, text]) => text!)
  ).filter((text) => text.includes(" ") && !/^(echo|tmux|gsd-code|deno) /.test(text));
}

function filesIn(folder: string): string[] {
  return Array.from(Deno.readDirSync(`${ROOT}/${folder}`)).flatMap(({ name, isDirectory }) =>
    isDirectory ? filesIn(`${folder}/${name}`) : [`${folder}/${name}`]
  );
}

Deno.test("docs/journal.md names every status of a step", () => {
  const row = /^\| `status` .*$/m.exec(read("docs/journal.md"))?.[0] ?? "";
  const steps = WORDS.filter((word) => word.startsWith("step ")).map((word) => word.slice(5));
  assertEquals(steps.filter((status) => !row.includes(status)), []);
});
