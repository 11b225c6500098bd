import fs from "node:fs";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { BundleError } from "./bundle-error.ts";
import { plantTree, temporaryFolder } from "./catalog-folder.fixture.ts";
import { formatLockText, parseFormatLock, parseFormatSources, readFormatContent } from "./format-files.ts";
import { checkLock, type DeclaredFormats, type FormatContent, type FormatLock, updateLock } from "./format-lock.ts";

function content(...texts: readonly string[]): FormatContent {
  return texts.map((text, at) => ({ path: `proto/${at}.proto`, sha256: text.padStart(64, "0") }));
}

function declared(version: number, files: FormatContent): DeclaredFormats {
  return {
    wireVersion: { version, files },
    eventLogSchema: { version: 1, files: [] },
    crdApiVersion: { version: "moorage.dev/v1", files: [] },
  };
}

function locked(...steps: readonly (readonly [DeclaredFormats, boolean])[]): FormatLock {
  let lock: FormatLock = {};
  for (const [formats, accept] of steps) {
    const update = updateLock(formats, lock, accept);
    if (update.kind !== "updated") throw new Error(update.kind);
    lock = update.lock;
  }
  return lock;
}

const [a, b, c] = [content("a"), content("b"), content("c")] as const;
const kinds = (formats: DeclaredFormats, lock: FormatLock): string[] =>
  checkLock(formats, lock).map(({ kind }) => kind);

describe("content and version", () => {
  test("nothing is locked, then it is, and an axis without files asks for nothing", () => {
    expect(kinds(declared(1, a), {})).toEqual(["notLocked"]);
    expect(kinds(declared(1, []), {})).toEqual([]);
    const lock = locked([declared(1, a), false]);
    expect(kinds(declared(1, a), lock)).toEqual([]);
    expect(updateLock(declared(1, a), lock, false)).toEqual({ kind: "unchanged" });
  });

  test("content that moved without its version is told by file, with what to do", () => {
    const lock = locked([declared(1, content("a", "b")), false]);
    const [finding] = checkLock(declared(1, content("a", "x", "c")), lock);
    expect(finding).toMatchObject({
      kind: "contentMoved",
      axis: "wireVersion",
      files: [
        { path: "proto/1.proto", change: "changed" },
        { path: "proto/2.proto", change: "added" },
      ],
    });
    expect(finding?.message).toContain("wire version 1 moved");
    expect(finding?.message).toContain("proto/1.proto (changed)");
    expect(finding?.hint).toContain("--accept compatible");
    expect(checkLock(declared(1, []), lock)[0]?.files.map(({ change }) => change)).toEqual(["removed", "removed"]);
    expect(updateLock(declared(1, b), lock, false).kind).toBe("refused");
  });

  test("a person's word keeps every content that was ever locked under the number", () => {
    const lock = locked([declared(1, a), false], [declared(1, b), true], [declared(1, c), true]);
    expect(lock.wireVersion).toEqual({ version: 1, files: c, accepted: [a, b], earlier: [] });
    expect(kinds(declared(1, c), lock)).toEqual([]);
    expect(kinds(declared(1, a), lock)).toEqual(["contentMoved"]);
  });

  test("a version that moved is locked anew, and what was before it is kept", () => {
    const first = locked([declared(1, a), false]);
    expect(kinds(declared(2, b), first)).toEqual(["versionMoved"]);
    expect(kinds(declared(2, a), first)).toEqual(["versionMoved"]);
    const lock = locked([declared(1, a), false], [declared(1, b), true], [declared(2, c), false]);
    expect(lock.wireVersion).toEqual({
      version: 2,
      files: c,
      accepted: [],
      earlier: [{ version: 1, contents: [a, b] }],
    });
  });

  test("a number that stood for other content before is refused, whatever anybody says", () => {
    const lock = locked([declared(1, a), false], [declared(2, b), false]);
    expect(kinds(declared(1, c), lock)).toEqual(["versionReused"]);
    expect(updateLock(declared(1, c), lock, true).kind).toBe("refused");
    // Back to what it was: a build of the past, and its content is still known.
    expect(locked([declared(1, a), false], [declared(2, b), false], [declared(1, a), false]).wireVersion).toEqual({
      version: 1,
      files: a,
      accepted: [],
      earlier: [{ version: 2, contents: [b] }],
    });
  });

  test("each axis by itself, in their order", () => {
    const all = (text: string): DeclaredFormats => ({
      wireVersion: { version: 1, files: content(text) },
      eventLogSchema: { version: 1, files: content(text) },
      crdApiVersion: { version: "moorage.dev/v1", files: content(text) },
    });
    const lock = locked([all("a"), false]);
    const moved = { ...all("b"), eventLogSchema: { version: 2, files: content("b") } };
    expect(checkLock(moved, lock).map(({ axis, kind }) => `${axis} ${kind}`)).toEqual([
      "wireVersion contentMoved",
      "eventLogSchema versionMoved",
      "crdApiVersion contentMoved",
    ]);
  });
});

