/** What hooks load, all of it, since every event of every session pays for it. */

import { assert, assertEquals } from "@std/assert";
import { namesIn } from "../lib/files.ts";
import { ROOT } from "../lib/paths.ts";

/** The addresses that a file imports or loads later; types cost nothing and do not count. */
function importsOf(path: string): string[] {
  const text = Deno.readTextFileSync(path).replace(/^\s*(\/\/|\*|\/\*).*$/gm, "")
    .replace(/typeof import\("[^"]*"\)/g, "").replace(/^(import|export) type [^;]*;/gm, "");
  const named = text.matchAll(/(?:from|^import|import\(|later\()\s*"([^"]+)"/gm);
  const loaded = Array.from(
    text.matchAll(/\bload\("([a-z_]+)"\)/g),
    ([, name]) => `${ROOT}/lib/${name}.ts`,
  );
  return [
    ...Array.from(named, (match) => match[1]!).filter((address) => address !== ".."),
    ...loaded,
  ];
}

function graphOf(entry: string, seen = new Set<string>()): Set<string> {
  if (seen.has(entry)) return seen;
  seen.add(entry);
  for (const address of importsOf(entry)) {
    if (/^[./]/.test(address)) graphOf(new URL(address, `file://${entry}`).pathname, seen);
    else seen.add(address);
  }
  return seen;
}

for (const hook of namesIn(`${ROOT}/hooks`)) {
  Deno.test(`hooks/${hook} loads files of lib/ alone, and nothing that is slow to start`, () => {
    const files = [...graphOf(`${ROOT}/hooks/${hook}`)].filter((file) =>
      !file.startsWith(`${ROOT}/hooks/`)
    );
    const strangers = files.filter((file) => !/^\/.*\/lib\/[a-z_0-9]+\.ts$/.test(file));
    assertEquals(strangers, []);
    const slow =
      /\b(setTimeout|setInterval|localeCompare|toLocaleString|Intl|Buffer)\b|(?<![/])\bprocess\./;
    const users = files.filter((file) => slow.test(code(file)));
    assertEquals(users, []);
  });
}

for (const hook of namesIn(`${ROOT}/hooks`)) {
  Deno.test(`hooks/${hook} imports the entry, lib/hook_utils.ts, and nothing else`, () => {
    // Types and what is loaded later count, too.
    const text = Deno.readTextFileSync(`${ROOT}/hooks/${hook}`);
    const addresses = Array.from(
      text.matchAll(/"(\.{1,2}\/[^"]*)"|import\(/g),
      ([all, one]) => one ?? all,
    );
    assertEquals(addresses, ["../lib/hook_utils.ts"]);
  });
}

Deno.test("the top of lib/ holds what hooks load, and nothing else", () => {
  const loaded = new Set<string>();
  // Types count here: they say what hooks work with.
  const withTypes = (path: string): void => {
    if (loaded.has(path)) return;
    loaded.add(path);
    for (const [, address] of Deno.readTextFileSync(path).matchAll(/"(\.{1,2}\/[a-z_/]+\.ts)"/g)) {
      withTypes(new URL(address!, `file://${path}`).pathname);
    }
  };
  for (const hook of namesIn(`${ROOT}/hooks`)) withTypes(`${ROOT}/hooks/${hook}`);
  const files = namesIn(`${ROOT}/lib`).filter((name) => name.endsWith(".ts"));
  assertEquals(files.filter((name) => !loaded.has(`${ROOT}/lib/${name}`)), []);
});

/**
 * The files that are the first to name another, in the order in which Deno loads them: each root with
 * all below it, level by level.
 */
function firstToName(roots: string[]): string[] {
  const known = new Set<string>();
  const first: string[] = [];
  for (const root of roots) {
    const queue = known.has(root) ? [] : [root];
    known.add(root);
    for (let file; (file = queue.shift()) !== undefined;) {
      const news = importedBy(file).filter((one) => !known.has(one));
      for (const one of news) known.add(one);
      queue.push(...news);
      if (news.length > 0) first.push(file);
    }
  }
  return first;
}

/** What Deno loads with a file; an import of types alone is not one. */
function importedBy(path: string): string[] {
  const text = code(path).replace(/^(import|export) type [^;]*;/gm, "")
    .replace(/^(import|export) \{(\s*type \w+,?)+\s*\} from "[^"]*";/gm, "");
  const addresses = Array.from(
    text.matchAll(/(?:from|^import)\s+"(\.[^"]+)"/gm),
    ([, one]) => one!,
  );
  return addresses.map((address) => new URL(address, `file://${path}`).pathname);
}

