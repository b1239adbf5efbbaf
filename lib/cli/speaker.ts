/** The output of a command. To import it also loads the guards of foreign text. */

import "./load_guards.ts";

export * from "./lines.ts";
