/** Whether the gateway listens. Nothing is sent to it. */

import type { Env } from "../paths.ts";
import { TIME_IS_UP, within } from "../time.ts";
import { readGatewayTarget } from "./openclaw_config.ts";

export type GatewayState = "up" | "down" | "not set up";

const WAIT_MS = 1000;

export async function gatewayState(env: Env): Promise<GatewayState> {
  const reading = readGatewayTarget(env);
  if (reading.kind !== "target") return "not set up";
  const { hostname, port, protocol } = new URL(reading.target.url);
  const isTls = protocol === "wss:" || protocol === "https:";
  const address = {
    hostname: hostname.replace(/^\[|\]$/g, ""),
    port: Number(port || (isTls ? 443 : 80)),
  };
  const connecting = Deno.connect(address).then(
    (connection) => {
      connection.close();
      return "up" as const;
    },
    () => "down" as const,
  );
  const state = await within(connecting, WAIT_MS);
  return state === TIME_IS_UP ? "down" : state;
}
