import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { catalogHere, declaration } from "../bundle/bundle-commands.fixture.ts";

const channel = { fleet: "writers", catalog: "catalog" };
const edited = "Write short sentences.\n";

/** Others, such as macOS's own, do not know Ed25519. */
const openssl = /^OpenSSL ([3-9]|\d\d)\./.test(spawnSync("openssl", ["version"], { encoding: "utf8" }).stdout ?? "");

interface Envelope {
  readonly payloadType: string;
  readonly payload: string;
  readonly signatures: readonly { readonly sig: string }[];
}

interface Published {
  readonly bundles: readonly { readonly outcome: string; readonly sequence: number; readonly digest: string }[];
}

test("build says what a catalog holds and what is left out, and makes nothing", async () => {
  await using here = catalogHere();
  here.write({
    "catalog/notes.draft": "x",
    "catalog/.moorageignore": "*.draft\n*.never\n",
    "catalog/catalog.yaml": "components:\n  - { match: 'prompts/**', kind: persona, effect: start }\n",
  });
  const text = await here.run(["bundle", "build"]);
  expect(text).toMatchObject({ exit: 0, stderr: "" });
  for (const part of [
    "writers/catalog from",
    "v1:sha256:",
    "prompts/system.md",
    "left out: notes.draft (*.draft)",
    "*.never matches nothing",
  ])
    expect(text.stdout).toContain(part);
  const { exit, result } = await here.json<{ catalogs: object[]; output: null }>(["bundle", "build"], "BundleBuild");
  expect(exit).toBe(0);
  expect(result.output).toBeNull();
  expect(result.catalogs).toMatchObject([
    {
      channel,
      ignored: [{ path: ".moorageignore" }, { path: "notes.draft", rule: "*.draft" }],
      unmatched: [{ file: ".moorageignore", glob: "*.never" }],
    },
  ]);
  expect(existsSync(join(here.folder, "state"))).toBe(false);
});

test("a folder that nobody declares is built without a channel", async () => {
  await using here = catalogHere();
  here.write({ "other/a.md": "a\n" });
  const { result } = await here.json<{ catalogs: object[] }>(["bundle", "build", "other"], "BundleBuild");
  expect(result.catalogs).toMatchObject([{ channel: null, target: null }]);
  expect(await here.run(["bundle", "build", "other", "--output", "x"])).toMatchObject({
    exit: 2,
    stderr: expect.stringContaining("no channel") as string,
  });
});

test("what must not be shipped is refused with file and line, and nothing is published", async () => {
  await using here = catalogHere();
  const pem = ["-----BEGIN PRIVATE", "KEY-----"].join(" ");
  here.write({
    "catalog/tools.json": '{\n  "a": 1,\n  "a": 2\n}\n',
    "catalog/prompts/key.md": `line\n${pem}\nMC4CAQ\n`,
  });
  for (const command of ["build", "publish"]) {
    const ran = await here.run(["bundle", command]);
    expect(ran.exit).toBe(2);
    expect(ran.stderr).toContain("prompts/key.md:2");
    expect(ran.stderr).toContain("tools.json:3");
  }
  expect(await here.json(["bundle", "publish"], "Error")).toMatchObject({
    exit: 2,
    result: { code: "catalogInvalid" },
  });
  expect((await here.run(["bundle", "show", "1"])).exit).toBe(4);
});

