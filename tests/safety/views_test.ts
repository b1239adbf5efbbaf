/** What is not of a wake's fence, and what commands print: no words of Claude's choice, no secret. */

import { assertEquals, assertStringIncludes } from "@std/assert";
import { main as queueMain } from "../../commands/queue.ts";
import { commitsIn } from "../../lib/story/commits.ts";
import { queueFile } from "../../lib/steps_file.ts";
import { writeAtomic } from "../../lib/files.ts";
import { driverWorld } from "../support/driver_context.ts";
import { TestHome } from "../support/home.ts";

const TOKEN = ["ghp", "aB3dE5gH7jK9mN1pQrStUvWxYz0123456789"].join("_");

Deno.test("the list of a queue shows no secret of a step or of Claude's words", async () => {
  await using home = new TestHome();
  const at = "2026-11-17T12:00:00.000Z";
  const queue = {
    ...{ agent_id: "warden", next: 2, last: { text: `I used ${TOKEN}`, prompt_id: "p", at } },
    steps: [{
      ...{ n: 1, text: `Log in with ${TOKEN}`, by: "warden", by_kind: "agent", added_at: at },
      ...{ state: "done", result: `token: ${TOKEN}`, why: `${TOKEN} is old` },
    }],
  };
  const agents = [{ agent_id: "warden", tmux_session_name: "warden-main" }];
  Deno.writeTextFileSync(home.paths.registry, JSON.stringify({ agents }));
  writeAtomic(queueFile(home.paths, "warden-main"), JSON.stringify(queue));
  for (const form of [[], ["--json"]]) {
    const said: string[] = [];
    const say = (line: string) => void said.push(line);
    const world = driverWorld(home, { say, warn: say });
    await queueMain([...form, "warden-main", "list"], world);
    const text = said.join("\n");
    assertStringIncludes(text, "Log in with ghp_***");
    assertEquals(text.includes(TOKEN), false, text);
  }
});

Deno.test("the subject of a commit is shown without its secrets", async () => {
  await using home = new TestHome();
  const dir = `${home.dir}/repo`;
  Deno.mkdirSync(dir);
  const git = async (...args: string[]) =>
    await new Deno.Command("git", {
      args: ["-C", dir, "-c", "user.name=a", "-c", "user.email=a@b", ...args],
      clearEnv: true,
      env: { PATH: Deno.env.get("PATH")!, HOME: dir },
    }).output();
  await git("init", "-q");
  await git("commit", "-q", "--allow-empty", "-m", `ci: use ${TOKEN}`);
  const [commit] = await commitsIn(home.variable, dir, 0, Date.now() + 60_000);
  assertEquals(commit?.subject, "ci: use ghp_***");
});
