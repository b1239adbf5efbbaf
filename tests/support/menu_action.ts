/** Carries out an action of the menu driver on recorded screens. */

import { openPending, type Pending, takeAnswer } from "../../lib/answers.ts";
import type { ActionResult, DriverContext } from "../../lib/driver/driver_context.ts";
import { driverContext } from "./driver_context.ts";
import { FakePane } from "./fake_pane.ts";
import { fixturePane } from "./fixtures.ts";
import { TestHome } from "./home.ts";

/** The recorded screens that follow one another, each after one more key. */
export function playing(...screens: string[]): FakePane {
  return new FakePane((sent) => {
    const keys = sent === "" ? 0 : sent.split(" ").length;
    return fixturePane(screens[Math.min(keys, screens.length - 1)]!);
  });
}

export interface Asking {
  pending?: Pending[];
  context?: Partial<DriverContext>;
}

/** Carries out an action on those screens; a waiting hook takes its answer at once. */
export async function act(
  pane: FakePane,
  action: (context: DriverContext) => Promise<ActionResult>,
  { pending = [], context = {} }: Asking = {},
): Promise<{ said: string; sent: string[]; journal: Record<string, unknown>[] }> {
  await using home = new TestHome();
  for (const one of pending) {
    openPending(home.paths, one);
    pane.clock.at(20, () => takeAnswer(home.paths, one));
  }
  const result = await action(driverContext(pane, { paths: home.paths, ...context }));
  const said = result.kind === "done" ? result.said : `refused: ${result.reason}`;
  return { said, sent: pane.sent, journal: home.journal() };
}