test("publish puts a catalog at the head once, says that nothing is delivered, and verify and show tell what is there", async () => {
  await using here = catalogHere();
  const first = await here.run(["bundle", "publish"]);
  expect(first).toMatchObject({ exit: 0, stderr: "" });
  expect(first.stdout).toMatch(/^published 1 \([0-9a-f]{8}\) in writers\/catalog\n.*nothing is delivered/);
  expect((await here.run(["bundle", "publish", "catalog"])).stdout).toContain("has it already: 1 (");
  here.write({ "catalog/prompts/system.md": edited });
  const second = await here.json<Published>(["bundle", "publish"], "BundlesPublished");
  expect(second).toMatchObject({ exit: 0, result: { bundles: [{ channel, outcome: "published", sequence: 2 }] } });
  const digest = second.result.bundles[0]?.digest ?? "";
  for (const word of ["2", digest, "writers/catalog@2"])
    expect(await here.json(["bundle", "show", word], "BundleInfo")).toMatchObject({
      exit: 0,
      result: { digest, channel, sequence: 2, head: true, assigned: false, confirmed: false, agent: null },
    });
  const all = await here.json<{ channels: { bundles: object[] }[] }>(["bundle", "show"], "BundleList");
  expect(all.result.channels[0]?.bundles).toMatchObject([
    { sequence: 2, head: true },
    { sequence: 1, head: false },
  ]);
  for (const word of ["1", "2", digest]) {
    const verified = await here.run(["bundle", "verify", word]);
    expect(verified.exit).toBe(0);
    expect(verified.stdout).toMatch(
      /verified[^]*signed by {3}[0-9a-f]{64}[^]*trust root {2}version 1, 1 of 1 key, sha256:/,
    );
  }
});

