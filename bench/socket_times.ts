/**
 * Loaded before the deliverer (`deno run --preload`): notes when its socket does what, and leaves
 * that in the file named by GSD_BENCH_TIMES. Times are of the wall clock, in milliseconds.
 */

const now = () => performance.timeOrigin + performance.now();
const times: Record<string, number> = { loaded: now() };
const methods = new Map<string, string>();
const note = (name: string) => times[name] ??= now();

globalThis.WebSocket = class extends WebSocket {
  constructor(url: string | URL, options?: string | string[] | WebSocketOptions) {
    note("connecting");
    super(url, options);
    this.addEventListener("open", () => note("open"));
    this.addEventListener("message", ({ data }) => {
      const { id, event } = JSON.parse(data);
      note(event ?? `${methods.get(id)} answered`);
    });
  }

  override send(data: string): void {
    const { id, method } = JSON.parse(data);
    methods.set(id, method);
    note(method);
    super.send(data);
  }
};

addEventListener("unload", () => {
  times.end = now();
  Deno.writeTextFileSync(Deno.env.get("GSD_BENCH_TIMES")!, JSON.stringify(times));
});
