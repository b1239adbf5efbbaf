/** The gateway's address and credentials, from OpenClaw's config and environment. */

import { readTextIfThere } from "../files.ts";
import { isObject } from "../json.ts";
import { REGISTERED_GATEWAY, whyMoved } from "./gateway_address.ts";
import { parseJson5 } from "./json5.ts";
import type { Env } from "../paths.ts";
import { messageOf } from "../process.ts";

export interface GatewayTarget {
  url: string;
  token?: string;
  password?: string;
  /** Written to the journal; never holds a credential. */
  source: string;
  /** A certificate to trust in addition to the system's, for a gateway with its own TLS. */
  certificateFile?: string;
}
type ConfigReading =
  | { kind: "target"; target: GatewayTarget }
  /** `url`: its address, if that is known. */
  | { kind: "unreadable"; reason: string; url?: string };
/** "moved": the address is not the registered one. Register again. */
export type TargetReading = ConfigReading | { kind: "moved"; reason: string };

export function readGatewayTarget(env: Env): TargetReading {
  const { config: path, dotenv } = openclawPlaces(env);
  let config: unknown = {};
  try {
    const text = readTextIfThere(path);
    if (text === undefined && !given(env("OPENCLAW_GATEWAY_URL"))) {
      return { kind: "unreadable", reason: `OpenClaw's config ${path} is not there` };
    }
    config = parsed(text ?? "{}");
  } catch (error) {
    return {
      kind: "unreadable",
      reason: `OpenClaw's config ${path} cannot be read: ${messageOf(error)}`,
    };
  }
  const reading = gatewayTarget(config, withDotenv(env, dotenv), path);
  const registered = given(env(REGISTERED_GATEWAY));
  const moved = whyMoved(registered, reading);
  return moved === undefined ? reading : { kind: "moved", reason: moved };
}

/** Most configs are plain JSON, which Deno parses much faster than JSON5. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return parseJson5(text);
  }
}

export interface OpenClawPlaces {
  config: string;
  /** Its folder, even when the config is in another one. */
  state: string;
  dotenv: string;
}

export function openclawPlaces(env: Env): OpenClawPlaces {
  const home = expand(given(env("OPENCLAW_HOME")) ?? given(env("HOME")) ?? "/", env("HOME") ?? "/");
  const state = stateDir(env, home);
  const explicit = given(env("OPENCLAW_CONFIG_PATH"));
  const config = explicit ? expand(explicit, home) : `${state}/openclaw.json`;
  return { config, state, dotenv: `${state}/.env` };
}

function stateDir(env: Env, home: string): string {
  const explicit = given(env("OPENCLAW_STATE_DIR"));
  if (explicit) return expand(explicit, home);
  const profile = given(env("OPENCLAW_PROFILE"));
  return profile && profile.toLowerCase() !== "default"
    ? `${home}/.openclaw-${profile}`
    : `${home}/.openclaw`;
}

/** OpenClaw's rules: whether config or environment wins depends on the mode. */
export function gatewayTarget(config: unknown, env: Env, path: string): ConfigReading {
  const gateway = field(config, "gateway");
  const remote = field(gateway, "remote");
  const auth = field(gateway, "auth");
  const secret = (from: unknown, name: string) => secretOf(field(from, name), env);
  const envSecret = (name: string) => ({ kind: "value" as const, value: given(env(name)) });
  const isRemote = field(gateway, "mode") === "remote";
  const envUrl = given(env("OPENCLAW_GATEWAY_URL"));
  const unreadable = (reason: string): ConfigReading => ({ kind: "unreadable", reason });

  if (isObject(config) && "$include" in config && gateway === undefined && !envUrl) {
    return unreadable(`the gateway section of ${path} is in an included file`);
  }
  let url: string, source: string, tokens: Secret[], passwords: Secret[];
  if (envUrl) {
    // A url from the environment never gets a credential from the config: OpenClaw's rule.
    [url, source] = [envUrl, "OPENCLAW_GATEWAY_URL"];
    tokens = [envSecret("OPENCLAW_GATEWAY_TOKEN")];
    passwords = [envSecret("OPENCLAW_GATEWAY_PASSWORD")];
  } else if (isRemote) {
    const remoteUrl = secretOf(field(remote, "url"), env);
    if (remoteUrl.kind === "hidden" || !remoteUrl.value) {
      return unreadable(`gateway.mode in ${path} is "remote", but gateway.remote.url is not set`);
    }
    [url, source] = [remoteUrl.value, `gateway.remote.url in ${path}`];
    tokens = [secret(remote, "token"), envSecret("OPENCLAW_GATEWAY_TOKEN"), secret(auth, "token")];
    passwords = [
      envSecret("OPENCLAW_GATEWAY_PASSWORD"),
      secret(remote, "password"),
      secret(auth, "password"),
    ];
  } else {
    const scheme = field(field(gateway, "tls"), "enabled") === true ? "wss" : "ws";
    url = `${scheme}://127.0.0.1:${portFrom(gateway, env)}`;
    source = path;
    tokens = [secret(auth, "token"), envSecret("OPENCLAW_GATEWAY_TOKEN"), secret(remote, "token")];
    passwords = [
      secret(auth, "password"),
      envSecret("OPENCLAW_GATEWAY_PASSWORD"),
      secret(remote, "password"),
    ];
  }
  for (const name of ["tlsFingerprint", "edgeAuth"]) {
    if (isRemote && field(remote, name) !== undefined) {
      return unreadable(`gateway.remote.${name} in ${path} needs OpenClaw's own client`);
    }
  }
  if (!isSafeUrl(url, env)) {
    return unreadable(`${source} is not a wss:// url, nor ws:// to this machine or its network`);
  }
  const token = firstOf(tokens), password = firstOf(passwords);
  if (token === HIDDEN || (token === undefined && password === HIDDEN)) {
    const reason = `the gateway's token in ${path} is kept where only OpenClaw can read it`;
    return { kind: "unreadable", reason, url };
  }
  return {
    kind: "target",
    target: {
      url,
      source,
      token,
      password: password === HIDDEN ? undefined : password,
      certificateFile: nonEmptyText(field(field(gateway, "tls"), "caPath")) ??
        nonEmptyText(field(field(gateway, "tls"), "certPath")),
    },
  };
}

