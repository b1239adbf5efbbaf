import { inScene } from "../support/artefacts.ts";
import { VERSIONS } from "../support/real_programs.ts";
import { type House, openHouse } from "./house.ts";
import { Stage } from "./stage.ts";
import { STORIES } from "./stories.ts";

const AGENTS = ["warden", "forge"];

/** Opened by the first story, so that a gateway that does not start is that story's failure. */
let opening: Promise<House> | undefined;

Deno.test.afterAll(async () => {
  const house = await opening?.catch(() => undefined);
  await house?.close();
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
          const own = story.killsGateway ? await openHouse(AGENTS) : undefined;
          try {
            const house = own ?? await (opening ??= openHouse(AGENTS));
            const { scenarios } = story;
            const stage = new Stage(scene, { house, version, scenarios, ...story.options });
            house.agentModel.answer = undefined;
            await story.play(stage, house);
          } finally {
            await own?.close();
          }
        }),
    });
  }
}
