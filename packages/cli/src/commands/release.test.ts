import { rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { catalogHere, declaration } from "../bundle/bundle-commands.fixture.ts";

interface Fleets {
  readonly fleets: readonly {
    readonly agents: readonly { readonly agent: string; readonly buildId: string; readonly moved?: boolean }[];
  }[];
}

const two = `${declaration("scribe")}---\n${declaration("editor")}`;

test("publish records the declared builds by fleet, and list tells them", async () => {
  await using here = catalogHere();
  here.write({ "agent.yaml": two });
  expect((await here.run(["release", "list"])).stdout).toContain("no build was published");
  const first = await here.json<Fleets>(["release", "publish", "scribe"], "ReleasePublished");
  expect(first).toMatchObject({
    exit: 0,
    result: { fleets: [{ fleet: "writers", agents: [{ agent: "scribe", moved: true }] }] },
  });
  const all = await here.run(["release", "publish"]);
  expect(all).toMatchObject({ exit: 0, stderr: "" });
  expect(all.stdout).toMatch(
    /editor of writers: build [0-9a-f]{8} is published\nscribe of writers: build [0-9a-f]{8} was published already\n/,
  );
  const { result } = await here.json<Fleets>(["release", "list"], "ReleaseList");
  expect(result.fleets[0]?.agents.map(({ agent }) => agent)).toEqual(["editor", "scribe"]);
  expect(result.fleets[0]?.agents[1]?.buildId).toBe(first.result.fleets[0]?.agents[0]?.buildId);
  expect((await here.run(["release", "list", "others"])).stdout).toContain("no build was published");
});

test("a release never moves a catalog: an edited one is to be published as a bundle first", async () => {
  await using here = catalogHere();
  await here.run(["bundle", "publish"]);
  expect((await here.run(["release", "publish"])).exit).toBe(0);
  here.write({ "agent.yaml": declaration("scribe").replace("600", "601"), "catalog/prompts/system.md": "Other.\n" });
  const refused = await here.run(["release", "publish"]);
  expect(refused).toMatchObject({ exit: 4, stdout: "" });
  expect(refused.stderr).toMatch(/was edited since number 1 of writers\/catalog[^]*moorage bundle publish/);
  expect(await here.json(["release", "publish"], "Error")).toMatchObject({ exit: 4, result: { code: "catalogMoved" } });
  await here.run(["bundle", "publish"]);
  expect(await here.json(["release", "publish"], "ReleasePublished")).toMatchObject({
    exit: 0,
    result: { fleets: [{ agents: [{ moved: true }] }] },
  });
});

test("several at once are all recorded", async () => {
  await using here = catalogHere();
  const names = ["a", "b", "c", "d"];
  here.write({ "agent.yaml": names.map((name) => declaration(name)).join("---\n") });
  await here.run(["keys", "init"]);
  const exits = await Promise.all(names.map((name) => here.run(["release", "publish", name])));
  expect(exits.map(({ exit }) => exit)).toEqual([0, 0, 0, 0]);
  const { result } = await here.json<Fleets>(["release", "list"], "ReleaseList");
  expect(result.fleets[0]?.agents.map(({ agent }) => agent)).toEqual(names);
});

test.each([
  [["publish", "nobody"], 2, "no agent nobody is declared"],
  [["publish", "--on", "kubernetes"], 2, "for agents on this machine"],
  [["list", "--file", "x"], 2, "has no flag --file"],
  [["retract"], 2, "there are: publish, list"],
] as const)("release %j ends with %d and says why", async (argv, exit, said) => {
  await using here = catalogHere();
  const ran = await here.run(["release", ...argv]);
  expect({ exit: ran.exit, said: ran.stderr }).toEqual({ exit, said: expect.stringContaining(said) as string });
});

test("without a declaration, or without a build for this machine, it is said", async () => {
  await using here = catalogHere();
  here.write({ "agent.yaml": declaration("scribe").replace('exec sleep 600"]', 'exec sleep 600"], files: [gone.ts]') });
  expect(await here.json(["release", "publish"], "Error")).toMatchObject({
    exit: 2,
    result: { code: "buildFileMissing" },
  });
  here.write({
    "agent.yaml": declaration("scribe").replace(/command: .*\]/, `image: x.example/a@sha256:${"1".repeat(64)}`),
  });
  expect(await here.json(["release", "publish"], "Error")).toMatchObject({ exit: 2 });
  rmSync(join(here.folder, "agent.yaml"));
  expect(await here.json(["release", "publish"], "Error")).toMatchObject({
    exit: 2,
    result: { code: "declarationMissing" },
  });
});
