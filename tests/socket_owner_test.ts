import { assertEquals } from "@std/assert";
import { readSocketTables, strangerAt, whyHeld } from "../lib/delivery/socket_owner.ts";

const GATEWAY = "ws://127.0.0.1:18789"; // port 4965 in the tables

/** A row of /proc/net/tcp. */
function row(local: string, remote: string, state: string, uid: number): string {
  return `   0: ${local} ${remote} ${state} 00000000:00000000 00:00000000 00000000 ${uid} 0 1 1 0 100 0`;
}
const FREE = "00000000:0000";
const MAPPED = "0000000000000000FFFF00000100007F";
const V6_LOOPBACK = "00000000000000000000000001000000";

// deno-fmt-ignore
const CASES: Record<string, [url: string, how: "open" | "listening", rows: string[], stranger?: number]> = {
  "a connection to our own gateway": [GATEWAY, "open", [row("0100007F:4965", "0100007F:C001", "01", 1000)]],
  "a connection to root's": [GATEWAY, "open", [row("0100007F:4965", "0100007F:C001", "01", 0)]],
  "a connection to another user's": [GATEWAY, "open", [row("0100007F:4965", "0100007F:C001", "01", 1001)], 1001],
  "one that has closed its half, and still reads": [GATEWAY, "open", [row("0100007F:4965", "0100007F:C001", "05", 1001)], 1001],
  "one of several": [GATEWAY, "open", [row("0100007F:4965", "0100007F:C001", "01", 1000), row("0100007F:4965", "0100007F:C002", "01", 1001)], 1001],
  "a listener that takes IPv4 as IPv6": [GATEWAY, "open", [row(`${MAPPED}:4965`, `${MAPPED}:C001`, "01", 1001)], 1001],
  "our own end, and another user's client": [GATEWAY, "open", [row("0100007F:C001", "0100007F:4965", "01", 1001)]],
  "another user on another port": [GATEWAY, "open", [row("0100007F:4966", "0100007F:C001", "01", 1001)]],
  "another user on another address": [GATEWAY, "open", [row("0200007F:4965", "0100007F:C001", "01", 1001)]],
  "localhost by IPv6": ["ws://localhost:18789/x", "open", [row(`${V6_LOOPBACK}:4965`, `${V6_LOOPBACK}:C001`, "01", 1001)], 1001],
  "[::1]": ["ws://[::1]:18789", "open", [row(`${V6_LOOPBACK}:4965`, `${V6_LOOPBACK}:C001`, "01", 1001)], 1001],
  "a listener, where connections are asked for": [GATEWAY, "open", [row("0100007F:4965", FREE, "0A", 1001)]],
  "a listener": [GATEWAY, "listening", [row("0100007F:4965", FREE, "0A", 1001)], 1001],
  "a listener on all addresses": [GATEWAY, "listening", [row("00000000:4965", FREE, "0A", 1001)], 1001],
  "our own listener": [GATEWAY, "listening", [row("0100007F:4965", FREE, "0A", 1000)]],
  "TLS, where a certificate decides": ["wss://127.0.0.1:18789", "open", [row("0100007F:4965", "0100007F:C001", "01", 1001)]],
  "another machine": ["ws://192.168.0.7:18789", "open", [row("0700A8C0:4965", "0100007F:C001", "01", 1001)]],
  "no rows": [GATEWAY, "open", []],
  "lines that are no rows": [GATEWAY, "open", ["  sl  local_address rem_address   st", "x", ""]],
};
for (const [title, [url, how, rows, stranger]] of Object.entries(CASES)) {
  Deno.test(`strangerAt() finds ${stranger ?? "no stranger"} in ${title}`, () => {
    assertEquals(strangerAt(url, { uid: 1000, text: rows.join("\n") }, how), stranger);
  });
}

Deno.test("strangerAt() finds no stranger where the machine has no tables", () => {
  assertEquals(strangerAt(GATEWAY, undefined, "open"), undefined);
});

Deno.test("whyHeld() names the port and the user, and looks at nothing for another machine", async () => {
  const tables = () => Promise.resolve({ uid: 1, text: row("0100007F:4965", FREE, "0A", 1001) });
  assertEquals(
    await whyHeld(GATEWAY, "listening", tables),
    "port 18789 on 127.0.0.1 is held by another user (uid 1001): the token was not sent",
  );
  const never = () => Promise.reject(new Error("looked"));
  assertEquals(await whyHeld("wss://gateway.example", "open", never), undefined);
});

Deno.test({
  name: "readSocketTables() shows a socket of our own",
  ignore: Deno.build.os !== "linux",
  async fn() {
    using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const tables = await readSocketTables();
    const url = `ws://127.0.0.1:${listener.addr.port}`;
    assertEquals(tables?.uid, Deno.uid());
    assertEquals(
      strangerAt(url, { uid: 4711, text: tables!.text }, "listening"),
      Deno.uid() || undefined,
    );
    const port = listener.addr.port.toString(16).toUpperCase().padStart(4, "0");
    assertEquals(tables!.text.includes(` 0100007F:${port} `), true);
  },
});
