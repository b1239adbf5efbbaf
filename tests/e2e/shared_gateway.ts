/** The real gateway that all stories of a run share, and the model behind it. */

import { AgentModel } from "../support/agent_model.ts";
import { inScene } from "../support/artefacts.ts";
import {
  type OpenClawOptions,
  type RealOpenClaw,
  startOpenClaw,
} from "../support/real_openclaw.ts";

/** One for all stories of a run, because its start is slow. */
export interface SharedGateway {
  gateway: RealOpenClaw;
  agentModel: AgentModel;
  close(): Promise<void>;
}

export async function openSharedGateway(
  agents: string[],
  options: Pick<OpenClawOptions, "program"> = {},
): Promise<SharedGateway> {
  const opened = Promise.withResolvers<SharedGateway>();
  const closing = Promise.withResolvers<void>();
  const whole = inScene("the gateway of the stories", async (scene) => {
    const agentModel = new AgentModel();
    scene.atEnd(() => agentModel.stop());
    const gateway = await startOpenClaw({ scene, modelUrl: agentModel.url, agents, ...options });
    for (const agent of agents) await gateway.createSession(agent);
    const close = async () => {
      closing.resolve();
      await whole;
    };
    opened.resolve({ gateway, agentModel, close });
    await closing.promise;
  });
  whole.catch(opened.reject);
  return await opened.promise;
}
