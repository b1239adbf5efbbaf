import { inScene } from "../support/artefacts.ts";
import { VERSIONS } from "../support/real_programs.ts";
import { openSharedGateway, type SharedGateway } from "./shared_gateway.ts";
import { Stage } from "./stage.ts";
import { STORIES } from "./stories.ts";

const AGENTS = ["warden", "forge"];

/** Opened by the first story, so that a gateway that does not start is that story's failure. */
let opening: Promise<SharedGateway> | undefined;

Deno.test.afterAll(async () => {
  const shared = await opening?.catch(() => undefined);
  await shared?.close();
});

for (const version of VERSIONS.claude) {
  for (const story of STORIES) {
    const reason = story.notOn?.[version];
    Deno.test({
      name: `${version}: ${story.name}${reason ? ` (not played: ${reason})` : ""}`,
      ignore: reason !== undefined,
      // The gateway and both models work on between two stories.
      sanitizeOps: false,
      sanitizeResources: false,
      fn: () =>
        inScene(`${version} ${story.short}`, async (scene) => {
          const own = story.killsGateway ? await openSharedGateway(AGENTS) : undefined;
          try {
            const shared = own ?? await (opening ??= openSharedGateway(AGENTS));
            const { scenarios } = story;
            const stage = new Stage(scene, { shared, version, scenarios, ...story.options });
            shared.agentModel.answer = undefined;
            await story.play(stage, shared);
          } finally {
            await own?.close();
          }
        }),
    });
  }
}
