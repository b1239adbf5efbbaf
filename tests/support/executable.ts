/** Programs that a test writes and runs. */

/**
 * Written by another process. While this one had the file open, a program that another test starts
 * could inherit it for a moment, and running the file would fail: "Text file busy".
 */
export function writeExecutable(path: string, text: string): void {
  const script = 'printf %s "$1" >"$2.new" && chmod 755 "$2.new" && mv -f "$2.new" "$2"';
  const { success, stderr } = new Deno.Command("/bin/sh", {
    args: ["-c", script, "sh", text, path],
  }).outputSync();
  if (!success) throw new Error(`Cannot write ${path}: ${new TextDecoder().decode(stderr)}`);
}
