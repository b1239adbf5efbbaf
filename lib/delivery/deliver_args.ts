/** The words of a `deliver` call. */

export type DeliverOrder =
  | { kind: "help" }
  | { kind: "usage"; problem: string }
  | { kind: "serve" | "list" | "retry" | "drop"; wakeId?: string };

export interface DeliverOptions {
  order: DeliverOrder;
  agent?: string;
  /** The hook that started this process: serve the agents that it has claimed. */
  claimedBy?: string;
  all: boolean;
  once: boolean;
  json: boolean;
}

/**
 * By hand, not by `parseArgs`: the launcher runs with `--no-npm` and `--no-config`. Without these and
 * with that package, Deno's start takes 1.7 ms (10 %) longer, for every wake.
 */
export function readDeliverArgs(args: string[]): DeliverOptions {
  const options: DeliverOptions = {
    order: { kind: "serve" },
    all: false,
    once: false,
    json: false,
  };
  const wrong = (problem: string): DeliverOptions => ({
    ...options,
    order: { kind: "usage", problem },
  });
  const words = [...args];
  while (words.length > 0) {
    // `--agent=<id>` takes every id, also one that looks like an option.
    const [word, given] = split(words.shift()!);
    const value = () =>
      given ?? (words[0] !== undefined && !words[0].startsWith("--") ? words.shift() : undefined);
    if (given !== undefined && !WITH_VALUE.includes(word)) {
      return wrong(`"${word}=${given}" is not an option`);
    }
    if (word === "--help" || word === "-h") return { ...options, order: { kind: "help" } };
    else if (word === "--json") options.json = true;
    else if (word === "--once") options.once = true;
    else if (word === "--all") options.all = true;
    else if (ORDERS.includes(word) && options.order.kind !== "serve") {
      return wrong(`${word} does not go with --${options.order.kind}`);
    } else if (word === "--list") options.order = { kind: "list" };
    else if (word === "--agent") {
      options.agent = value();
      if (!options.agent) return wrong("--agent needs an agent's id");
    } else if (word === "--claimed") {
      options.claimedBy = value();
      if (options.claimedBy === undefined) return wrong("--claimed needs a number");
    } else if (word === "--retry" || word === "--drop") {
      options.order = { kind: word === "--retry" ? "retry" : "drop", wakeId: value() };
    } else return wrong(`deliver does not take "${word}"`);
  }
  const { order, all } = options;
  if (order.kind === "retry" || order.kind === "drop") {
    if (all === (order.wakeId !== undefined)) {
      return wrong(`--${order.kind} needs a wake id or --all`);
    }
  } else if (all) return wrong("--all goes with --retry or --drop");
  return options;
}

const ORDERS = ["--list", "--retry", "--drop"];

const WITH_VALUE = ["--agent", "--claimed", "--retry", "--drop"];

function split(arg: string): [word: string, value?: string] {
  const [, word, value] = /^(--\w+)=(.*)$/s.exec(arg) ?? [];
  return word === undefined ? [arg] : [word, value];
}
