/** All stories. Each is played on every version. */

import { HARD_DAYS } from "./stories_hard.ts";
import { TURNS } from "./stories_turns.ts";

export const STORIES = [...TURNS, ...HARD_DAYS];
