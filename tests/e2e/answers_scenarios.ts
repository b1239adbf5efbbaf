/** What Claude asks in the stories about answers. */

import type { ModelRequest, Scenario, Step } from "../support/claude_model.ts";

export const DATABASE = {
  question: "Which database should we use?",
  header: "Database",
  multiSelect: false,
  options: [
    { label: "PostgreSQL", description: "Relational, robust" },
    { label: "SQLite", description: "Embedded, simple" },
    { label: "MongoDB", description: "Document store" },
  ],
};

const FEATURES = {
  question: "Which features do you want to enable?",
  header: "Features",
  multiSelect: true,
  options: [
    { label: "Auth", description: "Login and sessions" },
    { label: "Billing, invoices", description: "Payments" },
    { label: "Search", description: "Full text search" },
  ],
};

const LANGUAGE = {
  question: "Which language?",
  header: "Language",
  multiSelect: false,
  options: [
    { label: "TypeScript", description: "Typed" },
    { label: "Rust", description: "Systems" },
  ],
};

const LICENSE = {
  question: 'Which license, "quoted"?',
  header: "License",
  multiSelect: false,
  options: [
    { label: "MIT", description: "Permissive" },
    { label: "GPL", description: "Copyleft" },
  ],
};

const LAYOUT = {
  question: "Which layout?",
  header: "Layout",
  multiSelect: false,
  options: [
    { label: "Rows", description: "Stacked", preview: "+----+\n| r1 |\n+----+" },
    { label: "Cols", description: "Side by side", preview: "+--+--+\n|c1|c2|\n+--+--+" },
  ],
};

const PLAN = "# Plan\n1. Do A\n2. Do B";

const AGAIN = { command: "touch made-again", description: "Make a file" };

const ask = (...questions: unknown[]) => [{ tool: "AskUserQuestion", input: { questions } }];

export const SCENARIOS: Record<string, Scenario> = {
  hello: { say: "Good day." },
  slow: { say: "Slowly ".repeat(200), pieceMs: 200 },
  single: [{ say: ask(DATABASE) }, { say: "Thanks. SINGLE-END" }],
  multi: [{ say: ask(FEATURES) }, { say: "Thanks. MULTI-END" }],
  three: [{ say: ask(LANGUAGE, FEATURES, LICENSE) }, { say: "Thanks. THREE-END" }],
  preview: [{ say: ask(LAYOUT) }, { say: "Thanks. PREVIEW-END" }],
  twice: [{ say: ask(DATABASE) }, { say: ask(LANGUAGE) }, { say: "Thanks. TWICE-END" }],
  again: [{ say: ask(DATABASE) }, { say: ask(DATABASE) }, { say: "Thanks. AGAIN-END" }],
  bash: [
    {
      say: [{
        tool: "Bash",
        input: { command: "touch made-by-bash && echo ran-it", description: "Make a file" },
      }],
    },
    { say: "Ran. BASH-END" },
  ],
  bashtwice: [
    { say: [{ tool: "Bash", input: AGAIN }] },
    { say: [{ tool: "Bash", input: AGAIN }] },
    { say: "Tried. BASHTWICE-END" },
  ],
  plan: [
    { say: [{ tool: "ExitPlanMode", input: { plan: PLAN } }] },
    { say: "Planned. PLAN-END" },
  ],
  // Its first answer, the plan's file, is made from the request that names the file.
  written: [
    { say: "I write the plan." },
    { say: [{ tool: "ExitPlanMode", input: { plan: PLAN } }] },
    { say: "Planned. WRITTEN-END" },
  ],
};

/** A plan in the file that Claude Code names is shown with other rows than one without. */
export function writePlan({ scenario, prompt, body }: ModelRequest): Step | undefined {
  const file_path = /\/[^"\s\\]*\.claude\/plans\/[\w-]+\.md/.exec(JSON.stringify(body))?.[0];
  const isFirst = scenario === "written" && prompt.includes("SCENARIO:written");
  if (!isFirst || file_path === undefined) return undefined;
  return { say: [{ tool: "Write", input: { file_path, content: `${PLAN} ${Date.now()}\n` } }] };
}
