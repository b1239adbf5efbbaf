/** Files that only some events need, by the names that `load()` takes. Types alone: it costs nothing. */

export interface LaterFiles {
  /** To let the agent fill in a form. */
  answer_form: typeof import("./answer_form.ts");
  /** To wait beside a dialog for the agent's answer. */
  answer_request: typeof import("./answer_request.ts");
  /** To know a question again when it is answered. */
  answered_id: typeof import("./answered_id.ts");
  /** To wait for the agent's decision on a wake. */
  bidirectional: typeof import("./bidirectional.ts");
  /** To close what was asked. */
  close_pending: typeof import("./close_pending.ts");
  /** Claude's words from the transcript and the screen. */
  content: typeof import("./content.ts");
  /** To start a deliverer. */
  deliverer: typeof import("./deliverer.ts");
  /** Why a turn failed. */
  failures: typeof import("./failures.ts");
  /** Whether a person has stopped the last turn. */
  interrupted: typeof import("./interrupted.ts");
  /** The wakes that wait for delivery. */
  outbox: typeof import("./outbox.ts");
  /** What the screen shows. */
  pane: typeof import("./pane.ts");
  /** Who gave Claude Code its prompt. */
  prompted: typeof import("./prompted.ts");
  /** The answers to AskUserQuestion. */
  question_answers: typeof import("./question_answers.ts");
  /** The steps that the session is to be given. */
  queue_turns: typeof import("./queue_turns.ts");
  /** The records of who did what. */
  records: typeof import("./records.ts");
  /** To hold a hook until the agent has replied. */
  reply_wait: typeof import("./reply_wait.ts");
  /** To wake the agent: the wake, and the lines that it shows. Some hooks only record. */
  sending: typeof import("./sending.ts");
  /** Reminders of a wake that was sent. */
  sent_before: typeof import("./sent_before.ts");
  /** What goes on after a turn. */
  still_running: typeof import("./still_running.ts");
  /** Commands of the session that Claude's words mention. */
  suggested: typeof import("./suggested.ts");
  /** To report a question. */
  tell_question: typeof import("./tell_question.ts");
  /** What was typed into the session, and what it has scheduled. */
  typed: typeof import("./typed.ts");
  /** How full the context is, and what it has cost. */
  usage: typeof import("./usage.ts");
}
