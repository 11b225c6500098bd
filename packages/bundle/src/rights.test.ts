import { spawnSync } from "node:child_process";
import fs from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { plantTree, temporaryFolder } from "./catalog-folder.fixture.ts";
import { goLive, headOne, liveOne, oldFiles, oldManifest, openScene } from "./store-scene.fixture.ts";

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
  fs.chmodSync(folder, 0o755);
  // Whoever has no rights has to get there.
  const { mode } = fs.statSync(dirname(folder));
  if ((mode & 1) === 0) fs.chmodSync(dirname(folder), mode | 1);
});
afterEach(() => {
  for (const name of ["locked", "closed"]) fs.rmSync(join(folder, name), { recursive: true, force: true });
  fs.rmSync(folder, { recursive: true, force: true });
});

/** Root may do everything, so that the work is done by nobody then. */
const user = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};

const module = (name: string): string => JSON.stringify(import.meta.resolve(name));

/** What some work throws, in a process without rights: name and code of the error, and of its flaws. */
function thrown(imports: string, work: string): unknown {
  const program = `${imports}
    try { ${work}; process.stdout.write('"nothing"'); }
    catch (error) {
      const flaws = error.flaws?.map(({ code, file }) => [code, file]);
      process.stdout.write(JSON.stringify({ name: error.name, code: error.code, flaws, hint: error.hint !== "" }));
    }`;
  const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "--eval", program], {
    ...user,
    cwd: "/",
    encoding: "utf8",
  });
  expect(stderr).toBe("");
  return JSON.parse(stdout);
}

test("folders and files of a catalog that cannot be read are flaws, all at once", () => {
  plantTree(folder, { "good.md": "", "locked/a.md": "", "b.md": "", "closed/a.md": "" });
  for (const name of ["locked", "b.md"]) fs.chmodSync(join(folder, name), 0);
  // Its names can be listed, and what they are cannot be seen.
  fs.chmodSync(join(folder, "closed"), 0o444);
  const read = (directory: string): unknown =>
    thrown(`import { readCatalog } from ${module("./catalog.ts")};`, `readCatalog(${JSON.stringify(directory)})`);
  expect(read(folder)).toMatchObject({
    name: "BundleError",
    flaws: [
      ["unreadable", "closed/a.md"],
      ["unreadable", "locked"],
    ],
    hint: true,
  });
  for (const name of ["locked", "closed"])
    expect(read(join(folder, name))).toMatchObject({ name: "BundleError", code: "unreadable", hint: true });
  fs.rmSync(join(folder, "locked"), { recursive: true });
  fs.rmSync(join(folder, "closed"), { recursive: true });
  expect(read(folder)).toMatchObject({ flaws: [["unreadable", "b.md"]] });
});

test("a store that may only be read says so, and what is live stays", () => {
  const scene = openScene(folder);
  goLive(scene, oldManifest, oldFiles);
  const store = join(folder, "bundles");
  for (const path of [".", ...fs.readdirSync(store, { recursive: true, encoding: "utf8" })]) {
    const place = join(store, path);
    if (!fs.lstatSync(place).isSymbolicLink()) fs.chmodSync(place, fs.statSync(place).isDirectory() ? 0o555 : 0o444);
  }
  const imports = `import { newFiles, newManifest, bundleOf, root } from ${module("./store-scene.fixture.ts")};
    import { optionsFor } from ${module("./signed-bundle.fixture.ts")};
    import { openStore } from ${module("./store.ts")};
    const store = openStore(${JSON.stringify(store)}, { now: Date.now });
    const bundle = bundleOf(newManifest, newFiles);`;
  const put = "store.put(bundle, optionsFor(root, newFiles).payload)";
  expect(thrown(imports, put)).toMatchObject({ name: "StoreError", code: "storeReadOnly", hint: true });
  expect(thrown(imports, "store.floor(newManifest.channel)")).toBe("nothing");
  expect(`${headOne(scene)} ${liveOne(scene)}`).toBe("old old");
  fs.chmodSync(join(store, "sha256"), 0);
  expect(thrown(imports, put)).toMatchObject({ name: "StoreError", code: "storeReadOnly" });
  for (const name of ["sha256", "channels/writers/main", "channels/writers", "channels", "."])
    fs.chmodSync(join(store, name), 0o700);
});
