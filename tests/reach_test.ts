import { assertEquals } from "@std/assert";
import { Carriers } from "../lib/delivery/carriers.ts";
import { GatewayCarrier } from "../lib/delivery/gateway_carrier.ts";
import { sharedReach } from "../lib/delivery/reach.ts";
import { aWake, DeliveryHome } from "./support/delivery_home.ts";
import { startFakeGateway } from "./support/fake_gateway.ts";
import { TestHome } from "./support/home.ts";
import { ODD } from "./support/odd_files.ts";

Deno.test("sharedReach() lets the next deliverer watch a gateway that has dropped a wake", async () => {
  await using home = new TestHome();
  const gateway = await startFakeGateway({ sessions: { "agent:warden:main": "id-1" } });
  const target = { url: gateway.url, token: "fake-token", source: "" };
  let now = Date.now();
  gateway.faults.decide = ({ method }) =>
    method === "agent" ? { kind: "revoke", afterMs: 1 } : undefined;
  const outcomeAfter = async (ms: number, reach = sharedReach(home.paths, now + ms)) => {
    now += ms;
    const carrier = new GatewayCarrier(target, () => now, 500, reach);
    try {
      return (await carrier.deliver(aWake())).kind;
    } finally {
      carrier.close();
    }
  };
  try {
    assertEquals(await outcomeAfter(0), "delivered", "nobody has seen it drop a wake");
    const young = { ...sharedReach(home.paths, now), failedAt: now };
    assertEquals(await outcomeAfter(0, young), "later");
    assertEquals(await outcomeAfter(100_000), "later", "as the deliverer before it has seen");
    assertEquals(await outcomeAfter(121_000), "delivered", "it is steady again");
  } finally {
    await gateway.stop();
  }
});

Deno.test("Carriers that live on learn at each connection what other deliverers have seen", async () => {
  await using home = new DeliveryHome();
  const gateway = await startFakeGateway({ sessions: { "agent:warden:main": "id-1" } });
  home.configure({ port: gateway.port, auth: { mode: "token", token: "fake-token" } });
  const { paths, env } = home;
  const carriers = () =>
    new Carriers({ paths, env: (name) => env[name], allEnv: () => env, now: Date.now });
  const [one, other] = [carriers(), carriers()];
  const outcomeOf = async (by: Carriers) => {
    const { outcome } = await by.deliver(aWake());
    by.close(); // as after each pass of a queue
    return outcome.kind;
  };
  try {
    assertEquals(await outcomeOf(one), "delivered");
    gateway.faults.decide = ({ method }) =>
      method === "agent" ? { kind: "unavailable" } : undefined;
    assertEquals(await outcomeOf(other), "later");
    gateway.faults.decide = ({ method }) =>
      method === "agent" ? { kind: "revoke", afterMs: 1 } : undefined;
    assertEquals(await outcomeOf(one), "later");
  } finally {
    await gateway.stop();
  }
});

Deno.test("sharedReach() believes no mark of the future, and nothing that is no file", async () => {
  await using home = new TestHome();
  const mark = `${home.paths.state}/locks/gateway-unsteady`;
  const now = Date.now();
  const known = () => sharedReach(home.paths, now).unsteadyAt;
  sharedReach(home.paths, now).share!(now + 1);
  assertEquals(known(), -Infinity);
  sharedReach(home.paths, now).share!(now);
  assertEquals(known(), now);
  for (const text of ["", "yesterday", "{}"]) {
    Deno.writeTextFileSync(mark, text);
    assertEquals(known(), text === "" ? 0 : -Infinity);
  }
  for (const [what, make] of Object.entries(ODD)) {
    Deno.removeSync(mark, { recursive: true });
    make(mark);
    assertEquals(known(), -Infinity, what);
    sharedReach(home.paths, now).share!(now); // says nothing where it cannot write
  }
});
