import { execFileSync, spawn, spawnSync } from "node:child_process";
import fs from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { hashCatalog, readCatalog } from "./catalog.ts";
import { nextManifest } from "./catalog-content.ts";
import { plantTree, type Tree, temporaryFolder } from "./catalog-folder.fixture.ts";
import { golden, treeOf } from "./golden.fixture.ts";
import { digestOf } from "./signed-bundle.fixture.ts";

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => fs.rmSync(folder, { recursive: true, force: true }));

/** Each plants and hashes in a process of its own: where, in which order and with which rights differs as well. */
const environments = [
  { language: "hr_HR.UTF-8", locale: "hr-HR", zone: "Pacific/Kiritimati", umask: 0o077, order: "backwards" },
  { language: "tr_TR.UTF-8", locale: "tr-TR", zone: "Europe/Istanbul", umask: 0o002, order: "sorted" },
  { language: "sv_SE.UTF-8", locale: "sv-SE", zone: "America/St_Johns", umask: 0o022, order: "as it comes" },
  { language: "C", locale: "en-US", zone: "UTC", umask: 0, order: "backwards" },
] as const;

const modules = ["./catalog.ts", "./catalog-folder.fixture.ts", "./golden.fixture.ts"].map((name) =>
  JSON.stringify(import.meta.resolve(name)),
);
const program = `
  import { mkdirSync, utimesSync } from "node:fs";
  const [{ hashCatalog, readCatalog }, { plantTree }, { golden, treeOf }] =
    await Promise.all([${modules.join(", ")}].map((name) => import(name)));
  const [folder, umask, order] = process.argv.slice(1);
  process.umask(Number(umask));
  const arranged = (entries) =>
    order === "backwards" ? entries.toReversed() : order === "sorted" ? entries.toSorted() : entries;
  const hashes = golden.map((one, at) => {
    const place = plantTree(folder + "/" + at, Object.fromEntries(arranged(Object.entries(treeOf(one)))));
    utimesSync(place, at, at);
    return [hashCatalog(place), readCatalog(place).hash];
  });
  const { locale } = new Intl.Collator().resolvedOptions();
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
  process.stdout.write(JSON.stringify({ hashes, locale, timeZone }));`;

interface Told {
  readonly hashes: readonly (readonly [string, string])[];
  readonly locale: string;
  readonly timeZone: string;
}

test.each(environments)(
  "T01, T08: $language, $zone, umask $umask, planted $order: the golden hashes",
  async ({ language, locale, zone, umask, order }) => {
    const place = join(folder, `in ${language}`);
    fs.mkdirSync(place);
    const child = spawn(process.execPath, ["--input-type=module", "--eval", program, place, String(umask), order], {
      env: { LANG: language, LC_ALL: language, TZ: zone },
      stdio: ["ignore", "pipe", "inherit"],
    });
    let out = "";
    for await (const chunk of child.stdout) out += String(chunk);
    const told = JSON.parse(out) as Told;
    // Otherwise this would prove nothing.
    expect([told.locale, told.timeZone]).toEqual([locale, zone]);
    expect(told.hashes).toEqual(golden.map(({ hash }) => [hash, hash]));
  },
);

test("the golden catalogs hold what those locales order in another way", () => {
  const paths = golden.flatMap((one) => Object.keys(treeOf(one)));
  const byCodeUnit = paths.toSorted();
  for (const locale of ["hr-HR", "tr-TR", "sv-SE", "en-US"])
    expect(paths.toSorted(new Intl.Collator(locale).compare)).not.toEqual(byCodeUnit);
});

const hasGit = spawnSync("git", ["--version"]).status === 0;

// Without git nothing is checked out: put it on the PATH to run this.
test.skipIf(!hasGit)("T04: a checkout by git has the same hash, whatever it makes of the ends of lines", () => {
  const home = join(folder, "home");
  fs.mkdirSync(home);
  const git = (...args: readonly string[]): void => {
    const env = { PATH: process.env["PATH"], HOME: home, GIT_CONFIG_NOSYSTEM: "1" };
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@example.org", ...args], { cwd: folder, env });
  };
  git("init", "--quiet", "origin");
  golden.forEach((one, at) => plantTree(join(folder, "origin", String(at)), treeOf(one)));
  git("-C", "origin", "add", "--all");
  git("-C", "origin", "commit", "--quiet", "--message", "catalogs");
  for (const setting of ["false", "true", "input"]) {
    git("clone", "--quiet", "--config", `core.autocrlf=${setting}`, "origin", setting);
    golden.forEach(({ hash }, at) => expect(hashCatalog(join(folder, setting, String(at)))).toBe(hash));
  }
  expect(fs.readFileSync(join(folder, "true/0/prompts/system.md"), "utf8")).toContain("\r\n");
});

test("what is shipped has the hash that it was shipped under, however it was written", () => {
  const tree: Tree = {
    "a.md": "\ufeff\ufeffone\r\ntwo\r\n",
    "b.json": "\ufeff{}\r\n",
    "c.bin": Buffer.from("\ufeff\r\n"),
    "d.txt": "in the middle \ufeff",
  };
  plantTree(join(folder, "written"), tree);
  const shipped = join(folder, "shipped");
  const { hash } = readCatalog(join(folder, "written"), {
    onFile: (path, bytes) => plantTree(shipped, { [path]: Uint8Array.from(bytes) }),
  });
  expect(hashCatalog(shipped)).toBe(hash);
  expect(fs.readFileSync(join(shipped, "a.md"), "utf8")).toBe("one\ntwo\n");
});

test("the same catalog makes the same manifest, to the byte", () => {
  const facts = {
    channel: { fleet: "writers", catalog: "main" },
    parent: null,
    target: { wireVersion: 1, eventLogSchema: 2, crdApiVersion: "moorage.dev/v1alpha1" },
    rootVersion: 1,
    created: "2026-01-01T00:00:00.000Z",
    expires: null,
  };
  const tree = treeOf(golden.find(({ what }) => what === "every usual folder")!);
  const digests = [tree, Object.fromEntries(Object.entries(tree).reverse())].map((one, at) =>
    digestOf(nextManifest(readCatalog(plantTree(join(folder, String(at)), one)), facts)),
  );
  // As another program made it.
  const digest = "sha256:ea63ece52c47f1c1ab0277032221b9f21b129d325e0c05b271c97ce9f8072dab";
  expect(digests).toEqual([digest, digest]);
});
