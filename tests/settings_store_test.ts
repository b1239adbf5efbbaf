import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { register, unregister } from "../lib/install/registration.ts";
import { changeSettings } from "../lib/install/settings_store.ts";
import { ROOT as HERE } from "../lib/paths.ts";
import { run } from "../lib/process.ts";
import { inFolder, namesOf, put, read, ROOT, WANTED } from "./support/settings_folder.ts";

const isRoot = Deno.uid() === 0;
const NOBODY = 65534;

Deno.test("changeSettings() decides again when another program writes during the sync", async () => {
  await inFolder((file, options) => {
    put(file, "first");
    const { syncDataSync } = Deno.FsFile.prototype;
    let writes = 0;
    Deno.FsFile.prototype.syncDataSync = function () {
      if (writes++ === 0) put(file, "Claude Code was here");
      syncDataSync.call(this);
    };
    try {
      changeSettings(file, options, (text) => ({ kind: "write", text: `${text}!` }));
    } finally {
      Deno.FsFile.prototype.syncDataSync = syncDataSync;
    }
    assertEquals(read(file), "Claude Code was here!");
  });
});

Deno.test("unregister() remembers a file whichever way it is named", async () => {
  await inFolder((file, options, folder) => {
    Deno.symlinkSync(`${folder}/claude`, `${folder}/link`);
    const names = [`${folder}/./claude/settings.json`, `${folder}/link/settings.json`];
    for (const name of names) {
      put(file, '{"model":"opus"}');
      register(name, WANTED, ROOT, options);
      unregister(file, ROOT, options);
      assertEquals(read(file), '{"model":"opus"}');
    }
    assertEquals(namesOf(`${options.data}/locks`).length, 1);
  });
});

Deno.test({
  name: "register() keeps the owner and the group of a file, and of its backup",
  ignore: !isRoot,
  fn: async () => {
    await inFolder((file, options) => {
      for (const [uid, gid] of [[0, 1234], [4321, 0]] as const) {
        put(file, "{}");
        Deno.chownSync(file, uid, gid);
        const outcome = register(file, WANTED, ROOT, options);
        assert(outcome.kind === "written");
        for (const path of [file, outcome.backup!]) {
          const info = Deno.statSync(path);
          assertEquals([info.uid, info.gid], [uid, gid]);
        }
        Deno.removeSync(file);
      }
    });
  },
});

Deno.test({
  name: "changeSettings() leaves nothing behind when it may not keep the owner",
  ignore: !isRoot,
  fn: async () => {
    const dir = await Deno.makeTempDir({ prefix: "gsd-store-" });
    try {
      await Deno.chmod(dir, 0o777);
      await Deno.mkdir(`${dir}/claude`);
      await Deno.chown(`${dir}/claude`, NOBODY, NOBODY);
      const file = `${dir}/claude/settings.json`;
      put(file, "{}");
      const script = `import { changeSettings } from "${HERE}/lib/install/settings_store.ts";
        const options = { data: "${dir}/data", dryRun: false, now: new Date() };
        console.log(JSON.stringify(changeSettings(${JSON.stringify(file)}, options,
          () => ({ kind: "write", text: "{ }", base: "{}" }))));`;
      await Deno.writeTextFile(`${dir}/try.ts`, script);
      const args = [`--reuid=${NOBODY}`, `--regid=${NOBODY}`, "--clear-groups", Deno.execPath()];
      const outcome = await run("setpriv", [
        ...[...args, "run", "-A", "--no-check", "--no-config", "--no-lock", "--quiet"],
        `${dir}/try.ts`,
      ], { timeoutMs: 300_000, env: { HOME: dir, PATH: Deno.env.get("PATH") ?? "" }, cwd: dir });
      assert(outcome.kind === "finished", JSON.stringify(outcome));
      assertStringIncludes(
        outcome.stdout,
        "cannot keep its owner and group (0:0)",
        outcome.stderr,
      );
      assertEquals(namesOf(`${dir}/claude`), ["settings.json"]);
      assertEquals(read(file), "{}");
    } finally {
      await Deno.remove(dir, { recursive: true });
    }
  },
});
