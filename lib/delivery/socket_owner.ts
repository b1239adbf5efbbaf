/**
 * Who holds a port of this machine, by the kernel's tables of sockets (/proc/net/tcp, tcp6):
 *
 *   sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid …
 *    0: 0100007F:4965 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000 …
 */

import { pathsFrom, ROOT } from "../paths.ts";
import { run } from "../process.ts";

export interface SocketTables {
  /** The user id of this process. */
  uid: number;
  text: string;
}

const LISTEN = "0A";

/**
 * The user, other than us and root, who is at our address: "listening" there, or at the other end of
 * a connection that is "open" now. Undefined where there is none, or the kernel does not say.
 */
export function strangerAt(
  url: string,
  tables: SocketTables | undefined,
  how: "listening" | "open",
): number | undefined {
  const place = loopbackPlace(url);
  if (place === undefined || tables === undefined) return undefined;
  for (const line of tables.text.split("\n")) {
    const [, local = "", , state = "", , , , owner = ""] = line.trim().split(/\s+/);
    const [address = "", port = ""] = local.split(":");
    if (parseInt(port, 16) !== place.port || (state === LISTEN) !== (how === "listening")) continue;
    const isHere = place.addresses.includes(address) || (state === LISTEN && /^0+$/.test(address));
    const uid = Number(owner);
    if (isHere && uid !== 0 && uid !== tables.uid) return uid;
  }
  return undefined;
}

/** The addresses as the tables write them; undefined for a host that is not this one, and for TLS. */
function loopbackPlace(url: string): { port: number; addresses: string[] } | undefined {
  const { protocol, hostname, port } = new URL(url);
  if (protocol !== "ws:") return undefined; // a certificate proves who it is
  const v6 = "00000000000000000000000001000000";
  const v4 = (ip: string) => {
    const hex = ip.split(".").reverse().map((part) => Number(part).toString(16).padStart(2, "0"));
    const address = hex.join("").toUpperCase();
    return [address, `0000000000000000FFFF0000${address}`];
  };
  const addresses = hostname === "localhost"
    ? [...v4("127.0.0.1"), v6]
    : hostname === "[::1]"
    ? [v6]
    : /^127(\.\d+){3}$/.test(hostname)
    ? v4(hostname)
    : undefined;
  return addresses && { port: Number(port || 80), addresses };
}

/** Why a gateway on this machine gets no token; undefined where it may get one. */
export async function whyHeld(
  url: string,
  how: "listening" | "open",
  tables = readSocketTables,
): Promise<string | undefined> {
  if (loopbackPlace(url) === undefined) return undefined;
  const uid = strangerAt(url, await tables(), how);
  if (uid === undefined) return undefined;
  const { hostname, port } = new URL(url);
  return `port ${port || 80} on ${hostname} is held by another user (uid ${uid}): ` +
    "the token was not sent";
}

/**
 * Undefined where there are none. Deno gives /proc only to programs with all permissions. Both at
 * once: the kernel takes four milliseconds for each, since it looks through all its buckets.
 */
export async function readSocketTables(): Promise<SocketTables | undefined> {
  try {
    const uid = Deno.uid();
    if (uid === null) return undefined;
    const tables = await Promise.all(["/proc/net/tcp", "/proc/net/tcp6"].map(tableIn));
    return { uid, text: tables.join("\n") };
  } catch {
    return await fromLauncher();
  }
}

async function tableIn(file: string): Promise<string> {
  try {
    return await Deno.readTextFile(file);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return ""; // such as a machine without IPv6
    throw error;
  }
}

async function fromLauncher(): Promise<SocketTables | undefined> {
  const { data } = pathsFrom((name) => Deno.env.get(name), ROOT);
  const outcome = await run(`${data}/bin/sockets`, [], { timeoutMs: 10_000, env: {}, cwd: "/" });
  if (outcome.kind !== "finished" || outcome.code !== 0) return undefined;
  const [uid = "", ...text] = outcome.stdout.split("\n");
  return /^\d+$/.test(uid) ? { uid: Number(uid), text: text.join("\n") } : undefined;
}
