/** The texts of our systemd units, from their templates. */

import { hasControls } from "./safe_places.ts";

export const UNITS = [
  "gsd-recover.service",
  "gsd-redeliver.service",
  "gsd-redeliver.timer",
] as const;

/** What is switched on; the redelivery service is the timer's. */
export const ENABLED = ["gsd-recover.service", "gsd-redeliver.timer"] as const;

export const UNIT_MARK = "# Made by install-units of gsd-code-skill";

export interface UnitValues {
  /** The folder of the launchers. */
  bin: string;
  state: string;
  environment: Record<string, string>;
}

/** Throws for a value with a line end: it would add lines to the unit. */
export function unitText(template: string, values: UnitValues): string {
  const all = { bin: values.bin, state: values.state, ...values.environment };
  const odd = Object.entries(all).find(([, value]) => hasControls(value));
  if (odd !== undefined) {
    throw new Error(`${odd[0]} is ${JSON.stringify(odd[1])}, which holds a control character`);
  }
  const environment = Object.entries(values.environment)
    .map(([name, value]) => `Environment=${quoted(`${name}=${value}`)}`).join("\n");
  return template.replace(
    /@(BIN|STATE|ENVIRONMENT)@(\S*)/g,
    (_, name: string, rest: string) => {
      switch (name) {
        case "BIN":
          return word(values.bin + rest);
        case "STATE":
          // A condition takes the rest of its line as it is: there % is special, and what a glob is.
          return values.state.replaceAll("%", "%%").replace(/[\\*?[\]]/g, "\\$&") + rest;
        default:
          return environment;
      }
    },
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
