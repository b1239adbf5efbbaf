import type { Tmux } from "./tmux.ts";
import type { World } from "./world.ts";

export async function sendPrompt(
  tmux: Tmux,
  _world: World,
  at: { pane: string; session: string },
  text: string,
): Promise<{ kind: "sent" } | { kind: "failed"; reason: string }> {
  await tmux.call("set-buffer", "-b", "x", "--", text);
  await tmux.call("paste-buffer", "-p", "-d", "-b", "x", "-t", at.pane);
  await new Promise((r) => setTimeout(r, 500));
  await tmux.call("send-keys", "-t", at.pane, "Enter");
  return { kind: "sent" };
}
