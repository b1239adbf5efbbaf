// deno-std on npm is plain JavaScript: these are the signatures of what we use of it.
declare module "@std/assert" {
  export function assert(expr: unknown, msg?: string): asserts expr;
  export function assertEquals<T>(actual: T, expected: T, msg?: string): void;
  export function assertNotEquals<T>(actual: T, expected: T, msg?: string): void;
  export function assertStringIncludes(actual: string, expected: string, msg?: string): void;
  export function assertMatch(actual: string, expected: RegExp, msg?: string): void;
  export function assertThrows(fn: () => unknown, msg?: string): unknown;
  export function assertThrows<E extends Error>(
    fn: () => unknown,
    ErrorClass: new (...args: never[]) => E,
    msgIncludes?: string,
    msg?: string,
  ): E;
  export function assertRejects(fn: () => PromiseLike<unknown>, msg?: string): Promise<unknown>;
  export function assertRejects<E extends Error>(
    fn: () => PromiseLike<unknown>,
    ErrorClass: new (...args: never[]) => E,
    msgIncludes?: string,
    msg?: string,
  ): Promise<E>;
  export function fail(msg?: string): never;
}

declare module "@std/cli/parse-args" {
  export interface ParseOptions {
    boolean?: string[];
    string?: string[];
    collect?: string[];
    negatable?: string[];
    alias?: Record<string, string | string[]>;
    default?: Record<string, unknown>;
    stopEarly?: boolean;
    "--"?: boolean;
    unknown?: (arg: string, key?: string, value?: unknown) => unknown;
  }
  export function parseArgs(
    args: string[],
    options?: ParseOptions,
  ): { _: (string | number)[]; "--"?: string[]; [name: string]: unknown };
}

declare module "@std/fmt/colors" {
  export function bold(text: string): string;
  export function cyan(text: string): string;
  export function dim(text: string): string;
  export function green(text: string): string;
  export function red(text: string): string;
  export function yellow(text: string): string;
}

declare module "@std/jsonc" {
  export function parse(text: string): unknown;
}

declare module "@std/streams" {
  export function toText(stream: ReadableStream<string | Uint8Array>): Promise<string>;
  export class TextLineStream extends TransformStream<string, string> {
    constructor(options?: { allowCR?: boolean });
  }
}
