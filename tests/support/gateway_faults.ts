/** How the fake gateway fails. */

/** What happens to one request instead of its answer. */
export type Mishap =
  /** The connection breaks: before the request is read, or after the message is accepted. */
  | { kind: "dropBefore" }
  | { kind: "dropAfter"; crash?: boolean }
  | { kind: "unavailable" }
  /** "accepted", then UNAVAILABLE: the message is lost. */
  | { kind: "revoke"; afterMs: number }
  /** "accepted", then the connection breaks; all connections when it crashes. */
  | { kind: "break"; afterMs: number; kept: boolean; forgotten?: boolean; crash?: boolean }
  /** No answer, ever. */
  | { kind: "swallow"; kept: boolean }
  /** "accepted", and the agent takes long to finish. */
  | { kind: "slow"; afterMs: number }
  /** "accepted", after a turn that runs: in the history it is only queued. */
  | { kind: "queue" }
  /** "accepted", then UNAVAILABLE; kept: the agent has read it, and its model has failed. */
  | { kind: "fail"; kept: boolean }
  /** "accepted", then a person stops the agent: its end is no error, and its key keeps that end. */
  | { kind: "abort"; kept: boolean }
  /** Another answer than that of its method. */
  | { kind: "answer"; payload: Record<string, unknown> }
  | { kind: "error" };

export interface GatewayRequest {
  method: string;
  params: Record<string, string>;
  upMs: number;
}

export interface Faults {
  /** The share of requests with this fault, drawn from `random` for each request. */
  dropBefore?: number;
  dropAfter?: number;
  unavailable?: number;
  /** Accepted, then released, as after a restart during an agent's turn. */
  revoke?: number;
  slowMs?: number;
  random?: () => number;
  /** Decides for each request on an open connection, instead of `random`. */
  decide?: (request: GatewayRequest) => Mishap | undefined;
}
