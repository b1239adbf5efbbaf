/** What every hook works with, by name. */

export { backgroundTasks, textOf } from "./events.ts";
export { contextFrom, loadReading, loadWaiting } from "./hook_context.ts";
export { record } from "./journal.ts";
export {
  formatAnswers,
  formatQuestions,
  questionId,
  readAnswers,
  readQuestions,
} from "./questions.ts";
export { sendWake } from "./send_wake.ts";
export { rememberSession } from "./session_memory.ts";
export { actions, pressureLine } from "./situation.ts";
export { oneLine } from "./text.ts";
