/** A session as the fleet sees it, for tests of what shows it. */

import type { SessionView } from "../../lib/fleet/session_view.ts";

export function fleetView(session: string, more: Partial<SessionView> = {}): SessionView {
  return {
    ...{ session, agent_id: "warden", state: "idle", since: 0, now: "", evidence: "" },
    ...{ unsent: 0, dead: 0 },
    seen: {
      ...{ session, holds: "alive", isServerThere: true, pending: [], journal: [] },
      ...{ unsent: 0, dead: 0 },
    },
    ...more,
  };
}