Deno.test("only small files are the first to name another: Deno parses their source maps", () => {
  const waiting = ["permission_request.ts", "elicitation.ts"]; // a dialog is open beside them
  const hooks = namesIn(`${ROOT}/hooks`).filter((name) => !waiting.includes(name));
  assert(hooks.length > 8);
  for (const hook of hooks) {
    const text = Deno.readTextFileSync(`${ROOT}/hooks/${hook}`);
    const loaded = Array.from(text.matchAll(/\bload\("([a-z_]+)"\)/g), ([, name]) => name);
    const roots = ["hook_tools", ...loaded, "guards"].map((name) => `${ROOT}/lib/${name}.ts`);
    const first = firstToName([`${ROOT}/hooks/${hook}`, ...roots]);
    assert(first.includes(`${ROOT}/lib/hook_utils.ts`));
    assertEquals(first.filter((file) => Deno.statSync(file).size > 6000), [], hook);
  }
});

/** What is loaded at the start. */
function staticGraph(path: string, loaded = new Set<string>()): Set<string> {
  if (loaded.has(path)) return loaded;
  loaded.add(path);
  const text = code(path).replace(/^(import|export) type [^;]*;/gm, "");
  for (const [, address] of text.matchAll(/(?:from|^import)\s+"([^"]+)"/gm)) {
    if (!address!.startsWith(".")) loaded.add(address!);
    else staticGraph(new URL(address!, `file://${path}`).pathname, loaded);
  }
  return loaded;
}

Deno.test("deliver.ts loads files of lib/ alone, and what few deliveries need only then", () => {
  const loaded = [...staticGraph(`${ROOT}/commands/deliver.ts`)];
  assertEquals(loaded.filter((file) => !file.startsWith(`${ROOT}/`)), []);
  assertEquals(loaded.filter((file) => LATER.test(file)), []);
});

Deno.test("watch.ts loads no package at its start: it runs for weeks, and they take 20 MB", () => {
  const loaded = [...staticGraph(`${ROOT}/commands/watch.ts`)];
  assertEquals(loaded.filter((file) => !file.startsWith(`${ROOT}/`)), []);
});

Deno.test("every command has the guards of foreign text from its start", () => {
  const commands = namesIn(`${ROOT}/commands`).map((name) => `commands/${name}`);
  const isReady = (file: string) =>
    staticGraph(`${ROOT}/${file}`).has(`${ROOT}/lib/cli/load_guards.ts`);
  const notReady = [...commands, "register.ts"].filter((file) => !isReady(file));
  // One runs for as long as Claude Code does, and makes wakes as hooks do: sendWake() loads them.
  // The other loads them while the gateway takes a wake, and before it records anything of others.
  assertEquals(notReady, ["commands/companion.ts", "commands/deliver.ts"]);
});

Deno.test("companion.ts loads files of lib/ alone", () => {
  const loaded = [...staticGraph(`${ROOT}/commands/companion.ts`)];
  assertEquals(loaded.filter((file) => !file.startsWith(`${ROOT}/`)), []);
  assertEquals(loaded.filter((file) => file.endsWith("/lib/guards.ts")), []);
});

Deno.test("what stays for days has no timer of Node: the first one takes 4 MB", () => {
  const files = ["companion", "watch"].flatMap((name) => [
    ...graphOf(`${ROOT}/commands/${name}.ts`),
  ]);
  assertEquals(files.filter((file) => /\bset(Timeout|Interval)\b/.test(code(file))), []);
});

Deno.test("deno.lock has the packages of deno.json alone; the browser is for stories alone", () => {
  // Deno downloads all that a lock file names, whatever is run.
  const packages = (path: string): Record<string, { integrity: string }> =>
    JSON.parse(Deno.readTextFileSync(`${ROOT}/${path}`)).npm;
  const ours = packages("deno.lock");
  const { imports } = JSON.parse(Deno.readTextFileSync(`${ROOT}/deno.json`));
  const named = Object.values<string>(imports).map((one) => /^npm:([^/]+)/.exec(one)![1]);
  assertEquals(Object.keys(ours).sort(), [...new Set(named)].sort());
  const all = packages("tests/e2e/deno.lock");
  assertEquals(
    Object.entries(ours).filter(([name, { integrity }]) => all[name]?.integrity !== integrity),
    [],
  );
  const loaders = [...filesBelow(ROOT)].filter((path) =>
    /^(import|\}).* from "npm:/m.test(code(path))
  );
  assertEquals(loaders, [`${ROOT}/tests/support/browser.ts`]);
});

/** Our sources, without fixtures. */
function* filesBelow(dir: string): Generator<string> {
  for (const { name, isDirectory } of Deno.readDirSync(dir)) {
    if (/^(\.|fixtures$|golden$)/.test(name)) continue;
    if (isDirectory) yield* filesBelow(`${dir}/${name}`);
    else if (/\.(ts|js)$/.test(name)) yield `${dir}/${name}`;
  }
}

const LATER = new RegExp(
  "/(openclaw|openclaw_words|deliver_by_hand|wake_list|table|housekeeping|guards|secret\\w*|" +
    "registry|release_holds|held_summary|new_wake|wake|noise)\\.ts$",
);

function code(file: string): string {
  return Deno.readTextFileSync(file).replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, "");
}
