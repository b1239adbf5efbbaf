/** What a command says, with the guards of foreign text: one that speaks by this has them. */

import "./load_guards.ts";

export * from "./lines.ts";
