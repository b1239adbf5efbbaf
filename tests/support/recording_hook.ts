/** A hook that only records its input into a folder. */

const [folder] = Deno.args;
const text = await new Response(Deno.stdin.readable).text();
const event = /"hook_event_name":"(\w+)"/.exec(text)?.[1] ?? "unknown";
const name = `${Date.now()}-${event}-${crypto.randomUUID().slice(0, 4)}.json`;
Deno.writeTextFileSync(`${folder}/.${name}`, text);
Deno.renameSync(`${folder}/.${name}`, `${folder}/${name}`);
