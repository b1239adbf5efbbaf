/** The texts of our systemd units, from their templates. */

export const UNITS = [
  "gsd-recover.service",
  "gsd-redeliver.service",
  "gsd-redeliver.timer",
] as const;

/** What is switched on; the redelivery service is the timer's. */
export const ENABLED = ["gsd-recover.service", "gsd-redeliver.timer"] as const;

export const UNIT_MARK = "# Made by install-units of gsd-code-skill";

export interface UnitValues {
  deno: string;
  root: string;
  state: string;
  environment: Record<string, string>;
}

export function unitText(template: string, values: UnitValues): string {
  const environment = Object.entries(values.environment)
    .map(([name, value]) => `Environment=${quoted(`${name}=${value}`)}`).join("\n");
  return template.replace(
    /@(DENO|ROOT|STATE|ENVIRONMENT)@(\S*)/g,
    (_, name: string, rest: string) => {
      switch (name) {
        case "DENO":
          return word(values.deno);
        case "ROOT":
          return word(values.root + rest);
        case "STATE":
          // A condition takes the rest of its line as it is: only % is special there.
          return values.state.replaceAll("%", "%%") + rest;
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
  return text.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
}
