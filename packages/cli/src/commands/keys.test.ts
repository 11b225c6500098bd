import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { CatalogHere } from "../bundle/bundle-commands.fixture.ts";
import { catalogHere } from "../bundle/bundle-commands.fixture.ts";

interface Keys {
  readonly outcome: string;
  readonly root: { readonly version: number; readonly digest: string };
  readonly keys: readonly { readonly keyId: string }[];
  readonly here: { readonly state: string; readonly keyId: string | null };
}

function trustOf({ folder }: CatalogHere): { readonly folder: string; readonly key: string; readonly root: string } {
  const trust = join(folder, "state/moorage/trust");
  return { folder: trust, key: join(trust, "signing.key"), root: join(trust, "root.json") };
}

test("init makes a key and a root once, and no answer ever holds a private part", async () => {
  await using here = catalogHere();
  expect(await here.json(["keys", "list"], "Error")).toMatchObject({ exit: 4, result: { code: "trustMissing" } });
  const made = await here.json<Keys>(["keys", "init"], "KeysInit");
  expect(made).toMatchObject({ exit: 0, result: { outcome: "made", root: { version: 1, threshold: 1 } } });
  expect((await here.json<Keys>(["keys", "init"], "KeysInit")).result).toEqual({ ...made.result, outcome: "already" });
  const { outcome: _, kind: __, ...same } = made.result as Keys & { kind: string };
  expect((await here.json(["keys", "list"], "KeysList")).result).toMatchObject(same);
  const { key } = trustOf(here);
  expect(statSync(key).mode & 0o777).toBe(0o600);
  const secret = readFileSync(key, "utf8").split("\n")[1] ?? "";
  const seed = Buffer.from(secret, "base64").subarray(-32);
  const answers = [
    await here.run(["keys", "list"]),
    await here.run(["keys", "list", "--json"]),
    await here.run(["keys", "init"]),
    await here.run(["keys", "init", "--json"]),
  ];
  for (const { stdout, stderr, exit } of answers) {
    expect(exit).toBe(0);
    expect(stdout).toContain(made.result.keys[0]?.keyId);
    for (const part of [secret, seed.toString("hex"), seed.toString("base64")])
      expect(stdout + stderr).not.toContain(part);
  }
});

test("a lost key is told with its way back, which a person confirms; what follows is said and works", async () => {
  await using here = catalogHere();
  await here.run(["bundle", "publish"]);
  const { folder, key } = trustOf(here);
  rmSync(key);
  here.write({ "catalog/prompts/system.md": "Other.\n" });
  const lost = await here.run(["bundle", "publish"]);
  expect(lost.exit).toBe(4);
  expect(lost.stderr).toContain("moorage keys init --lost");
  expect((await here.run(["keys", "init"])).stderr).toContain("moorage keys init --lost");
  expect(await here.json(["keys", "list"], "KeysList")).toMatchObject({
    exit: 0,
    result: { here: { state: "lost", keyId: null } },
  });
  // Nobody can be asked in a pipe.
  expect(await here.json(["keys", "init", "--lost"], "Error")).toMatchObject({
    exit: 4,
    result: { code: "notConfirmedByPerson" },
  });
  expect(existsSync(key)).toBe(false);
  const replaced = await here.run(["keys", "init", "--lost", "--yes"]);
  expect(replaced.exit).toBe(0);
  expect(replaced.stdout).toMatch(/moorage update apply[^]*moorage restart/);
  expect(readdirSync(folder).sort()).toEqual(["root-1.json", "root.json", "signing.key"]);
  expect(await here.json(["keys", "list"], "KeysList")).toMatchObject({
    result: { root: { version: 2 }, here: { state: "there" } },
  });
  // What the old key signed does not count any more, until it is published again.
  expect((await here.run(["bundle", "verify", "1"])).exit).toBe(4);
  here.write({ "catalog/prompts/system.md": "Write.\n" });
  expect((await here.run(["bundle", "publish"])).stdout).toContain("published 2 (");
  expect((await here.run(["bundle", "verify", "2"])).exit).toBe(0);
});

test("a key that is there is not lost", async () => {
  await using here = catalogHere();
  expect(await here.json(["keys", "init", "--lost", "--yes"], "Error")).toMatchObject({
    exit: 4,
    result: { code: "trustMissing" },
  });
  await here.run(["keys", "init"]);
  const before = readFileSync(trustOf(here).key, "utf8");
  expect(await here.json(["keys", "init", "--lost", "--yes"], "Error")).toMatchObject({
    exit: 4,
    result: { code: "signingKeyThere" },
  });
  expect(readFileSync(trustOf(here).key, "utf8")).toBe(before);
  expect((await here.run(["keys", "init", "--yes"])).exit).toBe(2);
});

test.each([
  ["signingKeyEmpty", "key", (path: string) => writeFileSync(path, "")],
  ["signingKeyUnknownForm", "key", (path: string) => writeFileSync(path, "nonsense")],
  ["signingKeyOpenToOthers", "key", (path: string) => chmodSync(path, 0o644)],
  ["trustRootDamaged", "root", (path: string) => writeFileSync(path, "")],
  ["trustRootDamaged", "root", (path: string) => writeFileSync(path, "{}")],
  ["trustOpenToOthers", "root", (path: string) => chmodSync(path, 0o666)],
] as const)(
  "%s: a %s that is damaged stops whoever signs with exit 4, and is never replaced",
  async (code, what, damage) => {
    await using here = catalogHere();
    await here.run(["keys", "init"]);
    const path = trustOf(here)[what];
    damage(path);
    const left = readFileSync(path, "utf8");
    for (const argv of [
      ["bundle", "publish"],
      ["keys", "init"],
      ["keys", "init", "--lost", "--yes"],
    ])
      expect(await here.json(argv, "Error")).toMatchObject({ exit: 4, result: { code } });
    expect(readFileSync(path, "utf8")).toBe(left);
  },
);