test("who lost the race is told how to see what came in between", async () => {
  await using here = catalogHere();
  await here.run(["bundle", "build", "--output", "a.bundle"]);
  await here.run(["bundle", "sign", "a.bundle"]);
  here.write({ "catalog/prompts/system.md": edited });
  expect(await here.run(["bundle", "publish"])).toMatchObject({ exit: 0 });
  const lost = await here.run(["bundle", "publish", "a.bundle"]);
  expect(lost.exit).toBe(5);
  const [, command = ""] = /`moorage (bundle diff [^`]+)`/.exec(lost.stdout) ?? [];
  const ran = await here.run(command.split(" "));
  expect(ran).toMatchObject({ exit: 0, stdout: expect.stringContaining("Write short sentences.") as string });
});

test("diff goes down to the line and the value, between bundles, files and folders", async () => {
  await using here = catalogHere();
  here.write({ "catalog/route.json": '{"model":"small"}\n' });
  await here.run(["bundle", "publish"]);
  await here.run(["bundle", "build", "--output", "one.bundle"]);
  here.write({ "catalog/prompts/system.md": edited, "catalog/route.json": '{"model":"large"}\n' });
  expect(await here.run(["bundle", "diff", "1", "one.bundle"])).toMatchObject({
    exit: 0,
    stdout: expect.stringContaining("hold the same") as string,
  });
  for (const [before, after] of [
    ["1", "catalog"],
    ["one.bundle", "./catalog"],
  ] as const) {
    const { stdout } = await here.run(["bundle", "diff", before, after]);
    expect(stdout).toContain('~ model: "small" → "large"');
    expect(stdout).toContain("1 + Write short sentences.");
    const { result } = await here.json<{ changes: object[] }>(["bundle", "diff", before, after], "BundleDiff");
    expect(result.changes).toMatchObject([
      { kind: "changed", leaves: [{ kind: "lines", removed: ["Write."], added: ["Write short sentences."] }] },
      { kind: "changed", leaves: [{ kind: "changed", path: "model", before: "small", after: "large" }] },
    ]);
  }
});

describe("a bundle in a file", () => {
  test("is built, refused without a signature, signed, verified, published once, and read elsewhere", async () => {
    await using here = catalogHere();
    expect((await here.run(["bundle", "build", "--output", "a.bundle"])).stdout).toContain("it is not signed");
    await here.run(["keys", "init"]);
    const unsigned = await here.json(["bundle", "verify", "a.bundle"], "BundleVerification");
    expect(unsigned).toMatchObject({ exit: 4, result: { verdict: "refused", reason: "unsigned", sequence: 1 } });
    for (const command of ["verify", "publish"])
      expect((await here.run(["bundle", command, "a.bundle"])).stderr).toContain("run `moorage bundle sign a.bundle`");
    expect(await here.json(["bundle", "publish", "a.bundle"], "Error")).toMatchObject({
      exit: 4,
      result: { code: "bundleRefused" },
    });
    expect(await here.json(["bundle", "sign", "a.bundle"], "BundleSigned")).toMatchObject({
      exit: 0,
      result: { added: true, signatures: 1 },
    });
    expect(await here.json(["bundle", "sign", "a.bundle"], "BundleSigned")).toMatchObject({
      exit: 0,
      result: { added: false, signatures: 1 },
    });
    expect(await here.json(["bundle", "verify", "a.bundle"], "BundleVerification")).toMatchObject({
      exit: 0,
      result: {
        verdict: "verified",
        channel,
        sequence: 1,
        root: { version: 1, threshold: 1 },
        checked: { files: 1, bytes: 7 },
      },
    });
    expect((await here.run(["bundle", "show", "a.bundle"])).stdout).toContain("prompts/system.md");
    expect(await here.json(["bundle", "publish", "a.bundle"], "BundlesPublished")).toMatchObject({
      exit: 0,
      result: { bundles: [{ outcome: "published" }] },
    });
    expect(await here.json(["bundle", "publish", "a.bundle"], "BundlesPublished")).toMatchObject({
      exit: 0,
      result: { bundles: [{ outcome: "already" }] },
    });
  });

  test.skipIf(!openssl)("is signed so that openssl says so too, with the key that `keys list` shows", async () => {
    await using here = catalogHere();
    await here.run(["bundle", "build", "--output", "a.bundle"]);
    await here.run(["bundle", "sign", "a.bundle"]);
    const { result } = await here.json<{ keys: { publicKey: string }[] }>(["keys", "list"], "KeysList");
    const [first = "", line = ""] = readFileSync(join(here.folder, "a.bundle"), "latin1").split("\n");
    expect(first).toBe(`moorage.dev/bundle-file/v1 ${line.length + 1}`);
    const { payloadType, payload, signatures } = JSON.parse(line) as Envelope;
    const body = Buffer.from(payload, "base64");
    const before = `DSSEv1 ${payloadType.length} ${payloadType} ${body.length} `;
    const spki = Buffer.from(`302a300506032b6570032100${result.keys[0]?.publicKey}`, "hex").toString("base64");
    here.write({ pub: `-----BEGIN PUBLIC KEY-----\n${spki}\n-----END PUBLIC KEY-----\n` });
    writeFileSync(join(here.folder, "message"), Buffer.concat([Buffer.from(before), body]));
    writeFileSync(join(here.folder, "signature"), Buffer.from(signatures[0]?.sig ?? "", "base64"));
    const options = ["-verify", "-pubin", "-inkey", "pub", "-rawin", "-in", "message", "-sigfile", "signature"];
    const said = spawnSync("openssl", ["pkeyutl", ...options], { cwd: here.folder, encoding: "utf8" });
    expect(said.stdout + said.stderr).toContain("Signature Verified Successfully");
  });

  test("whose channel went on since loses with exit 5, and is not tried again", async () => {
    await using here = catalogHere();
    await here.run(["bundle", "build", "--output", "a.bundle"]);
    await here.run(["bundle", "sign", "a.bundle"]);
    here.write({ "catalog/prompts/system.md": edited });
    await here.run(["bundle", "publish"]);
    const lost = await here.json(["bundle", "publish", "a.bundle"], "BundlesPublished");
    expect(lost).toMatchObject({ exit: 5, result: { bundles: [{ outcome: "worldMoved", sequence: 1 }] } });
    expect((await here.run(["bundle", "publish", "a.bundle"])).stdout).toContain(
      "somebody else published in writers/catalog",
    );
    expect((await here.run(["bundle", "show", "2"])).exit).toBe(4);
    expect(await here.json(["bundle", "verify", "a.bundle"], "BundleVerification")).toMatchObject({
      exit: 4,
      result: { reason: "equivocation" },
    });
  });

  test("with a byte changed anywhere never verifies and is never published", async () => {
    await using here = catalogHere();
    await here.run(["bundle", "build", "--output", "a.bundle"]);
    await here.run(["bundle", "sign", "a.bundle"]);
    const whole = readFileSync(join(here.folder, "a.bundle"));
    for (const at of [0, 40, Math.floor(whole.length / 2), whole.length - 2]) {
      writeFileSync(join(here.folder, "a.bundle"), whole.with(at, (whole[at] ?? 0) ^ 1));
      expect(await here.json(["bundle", "verify", "a.bundle"], "BundleVerification")).toMatchObject({
        exit: 4,
        result: { verdict: "refused" },
      });
      expect((await here.run(["bundle", "publish", "a.bundle"])).exit).toBe(4);
    }
    expect((await here.run(["bundle", "show", "1"])).exit).toBe(4);
  });

  test("of somebody else's key is refused, and is not replaced by what is no bundle", async () => {
    await using here = catalogHere();
    await using there = catalogHere();
    await there.run(["bundle", "build", "--output", join(here.folder, "a.bundle")]);
    await there.run(["bundle", "sign", join(here.folder, "a.bundle")]);
    await here.run(["keys", "init"]);
    expect(await here.json(["bundle", "verify", "a.bundle"], "BundleVerification")).toMatchObject({
      exit: 4,
      result: { reason: "wrongKey" },
    });
    expect(await here.json(["bundle", "publish", "a.bundle"], "Error")).toMatchObject({
      exit: 4,
      result: { details: { reason: "wrongKey" } },
    });
    here.write({ mine: "my own notes\n" });
    expect(await here.json(["bundle", "build", "--output", "mine"], "Error")).toMatchObject({
      exit: 4,
      result: { code: "wouldOverwrite" },
    });
    expect(readFileSync(join(here.folder, "mine"), "utf8")).toBe("my own notes\n");
  });
});

test("what is damaged in the store is told by verify, and published again", async () => {
  await using here = catalogHere();
  await here.run(["bundle", "publish"]);
  const { result } = await here.json<{ digest: string }>(["bundle", "show", "1"], "BundleInfo");
  const file = join(here.folder, "state/moorage/bundles/sha256", `${result.digest.slice(-64)}.bundle`);
  const whole = readFileSync(file);
  writeFileSync(file, whole.fill("x", whole.length - 2));
  expect(await here.json(["bundle", "verify", "1"], "BundleVerification")).toMatchObject({
    exit: 4,
    result: { reason: "payloadWrong" },
  });
  writeFileSync(file, whole.subarray(0, -2));
  expect(await here.json(["bundle", "verify", "1"], "BundleVerification")).toMatchObject({
    exit: 4,
    result: { reason: "payloadMissing" },
  });
  expect(await here.json(["bundle", "publish"], "BundlesPublished")).toMatchObject({
    exit: 0,
    result: { bundles: [{ outcome: "published", sequence: 2 }] },
  });
  expect((await here.run(["bundle", "verify", "2"])).exit).toBe(0);
  const { result: second } = await here.json<{ digest: string }>(["bundle", "show", "2"], "BundleInfo");
  for (const [at, damage] of [rmSync, (path: string) => writeFileSync(path, "")].entries()) {
    const { result: newest } = await here.json<{ digest: string }>(["bundle", "show", String(at + 2)], "BundleInfo");
    damage(join(here.folder, "state/moorage/bundles/sha256", `${newest.digest.slice(-64)}.bundle`));
    expect((await here.run(["release", "publish"])).stderr).toContain("run `moorage bundle publish`");
    expect(await here.json(["bundle", "publish"], "BundlesPublished")).toMatchObject({
      exit: 0,
      result: { bundles: [{ outcome: "published", sequence: at + 3 }] },
    });
  }
  expect((await here.run(["bundle", "show", second.digest])).exit).toBe(4);
  expect((await here.run(["bundle", "verify", "4"])).exit).toBe(0);
});

test("of an agent that runs show and diff tell what it has in use, and publishing warns when no agent has the formats", async () => {
  await using here = catalogHere();
  expect((await here.run(["deploy"])).exit).toBe(0);
  expect(await here.json(["bundle", "show", "scribe"], "BundleInfo")).toMatchObject({
    exit: 0,
    result: { agent: "scribe", sequence: 1, head: true, assigned: true },
  });
  here.write({ "catalog/prompts/system.md": edited });
  expect((await here.run(["bundle", "diff", "scribe", "catalog"])).stdout).toContain("1 + Write short sentences.");
  const fits = await here.run(["bundle", "publish"]);
  expect(fits).toMatchObject({ exit: 0, stderr: "" });
  here.write({ "agent.yaml": declaration("scribe", "  fingerprint: { wireVersion: 2 }\n") });
  const unfit = await here.run(["bundle", "publish"]);
  expect(unfit.exit).toBe(0);
  expect(unfit.stderr).toContain("none of the 1 agent of writers/catalog that runs has the formats");
  expect(await here.json(["bundle", "publish"], "BundlesPublished")).toMatchObject({
    result: { bundles: [{ outcome: "already", sequence: 3, running: 1, matching: 0 }] },
  });
});

test("two declared formats behind one catalog, and several channels behind one number, are refused", async () => {
  await using here = catalogHere();
  here.write({
    "agent.yaml": `${declaration("scribe")}---\n${declaration("editor", "  fingerprint: { wireVersion: 2 }\n")}`,
  });
  expect(await here.json(["bundle", "publish"], "Error")).toMatchObject({ exit: 2, result: { code: "formatsDiffer" } });
  here.write({
    "agent.yaml": `${declaration("scribe")}---\n${declaration("editor").replace("./catalog", "./second")}`,
    "second/a.md": "a\n",
  });
  const published = await here.json<Published>(["bundle", "publish"], "BundlesPublished");
  expect(published.result.bundles).toHaveLength(2);
  expect(await here.run(["bundle", "show", "1"])).toMatchObject({
    exit: 2,
    stderr: expect.stringContaining("writers/catalog@1, writers/second@1") as string,
  });
  expect((await here.run(["bundle", "show", "writers/second@1"])).stdout).toContain("a.md");
});

test.each([
  [["show", "7"], 4, "there is no bundle 7"],
  [["show", "99999999999"], 4, "there is no bundle 99999999999"],
  [["show", "writers/catalog@3"], 4, "there is no bundle 3"],
  [["show", "sha256:12"], 2, "no digest"],
  [["show", `sha256:${"0".repeat(64)}`], 4, "not in the store"],
  [["show", "nobody"], 4, "no agent that is here"],
  [["show", "./none"], 2, "is not there"],
  [["show", "catalog"], 2, "run `moorage bundle build catalog`"],
  [["show", "agent.yaml"], 4, "is no bundle"],
  [["show", "/dev/null"], 4, "is no file"],
  [["diff", "1"], 2, "bundle diff needs A B"],
  [["diff", "1", "empty"], 2, "holds no file"],
  [["verify", "catalog"], 2, "no bundle yet"],
  [["verify", "agent.yaml"], 4, "is no bundle"],
  [["verify", "none.bundle"], 4, "no agent that is here"],
  [["sign", "none.bundle"], 2, "is not there"],
  [["sign", "agent.yaml"], 4, "is no bundle"],
  [["sign"], 2, "bundle sign needs FILE"],
  [["publish", "none.bundle"], 2, "is not there"],
  [["publish", "agent.yaml"], 4, "is no bundle"],
  [["publish", "empty"], 2, "the catalog of no declared agent"],
  [["build", "none"], 2, "is not there"],
  [["build", "--output", "no/where"], 2, "is not there"],
  [["build", "--on", "kubernetes"], 2, "for agents on this machine"],
] as const)("bundle %j ends with %d and says why", async (argv, exit, said) => {
  await using here = catalogHere();
  mkdirSync(join(here.folder, "empty"));
  await here.run(["bundle", "publish"]);
  const ran = await here.run(["bundle", ...argv]);
  expect({ exit: ran.exit, said: ran.stderr.replaceAll("\n", " ") }).toEqual({
    exit,
    said: expect.stringContaining(said) as string,
  });
  expect(ran.stderr).toContain("hint:");
  expect(ran.stdout).toBe("");
});

test("without a catalog or a declaration it is said", async () => {
  await using here = catalogHere();
  here.write({ "agent.yaml": declaration("scribe").replace("  catalog: ./catalog\n", "") });
  for (const command of ["build", "publish", "show"])
    expect(await here.run(["bundle", command])).toMatchObject({
      exit: 2,
      stderr: expect.stringContaining("catalog") as string,
    });
  rmSync(join(here.folder, "agent.yaml"));
  expect(await here.json(["bundle", "publish"], "Error")).toMatchObject({
    exit: 2,
    result: { code: "declarationMissing" },
  });
  expect((await here.run(["bundle", "build", "catalog"])).exit).toBe(0);
});
