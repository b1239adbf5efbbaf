/** Stands in for the hooks of one session: writes wakes and starts a deliverer after each. */

import { aWake } from "./delivery_home.ts";
import { claimStart, enqueue } from "../../lib/outbox.ts";
import { pathsFrom, ROOT } from "../../lib/paths.ts";
import { pause } from "./until.ts";

const [agentId, session, count, start] = Deno.args as [string, string, string, string];
const paths = pathsFrom((name) => Deno.env.get(name), ROOT);
for (let n = 0; n < Number(count); n++) {
  const wake = aWake({
    agent_id: agentId,
    session,
    openclaw_session_key: `agent:${agentId}:main`,
  });
  enqueue(paths, wake);
  // Print the id last: only a printed wake counts as accepted.
  const told = { wake_id: wake.wake_id, created: Date.parse(wake.created_at), written: Date.now() };
  let pid: number | undefined;
  if (start === "start" && claimStart(paths, agentId)) {
    const child = new Deno.Command(Deno.execPath(), {
      args: [
        "run",
        "-A",
        "--quiet",
        `${ROOT}/commands/deliver.ts`,
        "--agent",
        agentId,
        "--claimed",
        "1",
      ],
      detached: true,
      stdin: "null",
      stdout: "null",
      stderr: "null",
    }).spawn();
    child.unref();
    pid = child.pid;
  }
  Deno.stdout.writeSync(new TextEncoder().encode(JSON.stringify({ ...told, pid }) + "\n"));
  await pause(3);
}
Deno.exit(0);
