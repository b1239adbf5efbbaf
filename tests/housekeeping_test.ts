import { assertEquals } from "@std/assert";
import { DAY } from "../lib/delivery/delivery.ts";
import { namesIn, writeAtomic } from "../lib/files.ts";
import { removeOldFiles } from "../lib/delivery/housekeeping.ts";
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
  lay("content/new.txt", 6);
  lay("dead/warden/old.json", 31);
  lay("outbox/warden/left.json.1-0.tmp", 1);
  Deno.utimeSync(`${state}/outbox/warden/${wake.wake_id}.json`, new Date(0), new Date(0));

  removeOldFiles(home.paths, Date.now());
  assertEquals(left("journal"), ["new.jsonl"]);
  assertEquals([left("replies"), left("dead/warden"), left("content")], [[], [], ["new.txt"]]);
  assertEquals(left("outbox/warden"), [`${wake.wake_id}.json`]);

  lay("replies/old.json", 2);
  removeOldFiles(home.paths, Date.now() + 60_000);
  assertEquals(left("replies"), ["old.json"], "not twice a day");
  removeOldFiles(home.paths, Date.now() - 400 * DAY);
  assertEquals(left("replies"), ["old.json"], "a clock that was set back makes nothing older");
  removeOldFiles(home.paths, Date.now() + 2 * DAY);
  assertEquals(left("replies"), []);
});
