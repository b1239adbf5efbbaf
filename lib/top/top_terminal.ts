/** The terminal while `top` uses it. It is restored at every kind of end, also after kill -9. */

const ENTER = "\u001b[?1049h\u001b[?25l";
const LEAVE = "\u001b[?25h\u001b[?1049l";

/**
 * Restores the terminal when our end of its pipe closes without a word: after kill -9 no other
 * process can. `$1` is what leaves the screen. It has a session of its own, so that no signal meant
 * for us ends it too; the terminal is its standard output.
 */
const KEEPER = `exec 3>&1
saved=$(stty -g <&3 2>/dev/null) || exit 0
printf 'ready\\n' >&2
read -r word
[ "$word" = done ] && exit 0
stty "$saved" <&3 2>/dev/null
printf "$1"`;

export class TopTerminal {
  #keeper: Deno.ChildProcess | undefined;
  #word: WritableStreamDefaultWriter<Uint8Array> | undefined;
  #isOurs = false;

  /** Takes the terminal. */
  async enter(): Promise<void> {
    await this.#startKeeper();
    this.resume();
  }

  /** After another program had it. */
  resume(): void {
    Deno.stdin.setRaw(true);
    this.write(ENTER);
    this.#isOurs = true;
  }

  /** Gives it to another program. */
  suspend(): void {
    if (!this.#isOurs) return;
    this.#isOurs = false;
    this.write(LEAVE);
    Deno.stdin.setRaw(false);
  }

  /** Gives it back. */
  async leave(): Promise<void> {
    this.suspend();
    try {
      await this.#word?.write(new TextEncoder().encode("done\n"));
      await this.#word?.close();
      await this.#keeper?.status;
    } catch {
      // The keeper process has ended already: nothing is left to restore.
    }
  }

  /** What `draw` made, from the first line on. */
  show(lines: string[]): void {
    if (!this.#isOurs) return;
    // Each line is cleared as it is written, not the screen before: that would flicker.
    const drawn = lines.map((line) => `${line}\u001b[0m\u001b[K`).join("\r\n");
    this.write(`\u001b[H${drawn}\u001b[J`);
  }

  write(text: string): void {
    const bytes = new TextEncoder().encode(text);
    for (let at = 0; at < bytes.length;) at += Deno.stdout.writeSync(bytes.subarray(at));
  }

  async #startKeeper(): Promise<void> {
    const keeper = new Deno.Command("/bin/sh", {
      args: ["-c", KEEPER, "top", LEAVE.replaceAll("\u001b", "\\033")],
      stdin: "piped",
      stdout: "inherit",
      stderr: "piped",
      detached: true,
      cwd: "/",
      env: { PATH: "/usr/bin:/bin" },
      clearEnv: true,
    }).spawn();
    // Only once it knows how the terminal was may we change it.
    const reader = keeper.stderr.getReader();
    await reader.read();
    await reader.cancel();
    this.#keeper = keeper;
    this.#word = keeper.stdin.getWriter();
  }
}
