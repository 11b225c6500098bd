import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { makePodFolder } from "./pod-folder.ts";

const uid = process.getuid?.() ?? 0;
let directory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "f-"));
});
afterEach(() => rmSync(directory, { recursive: true }));

it("it is made in the temporary folder, for its owner alone", () => {
  const folder = makePodFolder([directory, "/nowhere"], uid);
  expect(folder).toEqual({
    kind: "made",
    socketPath: join(directory, `.moorage-${uid}`, "socket"),
    factsPath: join(directory, `.moorage-${uid}`, "facts"),
  });
  expect(statSync(join(directory, `.moorage-${uid}`)).mode & 0o777).toBe(0o700);
});

it("what others may use is passed over, and each place is told when there is none", () => {
  const shared = join(directory, "shared");
  mkdirSync(join(shared, `.moorage-${uid}`), { recursive: true });
  chmodSync(join(shared, `.moorage-${uid}`), 0o777);
  const file = join(directory, "file");
  writeFileSync(file, "");
  const folder = makePodFolder([shared, file], uid);
  expect(folder).toMatchObject({ kind: "none", detail: expect.stringContaining(`${shared}: others may use it`) });
  expect(folder).toMatchObject({ detail: expect.stringContaining(`${file}: `) });
  expect(makePodFolder([shared, file, directory], uid)).toMatchObject({ kind: "made" });
});

it("a place whose socket's path would be too long is passed over", () => {
  const long = join(directory, "x".repeat(90));
  mkdirSync(long);
  expect(makePodFolder([long, directory], uid)).toMatchObject({
    socketPath: join(directory, `.moorage-${uid}`, "socket"),
  });
});
