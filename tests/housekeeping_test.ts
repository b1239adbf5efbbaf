import { assertEquals } from "@std/assert";
import { DAY } from "../lib/delivery/delivery.ts";
import { namesIn, writeAtomic } from "../lib/files.ts";
import { keepWithin, removeOldFiles } from "../lib/delivery/housekeeping.ts";
import { DeliveryHome, put } from "./support/delivery_home.ts";

Deno.test("removeOldFiles() removes what is old, once a day, and never a wake that waits", async () => {
  await using home = new DeliveryHome();
  const { state } = home.paths;
  const wake = put(home.paths);
  const left = (dir: string) => namesIn(`${state}/${dir}`);
  const lay = (path: string, ageDays: number) => {
    writeAtomic(`${state}/${path}`, "x");
    const then = new Date(Date.now() - ageDays * DAY);
    Deno.utimeSync(`${state}/${path}`, then, then);
  };
  lay("journal/old.jsonl", 31);
  lay("journal/new.jsonl", 29);
  lay("replies/old.json", 2);
  lay("content/new.txt", 29);
  lay("content/old.txt", 31);
  lay("texts/warden-main/old.txt", 31);
  lay("texts/warden-main/new.txt", 29);
  lay("typed/warden-main.json", 8);
  lay("dead/warden/old.json", 31);
  lay("outbox/warden/left.json.1-0.tmp", 1);
  Deno.utimeSync(`${state}/outbox/warden/${wake.wake_id}.json`, new Date(0), new Date(0));

  await removeOldFiles(home.paths, Date.now());
  assertEquals(left("journal"), ["new.jsonl"]);
  assertEquals([left("replies"), left("dead/warden"), left("content")], [[], [], ["new.txt"]]);
  assertEquals([left("texts/warden-main"), left("typed")], [["new.txt"], []]);
  assertEquals(left("outbox/warden"), [`${wake.wake_id}.json`]);

  lay("replies/old.json", 2);
  await removeOldFiles(home.paths, Date.now() + 60_000);
  assertEquals(left("replies"), ["old.json"], "not twice a day");
  await removeOldFiles(home.paths, Date.now() - 400 * DAY);
  assertEquals(left("replies"), ["old.json"], "a clock that was set back makes nothing older");
  await removeOldFiles(home.paths, Date.now() + 2 * DAY);
  assertEquals(left("replies"), []);
});

Deno.test("keepWithin() removes the oldest texts where all together take too much room", async () => {
  await using home = new DeliveryHome();
  const folders = ["a", "b"].map((name) => `${home.paths.state}/texts/${name}`);
  const sizes = [["a/1", 40], ["b/2", 40], ["a/3", 40], ["b/4", 10]] as const;
  sizes.forEach(([name, size], index) => {
    const path = `${home.paths.state}/texts/${name}`;
    writeAtomic(path, "x".repeat(size));
    Deno.utimeSync(path, index, index);
  });
  keepWithin([...folders, "/no/such/folder"], 100);
  assertEquals(folders.map(namesIn), [["3"], ["2", "4"]]);
});
