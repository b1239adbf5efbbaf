/** The commits made in a session's folder. */

import { onPath } from "../doors/programs.ts";
import type { Env } from "../paths.ts";
import { run } from "../process.ts";
import { maskSecrets } from "../text.ts";
import type { Commit } from "./figures.ts";

const MOST_COMMITS = 500;
const TIMEOUT_MS = 10_000;

/**
 * The repository is Claude's: its settings must not name a program that we run. So there are no
 * hooks, no file system monitor, no pager, no signatures, no fetching of missing objects.
 */
const HARMLESS = [
  ...["-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c", "core.pager=cat"],
  ...["-c", "log.showSignature=false", "-c", "core.sshCommand=false", "-c", "protocol.allow=never"],
  "--no-pager",
];

const ENVIRONMENT = {
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_NO_LAZY_FETCH: "1",
  GIT_OPTIONAL_LOCKS: "0",
  GIT_TERMINAL_PROMPT: "0",
  LC_ALL: "C.UTF-8",
};

/** None where there is no repository, or no git in a trusted folder of PATH. */
export async function commitsIn(
  env: Env,
  folder: string,
  since: number,
  until: number,
): Promise<Commit[]> {
  const git = onPath(env, "git");
  if (git === undefined || !folder.startsWith("/")) return [];
  // git reads a small number as a day or an hour, not as seconds.
  const at = (ms: number) => new Date(Math.max(ms, 86_400_000)).toISOString().slice(0, 19) + "Z";
  const outcome = await run(git, [
    ...HARMLESS,
    ...["-C", folder, "log", "--branches", "HEAD", "--no-show-signature", "--no-mailmap"],
    ...[`--max-count=${MOST_COMMITS}`, "--format=%H%x09%ct%x09%s"],
    ...[`--since=${at(since)}`, `--until=${at(until + 1000)}`, "--"],
  ], {
    env: { ...ENVIRONMENT, HOME: "/nonexistent", PATH: env("PATH") ?? "" },
    timeoutMs: TIMEOUT_MS,
  });
  if (outcome.kind !== "finished" || outcome.code !== 0) return [];
  return outcome.stdout.split("\n").flatMap((line) => {
    const [hash = "", at, ...subject] = line.split("\t");
    return /^[0-9a-f]{40,64}$/.test(hash)
      ? [{ hash, at: Number(at) * 1000, subject: maskSecrets(subject.join("\t").slice(0, 200)) }]
      : [];
  });
}
