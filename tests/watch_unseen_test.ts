import { assertEquals } from "@std/assert";
import { idOf, remember, spawned, tmuxThat } from "./support/recovering.ts";
import { inSessionWorld } from "./support/session_world.ts";
import { says, watcher } from "./support/watching.ts";

for (const call of ["list-panes -a", "list-panes -s"]) {
  for (const isListed of [true, false]) {
    const known = isListed ? "is in Claude's list" : "is not in Claude's list";
    Deno.test(`watch that starts while tmux fails at ${call} reports no loss of what ${known}`, () =>
      inSessionWorld(async (world) => {
        const session = await spawned(world, "anvil");
        if (isListed) await says(world, session, { status: "idle" });
        const about = { session, agent_id: "anvil", claude_session_id: idOf(world, session) };
        remember(world, session, about);
        const tmux = world.variables.GSD_TMUX!;
        world.variables.GSD_TMUX = tmuxThat(
          world,
          tmux,
          `*"${call}"*) echo no answer >&2; exit 1;;`,
        );
        const { start, recovered } = watcher(world);
        const watch = start();
        for (const seconds of [0, 10, 40]) assertEquals(await watch.look(seconds), []);
        world.variables.GSD_TMUX = tmux;
        await watch.look(1);
        await world.killClaude(session);
        await watch.look(10);
        assertEquals(await watch.look(10), [`${session} lost`]);
        await watch.settled();
        assertEquals(recovered, ["anvil"]);
      }));
  }
}
