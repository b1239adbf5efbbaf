import { assertEquals } from "@std/assert";
import { main } from "../commands/log.ts";
import { journalFile, record } from "../lib/journal.ts";
import { moveFiles } from "../lib/sessions/kept_files.ts";
import { storyOf } from "../lib/story/read_story.ts";
import { StoryTail } from "../lib/story/story_tail.ts";
import { TestHome } from "./support/home.ts";
import { until } from "./support/until.ts";

/** A follower that has begun, and the journals that it follows. */
class Followed {
  readonly home = new TestHome();
  tail!: StoryTail;

  follow(): void {
    this.tail = new StoryTail(this.home.paths);
  }

  note(session: string, ...reasons: string[]): void {
    for (const reason of reasons) record(this.home.paths, { kind: "problem", session, reason });
  }

  join(from: string, to: string): void {
    moveFiles(this.home.paths, from, to);
  }

  next(): unknown[] {
    return this.tail.next().map(({ reason }) => reason);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.tail[Symbol.dispose]();
    await this.home[Symbol.asyncDispose]();
  }
}

Deno.test("log -f shows the last records of a full journal before the next one begins", async () => {
  await using followed = new Followed();
  followed.note("shop", "before");
  followed.follow();
  followed.note("shop", "the last");
  const path = journalFile(followed.home.paths, "shop");
  Deno.renameSync(path, `${path}.1`);
  assertEquals(followed.next(), ["the last"]);
  followed.note("shop", "the first");
  assertEquals(followed.next(), ["the first"]);
});

Deno.test("log -f repeats no journal that is joined again with one that was joined", async () => {
  await using followed = new Followed();
  for (const session of ["a", "b", "c"]) followed.note(session, `before, of ${session}`);
  followed.follow();
  followed.note("b", "news");
  followed.join("b", "c");
  assertEquals(followed.next(), ["news"]);
  followed.join("a", "c");
  followed.note("c", "more news");
  assertEquals(followed.next(), ["more news"]);
});

Deno.test("log -f loses nothing that is written while it reads and prints, and repeats nothing", async () => {
  await using followed = new Followed();
  const { paths } = followed.home;
  followed.note("shop", "before");
  followed.follow();
  followed.note("shop", "while it reads");
  const read = storyOf(paths, { since: 0 });
  followed.note("shop", "after it was read");
  assertEquals(read.length, 2);
  assertEquals(followed.tail.next(read).map(({ reason }) => reason), ["after it was read"]);

  const out: string[] = [];
  const ending = new AbortController();
  const running = main(["-f"], {
    paths,
    now: () => new Date(),
    width: () => undefined,
    end: ending.signal,
    warn: (line) => void out.push(line),
    say: (line) => {
      if (out.length === 0) followed.note("shop", "while it prints");
      out.push(line);
    },
  });
  await until("it is shown", () => out.some((line) => line.includes("while it prints")));
  ending.abort();
  assertEquals(await running, 130);
  assertEquals(out.slice(1).map((line) => line.split(/ {2,}/).at(-1)), [
    ...["before", "while it reads", "after it was read", "while it prints"],
  ]);
});

Deno.test("log -f repeats no joined journal to which a hook writes at that moment", async () => {
  await using followed = new Followed();
  followed.note("a", "before, of a");
  followed.note("b", "before, of b");
  followed.follow();
  using late = Deno.openSync(journalFile(followed.home.paths, "a"), { append: true });
  followed.join("a", "b");
  late.writeSync(new TextEncoder().encode('{"kind":"problem","session":"a","reason":"late"}\n'));
  assertEquals(followed.next(), ["late"]);
  assertEquals(followed.next(), []);
});
