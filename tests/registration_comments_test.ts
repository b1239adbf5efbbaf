import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { hooksForSettings } from "../lib/install/hook_command.ts";
import { HOOKS } from "../lib/install/hook_list.ts";
import { register, unregister } from "../lib/install/registration.ts";
import { readSettings } from "../lib/install/settings_file.ts";
import { stripJsonComments } from "../lib/json.ts";
import { inFolder, put, read, ROOT, WANTED } from "./support/settings_folder.ts";

const OLD = "bash /home/u/gsd-code-skill/scripts/stop-hook.sh";
const LONGER = WANTED.map((hook) => ({ ...hook, timeout: 77 }));

const commentsIn = (text: string) => text.match(/\/\/ .*|\/\* .*? \*\//g) ?? [];
const keysIn = (text: string) => Object.keys(JSON.parse(stripJsonComments(text)));

/** Texts of a user, with hooks of the old system or none, and comments in every corner. */
const COMMENTED: Record<string, string> = {
  "around hooks of the old system": `{
  "hooks": {
    // what wakes the agent
    "Stop": [
      // since spring
      { // mine
        "hooks": [
          /* the old one */ { "type": "command", "command": "${OLD}" } // works
          // last
        ]
      }
    ] // done
    // no more
  },
  "model": "opus"
}
`,
  "in a list of the old system's alone": `{
  "hooks": {
    "Notification": [
      { "hooks": [{ "type": "command", "command": "/x/gsd-session-hook.sh" }] }
      // to come
    ],
    "Other": [ /* nothing */ ]
  },
  "model": "opus"
}
`,
  "in hooks that are empty": '{\n  "hooks": { // mine, to come\n  },\n  "model": "opus"\n}\n',
  "in a list that is empty":
    '{\n  "hooks": { "Stop": [\n    // soon\n  ] },\n  "model": "opus"\n}\n',
};

for (const [name, text] of Object.entries(COMMENTED)) {
  Deno.test(`register() and unregister() keep comments ${name}, and the order of keys`, async () => {
    await inFolder((file, options) => {
      put(file, text);
      assertEquals(register(file, WANTED, ROOT, options).kind, "written");
      assertRegistered(read(file)!);
      assertEquals(commentsIn(read(file)!), commentsIn(text));
      assertEquals(keysIn(read(file)!), ["hooks", "model"]);
      assertEquals(register(file, WANTED, ROOT, options).kind, "unchanged");

      Deno.removeSync(`${options.data}/registered`, { recursive: true });
      unregister(file, ROOT, options);
      assertEquals(commentsIn(read(file)!), commentsIn(text));
      assertEquals(keysIn(read(file)!), ["hooks", "model"]);
      const reading = readSettings(read(file)!, ROOT);
      assert(reading.kind === "settings");
      assertEquals([reading.found, reading.foreign], [[], []]);
    });
  });
}

Deno.test("register() changes a time limit in its place, and keeps comments added since", async () => {
  await inFolder((file, options) => {
    put(file, '{\n  "model": "opus"\n}\n');
    register(file, WANTED, ROOT, options);
    const commented = read(file)!
      .replace('"hooks": {\n', '"hooks": { // of gsd\n    // and mine\n')
      .replace('"type": "command",', '"type": "command", /* as a command */')
      .replace('"timeout": 10', '"timeout": 10 /* short */');
    put(file, commented);
    register(file, LONGER, ROOT, options);
    assertEquals(read(file), commented.replaceAll('"timeout": 10', '"timeout": 77'));
    unregister(file, ROOT, options);
    assertEquals(
      read(file),
      '{\n  "model": "opus",\n  "hooks": { // of gsd\n    // and mine\n  }\n}\n',
    );
  });
});

Deno.test("register() fixes what was changed in our entries, and takes copies of them away", async () => {
  await inFolder((file, options) => {
    const right = hooksForSettings(WANTED).hooks;
    const entry = (right.Stop![0] as { hooks: Record<string, unknown>[] }).hooks[0]!;
    const spoilt = [
      { ...right, TaskCreated: right.Stop },
      { ...right, Stop: [{ hooks: [{ ...entry, async: true }] }] },
      { ...right, Stop: [{ hooks: [{ ...entry, type: "http" }] }] },
      { ...right, Stop: [{ hooks: [{ ...entry, command: `${entry.command} || true` }] }] },
      { ...right, Stop: [...right.Stop!, { matcher: "x", hooks: [entry] }] },
    ];
    for (const hooks of spoilt) {
      put(file, JSON.stringify({ hooks }, null, 2));
      assertEquals(register(file, WANTED, ROOT, options).kind, "written");
      assertEquals(JSON.parse(read(file)!), { hooks: right });
    }
  });
});

Deno.test("unregister() takes out what is ours and leaves the old system's, which it names", async () => {
  await inFolder((file, options) => {
    const text = JSON.stringify(
      { hooks: { Stop: [{ hooks: [{ type: "command", command: OLD }] }] } },
      null,
      2,
    );
    put(file, text);
    const outcome = unregister(file, ROOT, options);
    assertEquals(outcome.kind, "unchanged");
    assertEquals(outcome.left.map(({ command }) => command), [OLD]);
    assertEquals(read(file), text);
  });
});

Deno.test("unregister() leaves a file of one line as one line when something else changed", async () => {
  const lines = [
    '{"model":"opus"}',
    '{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"say done"}]}]},"model":"opus"}\n',
  ];
  for (const line of lines) {
    await inFolder((file, options) => {
      put(file, line);
      register(file, WANTED, ROOT, options);
      put(file, read(file)!.replace("opus", "haiku"));
      unregister(file, ROOT, options);
      assertEquals(read(file), line.replace("opus", "haiku"));
    });
  }
});

function assertRegistered(text: string): void {
  const reading = readSettings(text, ROOT);
  assert(reading.kind === "settings");
  assertEquals(reading.found.length, HOOKS.length);
  for (const { command } of WANTED) assertStringIncludes(text, JSON.stringify(command));
}
