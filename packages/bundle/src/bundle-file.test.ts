import fs from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { BundleError } from "./bundle-error.ts";
import { readBundleFile, writeBundleFile } from "./bundle-file.ts";
import { temporaryFolder } from "./catalog-folder.fixture.ts";
import { addSignatures, signEnvelope } from "./dsse.ts";
import { manifestBytes } from "./manifest.ts";
import { makeKey, manifestOf, optionsFor, rootOf } from "./signed-bundle.fixture.ts";
import { bundlePayloadType, verifyBundle } from "./verify-bundle.ts";

const files = { "a.md": "one\n", "b/c.txt": "", "z.bin": "\u0000\u0001" };
const manifest = manifestOf(files);
const key = makeKey();
const root = rootOf([key]);
const { payload } = optionsFor(root, files);
const unsigned = signEnvelope(bundlePayloadType, manifestBytes(manifest), []);

let folder: string;
let file: string;
beforeEach(() => {
  folder = temporaryFolder();
  file = join(folder, "writers.bundle");
});
afterEach(() => fs.rmSync(folder, { recursive: true, force: true }));

function code(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    if (error instanceof BundleError) return error.code;
    throw error;
  }
  return "none";
}

test("comes back as it was written, and is signed in its place", () => {
  writeBundleFile(file, unsigned, payload);
  const first = readBundleFile(file);
  expect(first.manifest).toEqual(manifest);
  expect(verifyBundle(first.bytes, optionsFor(root, {}, { payload: first.payload }))).toMatchObject({
    reason: "unsigned",
  });
  writeBundleFile(file, addSignatures(first.envelope, [key]), first.payload);
  const second = readBundleFile(file);
  expect(verifyBundle(second.bytes, optionsFor(root, {}, { payload: second.payload })).kind).toBe("verified");
  expect(fs.readdirSync(folder)).toEqual(["writers.bundle"]);
});

test("what is no bundle, cut at any byte, or has more behind it is refused", () => {
  writeBundleFile(file, unsigned, payload);
  const whole = fs.readFileSync(file);
  for (let length = 0; length < whole.length; length += 1) {
    fs.writeFileSync(file, whole.subarray(0, length));
    expect(`${length} ${code(() => readBundleFile(file))}`).toBe(`${length} bundleFileInvalid`);
  }
  fs.writeFileSync(file, Buffer.concat([whole, Buffer.from("x")]));
  expect(code(() => readBundleFile(file))).toBe("bundleFileInvalid");
});

test("what never ends, or is no file at all, is not read", () => {
  fs.writeFileSync(file, "");
  fs.truncateSync(file, 2 ** 31);
  expect(code(() => readBundleFile(file))).toBe("bundleFileInvalid");
  expect(code(() => readBundleFile("/dev/zero"))).toBe("bundleFileInvalid");
  expect(code(() => readBundleFile(folder))).toBe("bundleFileInvalid");
  expect(code(() => readBundleFile(join(folder, "none")))).toBe("bundleFileMissing");
});

test("nothing that is no bundle is overwritten, and nothing that is not signed for is written", () => {
  fs.writeFileSync(file, "a person's own\n");
  expect(code(() => writeBundleFile(file, unsigned, payload))).toBe("wouldOverwrite");
  expect(code(() => writeBundleFile(folder, unsigned, payload))).toBe("wouldOverwrite");
  expect(fs.readFileSync(file, "utf8")).toBe("a person's own\n");
  expect(code(() => writeBundleFile(join(folder, "no/where"), unsigned, payload))).toBe("bundleFileMissing");
  expect(() => writeBundleFile(join(folder, "new"), unsigned, () => Buffer.from("other"))).toThrow(
    "not what was signed",
  );
  expect(fs.readdirSync(folder)).toEqual(["writers.bundle"]);
});
