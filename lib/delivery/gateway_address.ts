/** The gateway's address, and whether it is still the registered one. */

import type { TargetReading } from "./openclaw_config.ts";

/** Set by the launcher of the deliverer: the address of the registration. */
export const REGISTERED_GATEWAY = "GSD_GATEWAY";

/** Protocol, host and port only: a url may carry credentials. */
export function addressOf(url: string): string {
  try {
    const { protocol, host } = new URL(url);
    return `${protocol}//${host}`;
  } catch {
    return "an address that is not a url";
  }
}

/** The gateway's url, as far as it is known. */
export function urlIn(reading: TargetReading): string | undefined {
  if (reading.kind === "target") return reading.target.url;
  return reading.kind === "unreadable" ? reading.url : undefined;
}

/** Why the gateway gets no token: its address is not the registered one. Undefined where it is. */
export function whyMoved(
  registered: string | undefined,
  reading: TargetReading,
): string | undefined {
  const url = urlIn(reading);
  if (registered === undefined || url === undefined || addressOf(url) === registered) {
    return undefined;
  }
  const now = addressOf(url);
  return `OpenClaw's gateway was at ${registered} at the registration and is at ${now} now: ` +
    "wakes wait until you register again (gsd-code register)";
}
