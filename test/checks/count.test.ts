// The closing line of `npm test` is true: whatever went wrong, something is counted as failed.
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";

const scripts = fileURLToPath(new URL("../../scripts/", import.meta.url));
let house: string;

beforeEach(() => {
  house = realpathSync(mkdtempSync(join(tmpdir(), "count-")));
  for (const folder of ["scripts", "build", "node_modules/.bin", "node_modules/vitest"])
    mkdirSync(join(house, folder), { recursive: true });
  for (const file of ["run.mjs", "install.mjs"]) cpSync(join(scripts, file), join(house, "scripts", file));
  for (const file of ["package-lock.json", "node_modules/.package-lock.json"])
    writeFileSync(join(house, file), '{ "packages": {} }');
  symlinkSync(process.execPath, join(house, "node_modules/.bin/node"));
});

afterEach(() => rmSync(house, { recursive: true }));

interface File {
  readonly path: string;
  readonly status: "passed" | "failed";
  readonly tests: readonly ("passed" | "failed" | "skipped")[];
}

/** Runs one suite with a runner that reports these files and exits so; what the closing line says. */
function closingLine(
  files: readonly File[] | "no report",
  exit: number,
): { line: string | undefined; code: number | null } {
  const testResults =
    files === "no report"
      ? undefined
      : files.map(({ path, status, tests }) => ({
          name: join(house, path),
          status,
          assertionResults: tests.map((result) => ({ status: result })),
        }));
  writeFileSync(
    join(house, "node_modules/vitest/vitest.mjs"),
    `import { writeFileSync } from "node:fs";
const report = process.argv.find((word) => word.startsWith("--outputFile.json=")).slice(18);
const results = ${JSON.stringify(testResults ?? null)};
if (results !== null) writeFileSync(report, JSON.stringify({ testResults: results }));
process.exitCode = ${exit};\n`,
  );
  const { stdout, status } = spawnSync(process.execPath, ["scripts/run.mjs", "suite", "checks"], {
    cwd: house,
    encoding: "utf8",
  });
  return { line: stdout.trimEnd().split("\n").at(-1), code: status };
}

const good: File = { path: "test/checks/a.test.ts", status: "passed", tests: ["passed", "passed"] };

test("what passed and what failed is added up over the files", () => {
  const bad: File = { path: "test/checks/b.test.ts", status: "failed", tests: ["passed", "failed", "skipped"] };
  expect(closingLine([good, bad], 1)).toEqual({ line: "3 passed, 1 failed", code: 1 });
  expect(closingLine([good], 0)).toEqual({ line: "2 passed, 0 failed", code: 0 });
});

test("a file that does not even load has failed", () => {
  const broken: File = { path: "test/checks/b.test.ts", status: "failed", tests: [] };
  expect(closingLine([good, broken], 1)).toEqual({ line: "2 passed, 1 failed", code: 1 });
});

test("a leak that the guard finds when all tests have passed is a failure", () => {
  expect(closingLine([good], 1)).toEqual({ line: "2 passed, 1 failed", code: 1 });
});

test("a runner that dies has failed, and so has one that finds no test", () => {
  expect(closingLine("no report", 1)).toEqual({ line: "0 passed, 1 failed", code: 1 });
  expect(closingLine([], 0)).toEqual({ line: "0 passed, 1 failed", code: 1 });
});