describe("files", () => {
  let folder: string;
  beforeEach(() => {
    folder = temporaryFolder();
  });
  afterEach(() => fs.rmSync(folder, { recursive: true, force: true }));

  test("the lock is read back as it was written, and any other is refused by its place", () => {
    const lock = locked([declared(1, a), false], [declared(1, b), true], [declared(2, c), false]);
    const text = formatLockText(lock);
    expect(parseFormatLock(Buffer.from(text))).toEqual(lock);
    for (const bad of [
      "",
      "{}",
      text.replace('"version": 2', '"version": "2"'),
      text.replace('"version": 2', '"version": 2, "version": 2'),
      text.replace('"accepted"', '"Accepted"'),
      text.replace("lock/v1", "lock/v2"),
      text.replace("proto/0.proto", "../x"),
      text.replace('"wireVersion"', '"wire"'),
      // As it is left where two branches were merged by keeping both.
      text.replace('"files": [', '"files": [{ "path": "proto/0.proto", "sha256": "' + "0".repeat(64) + '" },'),
      text.replace('"earlier": [', '"earlier": [{ "version": 1, "contents": [] },'),
      text.replace('"earlier": [', '"earlier": [{ "version": 2, "contents": [] },'),
      `<<<<<<< ours\n${text}=======\n${text}>>>>>>> theirs\n`,
    ])
      expect(() => parseFormatLock(Buffer.from(bad))).toThrow(BundleError);
  });

  test("T80: a lock of another version of Moorage is told with both", () => {
    const next = formatLockText({}).replace("lock/v1", "lock/v2").replace("{", '{ "more": 1,');
    expect(() => parseFormatLock(Buffer.from(next))).toThrow(/fingerprint-lock\/v2.*reads.*fingerprint-lock\/v1/);
  });

  test("sources name files and folders", () => {
    expect(parseFormatSources("")).toEqual({});
    expect(parseFormatSources("wireVersion: [proto/a.binpb]\ncrdApiVersion: [crds]\n")).toEqual({
      wireVersion: ["proto/a.binpb"],
      crdApiVersion: ["crds"],
    });
    for (const bad of [
      "wire: [a]\n",
      "wireVersion: a\n",
      "wireVersion: [../a]\n",
      "wireVersion: [/a]\n",
      "wireVersion: [1]\n",
      "- a\n",
    ])
      expect(() => parseFormatSources(bad)).toThrow(
        expect.objectContaining({ name: "BundleError", flaws: [expect.objectContaining({ line: 1 })] }),
      );
  });

  test("T04, T10: the content counts, not how it was checked out, nor anything beside it", () => {
    const sources = parseFormatSources("wireVersion: [proto, d.binpb]\n");
    const tree = {
      "proto/a.proto": "message A {}\n",
      "proto/sub/b.proto": "message B {}\n",
      "d.binpb": Buffer.from([0, 13, 10]),
    };
    plantTree(folder, { ...tree, "package.json": '{"version":"1.0.0"}' });
    const before = readFormatContent(sources, folder);
    expect(before.wireVersion.map(({ path }) => path)).toEqual(["d.binpb", "proto/a.proto", "proto/sub/b.proto"]);
    plantTree(folder, { ...tree, "proto/a.proto": "message A {}\r\n", "package.json": '{"version":"2.0.0"}' });
    expect(readFormatContent(sources, folder)).toEqual(before);
    plantTree(folder, { "proto/a.proto": "message A { string x = 1; }\n" });
    expect(readFormatContent(sources, folder)).not.toEqual(before);
  });

  test("a file that is not there, and one that leads out of its folder", () => {
    const sources = parseFormatSources("eventLogSchema: [schema]\n");
    expect(() => readFormatContent(sources, folder)).toThrow(/schema: is not there/);
    plantTree(folder, { "schema/a.sql": { link: "/etc/hostname" } });
    expect(() => readFormatContent(sources, folder)).toThrow(/leads out/);
    fs.rmSync(`${folder}/schema`, { recursive: true });
    fs.symlinkSync("schema", `${folder}/schema`);
    expect(() => readFormatContent(sources, folder)).toThrow(BundleError);
  });
});
