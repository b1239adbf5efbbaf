/** Access to the wall: by the token in its address first, then by a cookie. */

export interface Access {
  /** The whole address for the person. */
  address: string;
  judge(request: Request): AccessVerdict;
}

export type AccessVerdict =
  /** `cookie`: to be set, when the token came in the address. */
  | { kind: "welcome"; cookie?: string }
  | { kind: "refused"; status: 401 | 403; reason: string };

const HOURS = 12;

/** `names`: the hosts by which the page may be called. Any other is refused (DNS rebinding). */
export function accessFor(port: number, names: string[], token: string = newToken()): Access {
  // Cookies are shared by all ports of a host, so the port is part of the name.
  const cookie = `gsd_wall_${port}`;
  const hosts = new Set(names.map((name) => `${bracketed(name)}:${port}`));
  return {
    address: `http://${bracketed(names[0] ?? "127.0.0.1")}:${port}/?token=${token}`,
    judge(request) {
      const host = request.headers.get("host") ?? "";
      if (!hosts.has(host)) {
        return { kind: "refused", status: 403, reason: "This address is not the wall's own." };
      }
      if (request.method !== "GET" && request.headers.get("origin") !== `http://${host}`) {
        return { kind: "refused", status: 403, reason: "Only the wall's own page may do that." };
      }
      const given = new URL(request.url).searchParams.get("token");
      if (given !== null && request.method === "GET" && isEqual(given, token)) {
        const rules = `HttpOnly; SameSite=Strict; Path=/; Max-Age=${HOURS * 3600}`;
        return { kind: "welcome", cookie: `${cookie}=${token}; ${rules}` };
      }
      return isEqual(cookieIn(request, cookie), token) ? { kind: "welcome" } : {
        kind: "refused",
        status: 401,
        reason: "Open the whole address that `gsd-code wall` has printed: the token is part of it.",
      };
    },
  };
}

function newToken(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(24));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

function bracketed(host: string): string {
  return host.includes(":") ? `[${host}]` : host;
}

function cookieIn(request: Request, name: string): string {
  const all = (request.headers.get("cookie") ?? "").split(";").map((part) => part.trim());
  return all.find((part) => part.startsWith(`${name}=`))?.slice(name.length + 1) ?? "";
}

/** Takes as long for a wrong token as for one that is nearly right. */
function isEqual(given: string, token: string): boolean {
  let difference = given.length ^ token.length;
  for (let at = 0; at < token.length; at++) {
    difference |= token.charCodeAt(at) ^ (given.charCodeAt(at) || 0);
  }
  return difference === 0;
}

/** No request to anywhere else, no inline code, no frame around it, nothing kept. */
export const HEADERS: Readonly<Record<string, string>> = {
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; " +
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "cache-control": "no-store",
};
