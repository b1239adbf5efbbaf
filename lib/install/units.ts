/** The texts of our systemd units, from their templates. */

import { hasControls } from "./safe_places.ts";

export const UNITS = ["gsd-recover.service", "gsd-watch.service"] as const;

/** Units of earlier versions: the watch does what they did. */
export const OLD_UNITS = ["gsd-redeliver.timer", "gsd-redeliver.service"] as const;

export const UNIT_MARK = "# Made by install-units of gsd-code-skill";

export interface UnitValues {
  /** The folder of the launchers. */
  bin: string;
  environment: Record<string, string>;
}

/** Throws for a value with a line end: it would add lines to the unit. */
export function unitText(template: string, values: UnitValues): string {
  const all = { bin: values.bin, ...values.environment };
  const odd = Object.entries(all).find(([, value]) => hasControls(value));
  if (odd !== undefined) {
    throw new Error(`${odd[0]} is ${JSON.stringify(odd[1])}, which holds a control character`);
  }
  const environment = Object.entries(values.environment)
    .map(([name, value]) => `Environment=${quoted(`${name}=${value}`)}`).join("\n");
  return template.replace(
    /@(BIN|ENVIRONMENT)@(\S*)/g,
    (_, name: string, rest: string) => name === "BIN" ? word(values.bin + rest) : environment,
  );
}

/** A word of ExecStart: quoted where it needs to be, with % and $ taken literally. */
function word(text: string): string {
  const plain = text.replaceAll("%", "%%").replaceAll("$", "$$$$");
  return /^[\w@%+=:,./$-]+$/.test(plain) ? plain : `"${escaped(plain)}"`;
}

function quoted(text: string): string {
  return `"${escaped(text.replaceAll("%", "%%"))}"`;
}

function escaped(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll('"', '\\"');
}
