// The provider as one executable with a Node inside: it answers with nothing around it, where this Node can be made into one.
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { whyNoExecutable } from "../../scripts/sea-fuse.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const why = whyNoExecutable(process.execPath, process.platform);
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "sea-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test.skipIf(why !== null)(`answers with nothing around it${why === null ? "" : ` (${why})`}`, () => {
  const made = spawnSync(process.execPath, ["scripts/sea.ts"], { cwd: root, encoding: "utf8" });
  expect(made).toMatchObject({ status: 0, stderr: "" });
  const program = join(folder, "buzz-backend-moorage");
  copyFileSync(join(root, "build", "sea", "buzz-backend-moorage"), program);
  const ask = (request: object) => {
    const { status, stdout, stderr } = spawnSync(program, [], {
      cwd: folder,
      env: { PATH: "/nowhere", HOME: folder },
      input: JSON.stringify(request),
      encoding: "utf8",
    });
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    return JSON.parse(stdout) as unknown;
  };
  expect(ask({ op: "info" })).toMatchObject({ ok: true, protocol_version: 1 });
  const refused = { ok: false, error: expect.stringContaining("agent.relay_url: is required") };
  expect(ask({ op: "deploy", agent: { auth_tag: "of-the-owner" } })).toMatchObject(refused);
});

test("a Node without a place for a program is told apart by its file", () => {
  expect(whyNoExecutable(fileURLToPath(import.meta.url), "linux")).toMatch(/no place for a program/);
  expect(whyNoExecutable(process.execPath, "win32")).toBe("it is not made on win32");
});
