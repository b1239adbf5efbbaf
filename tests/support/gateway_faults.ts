/** How the fake gateway fails. */

/** What becomes of one request instead of its answer. */
export type Mishap =
  /** The connection breaks: before the request is looked at, or once the message is taken. */
  | { kind: "dropBefore" }
  | { kind: "dropAfter"; crash?: boolean }
  | { kind: "unavailable" }
  /** "accepted", and UNAVAILABLE some moments later: the message is gone. */
  | { kind: "revoke"; afterMs: number }
  /** "accepted", and the connection breaks some moments later; all of them, when it crashes. */
  | { kind: "break"; afterMs: number; kept: boolean; forgotten?: boolean; crash?: boolean }
  /** No answer, ever. */
  | { kind: "swallow"; kept: boolean }
  /** An agent that is long at work: "accepted", and its end comes late. */
  | { kind: "slow"; afterMs: number }
  /** "accepted", behind a turn that runs: in the history it is only queued. */
  | { kind: "queue" }
  | { kind: "error" };

export interface GatewayRequest {
  method: string;
  params: Record<string, string>;
  upMs: number;
}

export interface Faults {
  /** Each drawn from `random` anew: the share of requests that meet this end. */
  dropBefore?: number;
  dropAfter?: number;
  unavailable?: number;
  /** Accepted, and let go again some moments later, as after a start in an agent's turn. */
  revoke?: number;
  slowMs?: number;
  random?: () => number;
  /** Decides for each request after the connection was made, in place of chance. */
  decide?: (request: GatewayRequest) => Mishap | undefined;
}
