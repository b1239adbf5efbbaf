/** Stories without OpenClaw: the agents read their wakes from their inboxes, and the watch runs. */

import { namesIn } from "../../lib/files.ts";
import { ROOT } from "../../lib/paths.ts";
import type { Scene } from "../support/artefacts.ts";
import { startProgram } from "../support/child_process.ts";
import { until } from "../support/until.ts";
import type { SharedGateway } from "./shared_gateway.ts";
import type { Stage } from "./stage.ts";

export const INBOX = { delivery: { transport: "inbox" } };

export function withoutGateway(scene: Scene): SharedGateway {
  const config = `${scene.dir}/openclaw.json`;
  Deno.writeTextFileSync(config, "{}");
  const gateway = { program: "/bin/false", config };
  return { gateway, agentModel: { requests: [] } } as unknown as SharedGateway;
}

function messages(stage: Stage, agent: string): string[] {
  const dir = `${stage.paths.state}/inbox/${agent}`;
  return namesIn(dir).map((name) => Deno.readTextFileSync(`${dir}/${name}`));
}

export function ofType(stage: Stage, type: string, agent = "anvil"): string[] {
  return messages(stage, agent).filter((text) => new RegExp(`\\btype: ${type}\\b`).test(text));
}

export function told(stage: Stage, type: string, part = "", agent = "anvil"): Promise<string> {
  return until(
    `the wake ${type} ${part}`,
    () => ofType(stage, type, agent).find((text) => text.includes(part)),
    { present: () => [messages(stage, agent), stage.journal(agent)] },
  );
}

/** The watch as systemd runs it, from its first look on; what kills it, as a power cut would. */
export async function startWatch(stage: Stage): Promise<() => Promise<unknown>> {
  const words = [Deno.execPath(), "run", "-A", "--quiet", `${ROOT}/commands/watch.ts`];
  const { child, done } = startProgram(words, stage.env);
  const kill = async () => {
    try {
      child.kill("SIGKILL");
    } catch {
      // It has ended.
    }
    return await done;
  };
  stage.scene.atEnd(kill);
  const looked = () => namesIn(`${stage.paths.state}/watch`).includes("memory.json");
  await until("the first look of the watch", looked);
  return kill;
}
