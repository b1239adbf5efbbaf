/** What Claude asks, short enough for a line: the question and its options, or what it wants to do. */

/** `trigger`: of the wake whose words they are. A text of another form stays as it is. */
export function askedWords(trigger: string, text: string): string {
  if (trigger === "ask_user_question") return questionWords(text);
  if (trigger === "permission_prompt") return requestWords(text).text;
  // Of a question or of a dialog on the screen.
  return trigger === "unanswered" ? screenWords(questionWords(text)) : text;
}

/** What a dialog says, without its lines, Claude Code's tip and the choices. */
export function screenWords(text: string): string {
  return text.replace(/\nDo you want to [\s\S]*$/, "").replace(/^\s*Tip: .*\n/gm, "").replace(
    /[─╌╍━═]{4,}…?/g,
    "",
  ).trim();
}

const QUESTION = /^Question(?: \d+ of \d+)?(?: \[[^\]]*\])?: /;
const HOW = /^\((?:choose .*, or )?answer in your own words\)$/;

/** `Which database?  1 PostgreSQL  2 SQLite`; `questions.ts` has written it. */
function questionWords(text: string): string {
  if (!QUESTION.test(text)) return text;
  return text.split("\n").filter((line) => line !== "" && !HOW.test(line) && !isPreview(line))
    .map((line) => {
      const option = /^ {2}(\d+)\. ([^:]*)/.exec(line);
      if (option !== null) return `${option[1]} ${option[2]!.trim()}`;
      return line.replace(QUESTION, "").replace(/^ {2}\| /, "");
    }).join("  ");
}

function isPreview(line: string): boolean {
  return /^ {7}\|/.test(line);
}

const FIRST_FIELD = /^(?:command|file_path|notebook_path|path|url|plan):\s*/;

/** `Bash: make test`; `request_text.ts` has written it, or it was on the screen. */
export function requestWords(text: string): { text: string; isNamed: boolean } {
  const named = /^Claude asks for permission to use (.+)\n+([\s\S]*)$/.exec(text);
  if (named === null) {
    const screen = text.replace(/^Claude needs your permission[^\n]*\n+/, "");
    return { text: screenWords(screen), isNamed: false };
  }
  const [, tool, rest = ""] = named;
  const deciding = rest.replace(/(^|\n)description \(Claude's words\)[\s\S]*$/, "")
    .replace(FIRST_FIELD, "").replace(/^\| /gm, "").trim();
  return { text: deciding === "" ? tool! : `${tool}: ${deciding}`, isNamed: true };
}
