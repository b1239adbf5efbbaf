import { inScene } from "../support/artefacts.ts";
import { VERSIONS } from "../support/real_programs.ts";
import { type House, openHouse, Stage } from "./stage.ts";
import { STORIES } from "./stories.ts";

let house: House;

Deno.test.beforeAll(async () => {
  house = await openHouse(["warden", "forge"]);
});

Deno.test.afterAll(() => house.close());

for (const version of VERSIONS.claude) {
  for (const story of STORIES) {
    const reason = story.cannot?.[version];
    Deno.test({
      name: `${version}: ${story.name}${reason ? ` (it cannot: ${reason})` : ""}`,
      ignore: reason !== undefined,
      // The gateway and both models work on between two stories.
      sanitizeOps: false,
      sanitizeResources: false,
      fn: () =>
        inScene(`${version} ${story.short}`, async (scene) => {
          const { scenarios } = story;
          const stage = new Stage(scene, { house, version, scenarios, ...story.options });
          house.agentModel.answer = undefined;
          await story.play(stage, house);
        }),
    });
  }
}
