/** For commands: the guards of foreign text are there from the start. Hooks load them when needed. */

import * as guards from "../guards.ts";
import { useGuards } from "../fence.ts";

useGuards(guards);
