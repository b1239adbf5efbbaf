import { assertEquals, assertThrows } from "@std/assert";
import { appendLine, namesIn, withLock, writeAtomic } from "../lib/files.ts";
import { linesFromEnd } from "../lib/transcript.ts";

async function inDir(work: (dir: string) => void | Promise<void>): Promise<void> {
  const dir = await Deno.makeTempDir();
  try {
    await work(dir);
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
}

function readBack(text: string, limit = 1e9): string[] {
  const path = Deno.makeTempFileSync();
  try {
    Deno.writeTextFileSync(path, text);
    return Array.from(
      linesFromEnd(path, limit),
      (line) => (line.partial ? "partial:" : "") + line.text,
    );
  } finally {
    Deno.removeSync(path);
  }
}

const long = "ž🐎".repeat(50_000);

// deno-fmt-ignore
const FILES: Record<string, [text: string, lines: string[]]> = {
  "an empty file": ["", []],
  "lines": ["a\nb\nc\n", ["c", "b", "a"]],
  "empty lines between": ["a\n\n\nb\n", ["b", "", "", "a"]],
  "a last line without an end": ["a\nb", ["partial:b", "a"]],
  "one line without an end": ["abc", ["partial:abc"]],
  "a line over many chunks, characters across their borders": [`x${long}\n${long}\ny\n`, ["y", long, `x${long}`]],
};
for (const [title, [text, lines]] of Object.entries(FILES)) {
  Deno.test(`linesFromEnd() reads ${title}`, () => assertEquals(readBack(text), lines));
}

Deno.test("linesFromEnd() reads no further than it may, and gives no half line for a whole one", () => {
  assertEquals(readBack("first\nsecond\nthird\n", 10), ["third"]);
});

Deno.test("writeAtomic() makes missing folders, leaves no temporary file, keeps others out", () =>
  inDir((dir) => {
    writeAtomic(`${dir}/a/b/c.json`, "one");
    writeAtomic(`${dir}/a/b/c.json`, "two", { durable: true });
    assertEquals(Deno.readTextFileSync(`${dir}/a/b/c.json`), "two");
    assertEquals(namesIn(`${dir}/a/b`), ["c.json"]);
    assertEquals(Deno.statSync(`${dir}/a/b/c.json`).mode! & 0o777, 0o600);
    assertEquals(Deno.statSync(`${dir}/a`).mode! & 0o777, 0o700);
  }));

Deno.test("writeAtomic() leaves the old file when it cannot write the new one", () =>
  inDir((dir) => {
    Deno.mkdirSync(`${dir}/target`);
    assertThrows(() => writeAtomic(`${dir}/target`, "text"));
    assertEquals(namesIn(dir), ["target"]);
  }));

Deno.test("withLock() lets one process in, and reports busy to the other after its time", () =>
  inDir((dir) => {
    const lock = `${dir}/lock`;
    const started = performance.now();
    const outer = withLock(lock, 1000, () => withLock(lock, 100, () => "never"));
    assertEquals(outer, { kind: "done", value: { kind: "busy" } });
    const took = performance.now() - started;
    assertEquals(took >= 100, true, `${took} ms`);
    assertEquals(withLock(lock, 0, () => "free again"), { kind: "done", value: "free again" });
  }));

Deno.test("withLock() is free again when its holder is killed", () =>
  inDir(async (dir) => {
    const script = `${dir}/hold.ts`;
    const lock = `${dir}/lock`;
    await Deno.writeTextFile(
      script,
      `const f = Deno.openSync(${JSON.stringify(lock)}, { write: true, create: true });
       f.lockSync(true); console.log("held"); Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);`,
    );
    const holder = new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "--no-config", script],
      stdout: "piped",
    }).spawn();
    const reader = holder.stdout.getReader();
    await reader.read();
    assertEquals(withLock(lock, 50, () => 1).kind, "busy");
    holder.kill("SIGKILL");
    await holder.status;
    await reader.cancel();
    assertEquals(withLock(lock, 2000, () => 1).kind, "done");
  }));

Deno.test("appendLine() mixes no lines of several writers", () =>
  inDir(async (dir) => {
    const path = `${dir}/log/x.jsonl`;
    const module = new URL("../lib/files.ts", import.meta.url).href;
    const script = `${dir}/append.ts`;
    await Deno.writeTextFile(
      script,
      `import { appendLine } from ${JSON.stringify(module)};
       for (let i = 0; i < 50; i++) appendLine(${
        JSON.stringify(path)
      }, Deno.args[0].repeat(20_000));`,
    );
    appendLine(path, "0");
    await Promise.all(["a", "b", "c", "d"].map((letter) =>
      new Deno.Command(Deno.execPath(), { args: ["run", "-A", "--no-config", script, letter] })
        .output()
    ));
    const lines = Deno.readTextFileSync(path).trimEnd().split("\n").slice(1);
    assertEquals(lines.length, 200);
    assertEquals(
      lines.every((line) =>
        line.length === 20_000 && new Set(line).size === 1
      ),
      true,
    );
  }));

Deno.test("writeAtomic() with inFolder makes no folder that was deleted", () =>
  inDir((dir) => {
    const file = `${dir}/gone/wake.json`;
    assertThrows(() => writeAtomic(file, "x", { inFolder: true }), Deno.errors.NotFound);
    assertEquals(namesIn(dir), []);
    writeAtomic(file, "x");
    writeAtomic(file, "y", { inFolder: true });
    assertEquals(Deno.readTextFileSync(file), "y");
  }));
