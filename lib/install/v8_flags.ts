/**
 * For every Deno that a launcher starts. Functions are compiled when their module is loaded, so
 * Deno's cache keeps them compiled; by default each run compiles again what it calls. Not
 * --single-threaded, though it saves half a millisecond: no wait of `within()` would ever end. Without
 * Sparkplug: its machine code does not pay off in so short a life (0.3 ms).
 * One value for all: Deno replaces cached code that was made with other flags.
 */
export const V8_FLAGS = "--v8-flags=--no-lazy,--no-sparkplug";

/**
 * The watch stays for weeks: small counts, not fast. It must not touch the cache. With --lite-mode a
 * companion stays 3 MB smaller once it has waited at a dialog.
 */
export const SMALL_V8_FLAGS = "--v8-flags=--lite-mode,--optimize-for-size,--max-semi-space-size=1";

/** Companions are many. Each collection is a whole one: 0.6 MB less after six dialogs. */
export const COMPANION_V8_FLAGS = `${SMALL_V8_FLAGS},--gc-global`;

/** The wall stays, too, but has much to do while a page is open. It makes much garbage. */
export const LEAN_V8_FLAGS = "--v8-flags=--optimize-for-size,--max-semi-space-size=1";
