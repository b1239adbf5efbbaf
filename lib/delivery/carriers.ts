/** By which transport a wake is delivered, and why. */

import type { Failed, TryOutcome } from "./delivery.ts";
import { writeAtomic } from "../files.ts";
import { addressOf, urlIn } from "./gateway_address.ts";
import { GatewayCarrier } from "./gateway_carrier.ts";
import type { CliCarrier } from "./openclaw.ts";
import { readGatewayTarget, type TargetReading } from "./openclaw_config.ts";
import type { QueuedWake } from "../outbox.ts";
import { type Env, type Paths, safeName } from "../paths.ts";
import { run } from "../process.ts";
import { type Reach, sharedReach } from "./reach.ts";
import { whyHeld } from "./socket_owner.ts";
import type { Transport } from "../registry.ts";

export interface CarrierWorld {
  paths: Paths;
  env: Env;
  /** The whole environment. The CLI gets the part that it needs. */
  allEnv(): Record<string, string>;
  now(): number;
}

/** One that delivers; "auto" chooses among these. */
export type UsedTransport = Exclude<Transport, "auto">;
export interface Tried {
  outcome: TryOutcome;
  transport?: UsedTransport;
  why: string;
}

/** The carriers of one agent, made when first needed and kept for later wakes. */
export class Carriers {
  private gateway: { carrier: GatewayCarrier; source: string } | undefined;
  private cli: CliCarrier | undefined;
  /** Why the gateway cannot be used at all, once that is known. */
  private gatewayUnfit: string | undefined;
  private reach: Reach | undefined;

  constructor(private readonly world: CarrierWorld) {}

  async deliver(wake: QueuedWake): Promise<Tried> {
    if (wake.transport === "inbox") return this.toInbox(wake);
    if (wake.openclaw_session_key === "" && wake.openclaw_session_id === "") {
      const reason = `Agent "${wake.agent_id}" has neither openclaw_session_key nor ` +
        `openclaw_session_id in the registry`;
      return { outcome: { kind: "never", reason }, why: "" };
    }
    if (wake.transport === "cli") return this.byCli(wake, "set in the registry");
    if (wake.transport === "gateway") {
      return later(await this.byGateway(wake, "set in the registry"));
    }
    if (this.gatewayUnfit === undefined) {
      const tried = await this.byGateway(wake, "auto");
      if (tried.outcome.kind !== "unfit") return tried;
      this.gatewayUnfit = tried.outcome.reason;
    }
    const tried = await this.byCli(wake, `auto, since ${this.gatewayUnfit}`);
    if (tried.outcome.kind !== "unfit") return tried;
    const reason =
      `Cannot reach OpenClaw: gateway: ${this.gatewayUnfit}; CLI: ${tried.outcome.reason}`;
    this.gatewayUnfit = undefined;
    return { outcome: { kind: "later", scope: "all", reason }, why: tried.why };
  }

  /** Closes connections. The next wake reads the config again. */
  close(): void {
    this.gateway?.carrier.close();
    this.gateway = undefined;
    this.gatewayUnfit = undefined;
  }

  private async byGateway(wake: QueuedWake, why: string): Promise<Tried> {
    if (this.gateway === undefined) {
      const reading = readGatewayTarget(this.world.env);
      if (reading.kind !== "target") return { outcome: notNow(reading), transport: "gateway", why };
      this.reach = sharedReach(this.world.paths, this.world.now(), this.reach);
      const carrier = new GatewayCarrier(reading.target, this.world.now, undefined, this.reach);
      this.gateway = { carrier, source: reading.target.source };
    }
    const outcome = await this.gateway.carrier.deliver(wake);
    const whyHere = `${why}: its address is in ${this.gateway.source}`;
    return { outcome, transport: "gateway", why: whyHere };
  }

  private async byCli(wake: QueuedWake, why: string): Promise<Tried> {
    const held = await this.whyNoCli();
    if (held !== undefined) return { outcome: held, transport: "cli", why };
    if (this.cli === undefined) {
      const program = this.world.env("GSD_OPENCLAW") ?? "openclaw";
      const { CliCarrier, cliEnv } = await loadCli();
      const env = cliEnv(this.world.allEnv());
      this.cli = new CliCarrier({
        program,
        now: this.world.now,
        folder: `${this.world.paths.state}/content`,
        run: (args, timeoutMs, more) =>
          run(program, args, {
            env: { ...env, ...more },
            timeoutMs,
            keepOnTimeout: true,
            cwd: "/",
          }),
      });
    }
    const tried = { outcome: await this.cli.deliver(wake), transport: "cli" as const, why };
    return wake.transport === "cli" ? later(tried) : tried;
  }

  /** OpenClaw's program sends the same token to the same address. */
  private async whyNoCli(): Promise<Failed | undefined> {
    const reading = readGatewayTarget(this.world.env);
    if (reading.kind === "moved") return notNow(reading);
    const url = urlIn(reading);
    const held = url === undefined ? undefined : await whyHeld(url, "listening");
    return held === undefined ? undefined : {
      kind: "later",
      scope: "all",
      reason: `Cannot use the gateway at ${addressOf(url!)}: ${held}`,
    };
  }

  private toInbox(wake: QueuedWake): Tried {
    const { paths } = this.world;
    writeAtomic(
      `${paths.state}/inbox/${safeName(wake.agent_id)}/${wake.wake_id}.txt`,
      wake.message,
      { durable: true }, // the wake is removed from the outbox next
    );
    const reply = Promise.resolve(
      { status: "failed", reason: "the inbox takes no replies" } as const,
    );
    return {
      outcome: { kind: "delivered", detail: "written", reply },
      transport: "inbox",
      why: "set in the registry",
    };
  }
}

function notNow({ kind, reason }: Exclude<TargetReading, { kind: "target" }>): Failed {
  return kind === "moved" ? { kind: "later", scope: "all", reason } : { kind: "unfit", reason };
}

/** A transport that the registry names has no fallback: it is tried again. */
function later(tried: Tried): Tried {
  return tried.outcome.kind === "unfit"
    ? { ...tried, outcome: { kind: "later", scope: "all", reason: tried.outcome.reason } }
    : tried;
}

// An address that Deno cannot see in advance: it is loaded only when needed.
function loadCli(): Promise<typeof import("./openclaw.ts")> {
  return import(new URL("./openclaw.ts", import.meta.url).href);
}
