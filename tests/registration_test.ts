import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { hooksForSettings } from "../lib/install/hook_command.ts";
import { HOOKS } from "../lib/install/hook_list.ts";
import { register, unregister } from "../lib/install/registration.ts";
import { readSettings } from "../lib/install/settings_file.ts";
import { changeSettings } from "../lib/install/settings_store.ts";
import { stripJsonComments } from "../lib/json.ts";
import {
  inFolder,
  namesOf,
  put,
  read,
  ROOT,
  WANTED,
  wantedFor,
} from "./support/settings_folder.ts";

const FOREIGN = {
  hooks: [{ type: "command", command: "say 'done' # mine" }],
};
const foreignEverywhere = Object.fromEntries(HOOKS.map(({ event }) => [event, [FOREIGN]]));
const old = (script: string) => ({
  hooks: [{ type: "command", command: `bash /home/u/skills/gsd-code-skill/scripts/${script}` }],
});

/** Every text here is a user's; `null`: there is no file. */
const FILES: Record<string, string | null> = {
  "no file": null,
  "an empty file": "",
  "a blank file": "\n\n",
  "an empty object": "{}",
  "an empty object over two lines": "{\n}\n",
  "an object with a comment only": "{ // nothing yet\n}\n",
  "keys of the user": '{\n  "model": "opus",\n  "env": { "A": "1" }\n}\n',
  "no newline at the end": '{\n  "model": "opus"\n}',
  "one line": '{"model":"opus","permissions":{"allow":["Bash(ls)"]}}',
  "comments and trailing commas":
    '// mine\n{\n  "model": "opus", // the big one\n  /* hooks */ "hooks": {\n    "Stop": [\n' +
    `      ${JSON.stringify(FOREIGN)}, // keep\n      // last\n    ],\n  },\n  // end\n}\n// bye\n`,
  "a comment behind the last value": '{\n  "model": "opus" // the big one\n}\n',
  "CRLF": '{\r\n  "model": "opus",\r\n  "hooks": {\r\n    "Stop": []\r\n  }\r\n}\r\n',
  "tabs": '{\n\t"model": "opus",\n\t"hooks": {\n\t\t"Stop": [\n\t\t]\n\t}\n}\n',
  "four blanks": '{\n    "hooks": {\n        "Other": []\n    },\n    "model": "opus"\n}\n',
  "a byte order mark": '\uFEFF{\n  "model": "opus"\n}\n',
  "empty hooks": '{ "hooks": {} }\n',
  "foreign hooks in all the same events": JSON.stringify({ hooks: foreignEverywhere }, null, 2),
  "foreign hooks on one line": JSON.stringify({ hooks: foreignEverywhere }),
  "foreign hooks that look like ours": JSON.stringify(
    { hooks: { Stop: [{ hooks: [{ type: "command", command: "node /x/hooks/stop.ts" }] }] } },
    null,
    2,
  ),
  "entries that are no hooks":
    '{"hooks":{"Stop":[null,{"hooks":[7,{"type":"http"}]},{"hooks":1}]}}',
  "one megabyte": JSON.stringify(
    {
      env: Object.fromEntries(Array.from({ length: 20_000 }, (_, n) => [`N${n}`, "x".repeat(40)])),
    },
    null,
    2,
  ),
};

/** What was empty or on one line cannot be distinguished from what we made, once the memory is lost. */
const GUESSED = new Set([
  "no file",
  "an empty file",
  "a blank file",
  "an empty object",
  "an object with a comment only",
  "one line",
  "CRLF",
  "tabs",
  "empty hooks",
  "foreign hooks on one line",
  "entries that are no hooks",
]);