function portFrom(gateway: unknown, env: Env): number {
  const fromEnv =
    /^(?:\d+|\[[^\]]+\]:\d+|[^:]+:\d+)$/.test(env("OPENCLAW_GATEWAY_PORT")?.trim() ?? "")
      ? Number(/\d+$/.exec(env("OPENCLAW_GATEWAY_PORT")!.trim())![0])
      : 0;
  if (fromEnv > 0 && fromEnv < 65536) return fromEnv;
  const port = field(gateway, "port");
  if (typeof port === "number" && port > 0) return port;
  const profile = given(env("OPENCLAW_PROFILE"));
  if (!profile || profile.toLowerCase() === "default") return 18789;
  // A profile's own port is the FNV-1a hash of its name, in 20000 to 59999.
  let sum = 2166136261;
  for (const byte of new TextEncoder().encode(profile)) {
    sum = Math.imul(sum ^ byte, 16777619) >>> 0;
  }
  return 20000 + sum % 40000;
}

/** No plain text over the internet: only loopback, private networks, .local and tailnets. */
export function isSafeUrl(url: string, env: Env): boolean {
  let parsed: URL;
  try {
    parsed = new URL(url);
  } catch {
    return false;
  }
  if (parsed.protocol === "wss:") return true;
  if (parsed.protocol !== "ws:") return false;
  const host = parsed.hostname.toLowerCase().replace(/\.+$/, "").replace(/^\[|\]$/g, "");
  if (host === "localhost" || host.endsWith(".local") || host.endsWith(".ts.net")) return true;
  const ip = host.replace(/^::ffff:/, "");
  if (/^(127|10)\.|^192\.168\.|^169\.254\.|^172\.(1[6-9]|2\d|3[01])\./.test(ip)) {
    return /^[\d.]+$/.test(ip);
  }
  if (/^100\.(6[4-9]|[7-9]\d|1[01]\d|12[0-7])\.[\d.]+$/.test(ip)) return true;
  if (host.includes(":")) return host === "::1" || /^f[cd]|^fe[89ab]/.test(host);
  return env("OPENCLAW_ALLOW_INSECURE_PRIVATE_WS") === "1" && !/^[\d.]+$/.test(host);
}

const HIDDEN = Symbol("hidden");
type Secret = { kind: "value"; value?: string } | { kind: "hidden" };

/** A text, `${NAME}`, or a reference. Only references to environment variables are supported. */
function secretOf(value: unknown, env: Env): Secret {
  if (typeof value === "string") {
    const filled = value.replace(
      /(?<!\$)\$\{([A-Z_][A-Z0-9_]*)\}/gi,
      (whole, name) => given(env(name)) ?? whole,
    );
    const isOpen = /(?<!\$)\$\{/.test(filled);
    return isOpen ? { kind: "hidden" } : { kind: "value", value: given(filled) };
  }
  if (!isObject(value)) return { kind: "value" };
  const name = value.source === "env" && typeof value.id === "string" ? value.id : undefined;
  const found = name === undefined ? undefined : given(env(name));
  return found === undefined ? { kind: "hidden" } : { kind: "value", value: found };
}

function firstOf(secrets: Secret[]): string | undefined | typeof HIDDEN {
  for (const secret of secrets) {
    if (secret.kind === "hidden") return HIDDEN;
    if (secret.value !== undefined) return secret.value;
  }
  return undefined;
}

/** OpenClaw's own `.env` fills in what the environment lacks. */
function withDotenv(env: Env, file: string): Env {
  let text = "";
  try {
    text = readTextIfThere(file) ?? "";
  } catch {
    // Treated as missing: the config may hold everything.
  }
  const values = new Map<string, string>();
  for (const line of text.split("\n")) {
    const found = /^\s*(?:export\s+)?([A-Z_][A-Z0-9_]*)\s*=\s*(.*?)\s*$/i.exec(line);
    if (found) values.set(found[1]!, found[2]!.replace(/^(["'])(.*)\1$/, "$2"));
  }
  return (name) => given(env(name)) ?? values.get(name);
}

function given(value: string | undefined): string | undefined {
  const text = value?.trim() ?? "";
  return text === "" || text === "undefined" || text === "null" ? undefined : text;
}

function expand(path: string, home: string): string {
  return path === "~" || path.startsWith("~/") ? home + path.slice(1) : path;
}

function field(value: unknown, name: string): unknown {
  return isObject(value) ? value[name] : undefined;
}

function nonEmptyText(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
