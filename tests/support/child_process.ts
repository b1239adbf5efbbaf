/** Programs that a test starts, feeds and listens to. */

export { type Ended, type Started, startProgram } from "../../lib/demo/child_process.ts";