for (const [name, text] of Object.entries(FILES)) {
  Deno.test(`register() and unregister() give back ${name}, byte for byte`, async () => {
    await inFolder((file, options) => {
      put(file, text);
      assertEquals(register(file, WANTED, ROOT, options).kind, "written");
      const registered = read(file)!;
      const parsed = JSON.parse(stripJsonComments(registered));
      const ours = hooksForSettings(WANTED).hooks;
      for (const event of Object.keys(ours)) {
        assertEquals(parsed.hooks[event].at(-1), ours[event]![0]);
      }
      const lineEnds = [...registered.matchAll(/\r?\n/g)].map(([end]) => end);
      if (name === "CRLF") assert(lineEnds.every((end) => end === "\r\n"));

      assertEquals(register(file, WANTED, ROOT, options).kind, "unchanged");
      assertEquals(read(file), registered);

      assertEquals(unregister(file, ROOT, options).kind, "written");
      assertEquals(read(file), text);
      assertEquals(unregister(file, ROOT, options).kind, "unchanged");
    });
  });

  Deno.test(`unregister() without memory keeps what was not ours of ${name}`, async () => {
    await inFolder((file, options) => {
      put(file, text);
      register(file, WANTED, ROOT, options);
      Deno.removeSync(`${options.data}/registered`, { recursive: true });
      unregister(file, ROOT, options);
      const rest = read(file)!;
      if (!GUESSED.has(name)) assertEquals(rest, text);
      assertEquals(meaning(rest), meaning(text ?? ""));
      const comments = (from: string) => from.match(/\/\/.*|\/\*.*?\*\//g);
      assertEquals(comments(rest), comments(text ?? ""));
    });
  });
}

/** Containers that were empty before us may be gone without the memory of them. */
function meaning(text: string): unknown {
  const value = JSON.parse(stripJsonComments(text).trim() || "{}");
  for (const [event, groups] of Object.entries(value.hooks ?? {})) {
    if (Array.isArray(groups) && groups.length === 0) delete value.hooks[event];
  }
  if (value.hooks && Object.keys(value.hooks).length === 0) delete value.hooks;
  return value;
}

Deno.test("unregister() keeps what the user changed since, and empty lists of before", async () => {
  await inFolder((file, options) => {
    put(file, '{\n  "hooks": {\n    "Stop": []\n  }\n}\n');
    register(file, WANTED, ROOT, options);
    put(file, read(file)!.replace("{\n", '{\n  "model": "opus", // new\n'));
    unregister(file, ROOT, options);
    const rest = read(file)!;
    assertStringIncludes(rest, '  "model": "opus", // new\n');
    assertEquals(JSON.parse(stripJsonComments(rest)), { model: "opus", hooks: { Stop: [] } });
  });
});

Deno.test("register() moves our hooks when the folder has moved, and says from where", async () => {
  await inFolder((file, options) => {
    put(file, '{\n  "model": "opus"\n}\n');
    register(file, wantedFor("/old/place of it"), ROOT, options);
    const outcome = register(file, WANTED, ROOT, options);
    for (const { owner } of outcome.taken) {
      assertEquals(owner.kind === "ours" && owner.folder, "/old/place of it");
    }
    assertEquals(outcome.taken.length, HOOKS.length);
    const text = read(file)!;
    assert(!text.includes("/old/place"));
    unregister(file, ROOT, options);
    assertEquals(read(file), '{\n  "model": "opus"\n}\n');
  });
});

Deno.test("register() leaves each of our hooks once where they stood doubled", async () => {
  await inFolder((file, options) => {
    const twice = hooksForSettings([...WANTED, ...WANTED]);
    put(file, JSON.stringify({ ...twice, model: "opus" }, null, 2));
    register(file, WANTED, ROOT, options);
    const reading = readSettings(read(file)!, ROOT);
    assert(reading.kind === "settings");
    assertEquals(reading.found.length, HOOKS.length);
    unregister(file, ROOT, options);
    assertEquals(JSON.parse(read(file)!), { model: "opus" });
  });
});

Deno.test("register() takes the old bash system's hooks out and leaves its neighbours", async () => {
  await inFolder((file, options) => {
    const mixed = {
      matcher: "x",
      hooks: [old("stop-hook.sh").hooks[0], FOREIGN.hooks[0]],
    };
    put(
      file,
      JSON.stringify(
        {
          hooks: {
            Stop: [mixed],
            Notification: [old("notification-idle-hook.sh"), FOREIGN],
            SessionStart: [{
              hooks: [{ type: "command", command: '"$HOME/x/gsd-session-hook.sh"' }],
            }],
            SessionEnd: [{
              hooks: [{ type: "command", command: "/home/u/mine/session-end-hook.sh" }],
            }],
          },
        },
        null,
        2,
      ),
    );
    const outcome = register(file, WANTED, ROOT, options);
    const scripts = outcome.taken.map(({ owner }) => owner.kind === "old" ? owner.script : "");
    assertEquals(scripts, ["stop-hook.sh", "notification-idle-hook.sh", "gsd-session-hook.sh"]);
    unregister(file, ROOT, options);
    assertEquals(JSON.parse(read(file)!), {
      hooks: {
        Stop: [{ matcher: "x", hooks: FOREIGN.hooks }],
        Notification: [FOREIGN],
        SessionEnd: [{ hooks: [{ type: "command", command: "/home/u/mine/session-end-hook.sh" }] }],
      },
    });
  });
});

Deno.test("unregister() lets no comment swallow the bracket after our hook", async () => {
  await inFolder((file, options) => {
    const foreign = JSON.stringify(FOREIGN);
    const ours = JSON.stringify(hooksForSettings(WANTED).hooks.Stop![0]);
    put(file, `{"hooks": {"Stop": [${foreign}, // mine\n  ${ours}]}}`);
    unregister(file, ROOT, options);
    const rest = read(file)!;
    assertStringIncludes(rest, "// mine\n");
    assertEquals(JSON.parse(stripJsonComments(rest)), { hooks: { Stop: [FOREIGN] } });
  });
});

Deno.test("unregister() waits while another registration holds the file", async () => {
  const folder = await Deno.makeTempDir({ prefix: "gsd-registration-" });
  try {
    const options = { data: `${folder}/data`, dryRun: false, now: new Date() };
    const file = `${folder}/settings.json`;
    register(file, WANTED, ROOT, options);
    const lock = `${options.data}/locks/${namesOf(`${options.data}/locks`)[0]}`;
    const released = `${folder}/released`;
    const code = `const file = Deno.openSync(${JSON.stringify(lock)}, { write: true });
      file.lockSync(true); console.log("held");
      setTimeout(() => { Deno.writeTextFileSync(${
      JSON.stringify(released)
    }, ""); file.close(); }, 1000);`;
    const holder = new Deno.Command(Deno.execPath(), { args: ["eval", code], stdout: "piped" });
    const child = holder.spawn();
    const reader = child.stdout.getReader();
    await reader.read();
    assertEquals(unregister(file, ROOT, options).kind, "written");
    assertEquals(read(released), "", "it did not wait");
    await reader.cancel();
    await child.status;
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("unregister() gives back the exact text although a second register was killed", async () => {
  await inFolder((file, options) => {
    put(file, '{"model":"opus"}');
    register(file, WANTED, ROOT, options);
    const registered = read(file);
    const longer = WANTED.map((hook) => ({ ...hook, timeout: 77 }));
    register(file, longer, ROOT, options);
    put(file, registered); // killed before the file was replaced, its memory already written
    unregister(file, ROOT, options);
    assertEquals(read(file), '{"model":"opus"}');
  });
});

Deno.test("changeSettings() decides again when another program changed the file", async () => {
  await inFolder((file, options) => {
    put(file, "first");
    const seen: (string | null)[] = [];
    const outcome = changeSettings(file, options, (text) => {
      seen.push(text);
      if (seen.length === 1) put(file, "Claude Code was here");
      return { kind: "write", text: `${text}!` };
    });
    assertEquals(outcome.kind, "written");
    assertEquals(seen, ["first", "Claude Code was here"]);
    assertEquals(read(file), "Claude Code was here!");
  });
});

const REFUSED: [string, string, string][] = [
  ["broken JSON", '{\n  "a": 1\n  "b": 2\n}', "line 3"],
  ["a list", "[]", "does not hold an object"],
  ["a word", '"hooks"', "does not hold an object"],
  ["hooks that are a list", '{"hooks":[]}', '"hooks" is not an object'],
  ["an event that is no list", '{"hooks":{"Stop":{}}}', '"hooks.Stop" is not a list'],
  ["hooks twice", '{"hooks":{},"hooks":{}}', "twice"],
  ["an event twice", '{"hooks":{"Stop":[],"Stop":[]}}', "twice"],
];
for (const [name, text, words] of REFUSED) {
  Deno.test(`register() refuses ${name} in one sentence and touches nothing`, async () => {
    await inFolder((file, options, folder) => {
      put(file, text);
      for (
        const outcome of [register(file, WANTED, ROOT, options), unregister(file, ROOT, options)]
      ) {
        assert(outcome.kind === "refused");
        assertStringIncludes(outcome.reason, words);
        assertStringIncludes(outcome.reason, file);
        assertEquals(outcome.reason.split("\n").length, 1);
      }
      assertEquals(read(file), text);
      assertEquals(namesOf(`${folder}/claude`), ["settings.json"]);
    });
  });
}

Deno.test("register() refuses a read-only file, bytes that are no text, and a folder", async () => {
  await inFolder((file, options, folder) => {
    put(file, "{}");
    Deno.chmodSync(file, 0o444);
    const outcome = register(file, WANTED, ROOT, options);
    assert(outcome.kind === "refused");
    assertStringIncludes(outcome.reason, "chmod u+w");
    assertEquals(read(file), "{}");

    const bytes = new Uint8Array([...new TextEncoder().encode('{"a":"'), 0xff, 0x22, 0x7d]);
    Deno.writeFileSync(`${folder}/binary.json`, bytes);
    assertEquals(register(`${folder}/binary.json`, WANTED, ROOT, options).kind, "refused");
    assertEquals(Deno.readFileSync(`${folder}/binary.json`), bytes);
    assertEquals(register(folder, WANTED, ROOT, options).kind, "refused");
  });
});

Deno.test("register() writes through a symlink and keeps the mode of its target", async () => {
  await inFolder((file, options, folder) => {
    Deno.mkdirSync(`${folder}/dotfiles`);
    put(`${folder}/dotfiles/claude.json`, '{\n  "model": "opus"\n}\n');
    Deno.chmodSync(`${folder}/dotfiles/claude.json`, 0o666);
    Deno.symlinkSync("../dotfiles/claude.json", file);
    const outcome = register(file, WANTED, ROOT, options);
    assert(outcome.kind === "written");
    assert(Deno.lstatSync(file).isSymlink);
    assertEquals(Deno.statSync(file).mode! & 0o777, 0o666);
    assertStringIncludes(outcome.backup!, "/dotfiles/claude.json.gsd-backup-");
    unregister(file, ROOT, options);
    assertEquals(read(file), '{\n  "model": "opus"\n}\n');
    assert(Deno.lstatSync(file).isSymlink);
  });
});

Deno.test("register() makes the target of a symlink that leads nowhere yet", async () => {
  await inFolder((file, options, folder) => {
    Deno.symlinkSync(`${folder}/dotfiles/claude.json`, file);
    assertEquals(register(file, WANTED, ROOT, options).kind, "written");
    assert(Deno.lstatSync(file).isSymlink);
    assert(read(`${folder}/dotfiles/claude.json`)!.includes("hooks"));
  });
});

Deno.test("register() keeps a backup of each change, and the last five", async () => {
  await inFolder((file, options, folder) => {
    put(file, "{}\n");
    for (let n = 0; n < 8; n++) {
      const now = new Date(Date.UTC(2026, 1, 17, 10, 0, n));
      const wanted = WANTED.map((hook) => ({ ...hook, timeout: 20 + n }));
      register(file, wanted, ROOT, { ...options, now });
    }
    const backups = namesOf(`${folder}/claude`).filter((name) => name.includes("gsd-backup"));
    assertEquals(backups.length, 5);
    assertEquals(backups.at(-1), "settings.json.gsd-backup-20260217T100007-000Z");
    assertStringIncludes(read(`${folder}/claude/${backups.at(-1)}`)!, '"timeout": 26');
  });
});

Deno.test("register() writes nothing at all on a dry run", async () => {
  await inFolder((file, options, folder) => {
    put(file, "{}\n");
    const outcome = register(file, WANTED, ROOT, { ...options, dryRun: true });
    assert(outcome.kind === "written");
    assertStringIncludes(outcome.after!, "/bin/hook stop");
    assertEquals(read(file), "{}\n");
    assertEquals(namesOf(folder), ["claude"]);
  });
});
