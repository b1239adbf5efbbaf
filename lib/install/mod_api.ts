/**
 * All that the mod uses of Claude Code's API, which is early access: what is not here, mod/ does not
 * call. doctor, spawn and the canary ask each version whether it has these.
 */

export const MOD_EVENTS = [
  "classic.PermissionRequest",
  "classic.Stop",
  "classic.StopFailure",
  "classic.UserPromptSubmit",
  "http.fetch",
  "prompt.submit",
  "session.end",
  "session.measure",
  "session.start",
  "turn.complete",
  "turn.start",
];

export const MOD_CALLS = [
  "$.clock.sleep",
  "$.command.list",
  "$.command.run",
  "$.http.fetch",
  "$.process.spawn",
  "$.prompt.read",
  "$.prompt.submit",
  "$.session.usage",
  "$.turn.abort",
  "$.ui.log",
  "$.ui.status",
];
