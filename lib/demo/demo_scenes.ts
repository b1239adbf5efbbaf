/** What the demo plays: events and screens in the form that Claude Code 2.1.325 gives them. */

export interface DemoScene {
  title: string;
  hook: string;
  event: Record<string, unknown>;
  screen: string;
  /** What the agent runs on reading it, and the hook through which it reaches Claude. */
  answer?: { words: string[]; hook: string; event: Record<string, unknown>; screen: string };
}

const LINE = "─".repeat(120);

function screen(...lines: string[]): string {
  return [" ▐▛███▛█   Claude Code v2.1.325", ...lines].join("\n");
}

function promptScreen(said: string[], status: string): string {
  return screen("", ...said, "", LINE, "❯ ", LINE, `  ${status}`, "  ⏵⏵ auto mode on");
}

const TURN = {
  session_id: "b8bcbc4f-36ea-4845-9009-9816a84f7866",
  transcript_path: "/home/dev/.claude/projects/-home-dev-app/demo.jsonl",
  cwd: "/home/dev/app",
  prompt_id: "00d93bb8-3429-4d4c-8db0-0a8a56ff9163",
  permission_mode: "auto",
};

const DONE = "All 42 tests pass. The cause was a missing index; I added a migration for it.";
const LIMITED =
  "API Error: Request rejected (429) · This request would exceed your account's rate " +
  "limit. Please try again later.";
const QUESTION = {
  question: "Which database should we use?",
  header: "Database",
  options: [
    { label: "PostgreSQL", description: "Relational, robust" },
    { label: "SQLite", description: "Embedded, simple" },
    { label: "MongoDB", description: "Document store" },
  ],
  multiSelect: false,
};
const ASK = {
  ...TURN,
  tool_name: "AskUserQuestion",
  tool_input: { questions: [QUESTION] },
};
const ANSWERED = {
  questions: [QUESTION],
  answers: { [QUESTION.question]: "SQLite" },
  annotations: {},
};
const ASK_SCREEN = screen(
  "❯ Set up the database",
  "",
  "● I need one decision.",
  "",
  LINE,
  " ☐ Database",
  "",
  "Which database should we use?",
  "",
  "❯ 1. PostgreSQL",
  "     Relational, robust",
  "  2. SQLite",
  "     Embedded, simple",
  "  3. MongoDB",
  "     Document store",
  "  4. Type something.",
  LINE,
  "  5. Chat about this",
  "",
  "Enter to select · ↑/↓ to navigate · Esc to cancel",
);
const ANSWERED_SCREEN = promptScreen(
  ["● User answered Claude's questions:", `  ⎿  · ${QUESTION.question} → SQLite`],
  "CTX 51% Opus 5.5",
);

export const DEMO_SCENES: DemoScene[] = [
  {
    title: "Claude finishes a turn",
    hook: "stop.ts",
    event: {
      ...TURN,
      hook_event_name: "Stop",
      prompt_id: "358dc6e4-5854-4da2-8b37-8734abad181a",
      stop_hook_active: false,
      last_assistant_message: `${DONE}\n\nShall I deploy?`,
      background_tasks: [],
    },
    screen: promptScreen([`● ${DONE}`, "", "  Shall I deploy?"], "CTX 50% Opus 5.5"),
  },
  {
    title: "Claude asks a question",
    hook: "pre_tool_use.ts",
    event: { ...ASK, hook_event_name: "PreToolUse", tool_use_id: "toolu_208404c2fb0714d7" },
    screen: ASK_SCREEN,
    answer: {
      words: ["warden-main", "choose", "2"],
      hook: "permission_request.ts",
      event: { ...ASK, hook_event_name: "PermissionRequest" },
      screen: ANSWERED_SCREEN,
    },
  },
  {
    title: "The question is answered",
    hook: "post_tool_use.ts",
    event: {
      ...ASK,
      hook_event_name: "PostToolUse",
      tool_use_id: "toolu_208404c2fb0714d7",
      tool_input: ANSWERED,
      tool_response: ANSWERED,
    },
    screen: ANSWERED_SCREEN,
  },
  {
    title: "A turn fails",
    hook: "stop_failure.ts",
    event: {
      ...TURN,
      hook_event_name: "StopFailure",
      error: "rate_limit",
      last_assistant_message: LIMITED,
    },
    screen: promptScreen([`● ${LIMITED}`], "CTX 52% Opus 5.5"),
  },
  {
    title: "Claude Code ends",
    hook: "session_end.ts",
    event: { ...TURN, hook_event_name: "SessionEnd", reason: "prompt_input_exit" },
    screen: promptScreen([], "CTX 52% Opus 5.5"),
  },
];
