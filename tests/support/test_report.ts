/** The failed tests of a `deno test` run, from its JUnit report. */

export interface Failure {
  /** The test; a step of it follows after " > ". */
  name: string;
  file: string;
  message: string;
}

export function readFailures(report: string): Failure[] {
  const cases = report.matchAll(
    /<testcase name="([^"]*)" classname="([^"]*)"[^>]*>\s*<failure message="([^"]*)">/g,
  );
  return Array.from(cases, ([, name, file, message]) => ({
    name: unescape(name!),
    file: unescape(file!),
    message: unescape(message!).replace(/^Uncaught /, ""),
  }));
}

const LINE = 300;
const FIRST_LINES = 3;

/** Each failed test with the beginning of its message and the folder that was kept. */
export function tellFailures(failures: Failure[]): string {
  return failures.map(({ name, message }) => {
    const lines = message.split("\n").map((line) => line.trim()).filter((line) => line !== "");
    const kept = lines.filter((line, at) => at < FIRST_LINES || /^Panes, journal/.test(line));
    const short = kept.map((line) => line.length > LINE ? `${line.slice(0, LINE)}…` : line);
    return [`  ${name}`, ...short.map((line) => `    ${line}`)].join("\n");
  }).join("\n");
}

/** Whether a later run has run all of them: a filter that matches no test passes as well. */
export function playedAgain(failures: Failure[], report: string): boolean {
  const played = new Set(
    // A test that was skipped has no time.
    Array.from(
      report.matchAll(/<testcase name="([^"]*)"[^>]* time="/g),
      ([, name]) => unescape(name!),
    ),
  );
  return testsOf(failures).every((name) => played.has(name));
}

function testsOf(failures: Failure[]): string[] {
  return [...new Set(failures.map(({ name }) => name.split(" > ")[0]!))];
}

/** The arguments with which `deno test` runs the failed tests, whole, and only those. */
export function onlyThese(failures: Failure[]): string[] {
  const patterns = testsOf(failures).map((name) => name.replace(/[^A-Za-z0-9 ]/g, "."));
  return [`--filter=/^(${patterns.join("|")})$/`];
}

const ENTITIES: Record<string, string> = { lt: "<", gt: ">", amp: "&", quot: '"', apos: "'" };

function unescape(text: string): string {
  return text.replace(/&(lt|gt|amp|quot|apos);/g, (_, name) => ENTITIES[name]!)
    .replace(/&#(\d+);/g, (_, code) => String.fromCodePoint(Number(code)));
}
