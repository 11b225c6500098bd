// Which tests exist, by place: each project is one layer of docs' test table, and scripts/run.mjs and .ci/run choose among them.
import { join } from "node:path";
import { defineConfig } from "vitest/config";

// Processes that tests start run the sources, and stripping types again and again was two thirds of all they did.
process.env["NODE_COMPILE_CACHE"] ??= join(import.meta.dirname, "node_modules", ".cache", "moorage");

const quick = 20_000;
const long = 120_000;

/** Real processes on a machine that others use may be late once; what fails twice is broken. Second tries are told. */
const secondTry = process.env["CI"] === "true" ? 1 : 0;

function project(
  name: string,
  include: readonly string[],
  testTimeout: number,
  exclude: readonly string[] = [],
  retry = 0,
) {
  return {
    extends: true as const,
    test: {
      name,
      retry,
      include: [...include],
      exclude: ["**/node_modules/**", ...exclude],
      testTimeout,
      hookTimeout: testTimeout,
    },
  };
}

/** Packages whose units start processes, and those whose units do not. */
const processes = ["local", "harness"];
const unit = ["agent", "bundle", "cli", "core", "keys", "kubernetes", "provider"];
const longRounds = "**/*.long.test.ts";
const notUnit = ["**/*.types.test.ts", "**/*.properties.test.ts"];

export default defineConfig({
  test: {
    pool: "forks",
    maxWorkers: 2,
    globalSetup: ["test/guards/processes.ts"],
    setupFiles: ["test/guards/handles.ts"],
    coverage: {
      provider: "v8",
      include: ["packages/*/src/**/*.ts"],
      exclude: ["**/*.test.ts", "**/*.fixture.ts", "**/*.d.ts"],
      reporter: ["text", "json-summary"],
      reportsDirectory: "coverage",
      reportOnFailure: true,
    },
    projects: [
      project(
        "unit",
        unit.map((name) => `packages/${name}/src/**/*.test.ts`),
        quick,
        [...notUnit, longRounds],
      ),
      project(
        "processes",
        processes.map((name) => `packages/${name}/src/**/*.test.ts`),
        quick,
        [...notUnit, longRounds],
        secondTry,
      ),
      {
        extends: true,
        test: {
          name: "types",
          include: [],
          typecheck: {
            enabled: true,
            only: true,
            include: ["packages/*/src/**/*.types.test.ts"],
            tsconfig: "tsconfig.types.json",
            checker: "tsc",
          },
        },
      },
      project("properties", ["packages/*/src/**/*.properties.test.ts", "test/properties/**/*.test.ts"], long),
      project("simulation", ["test/simulation/**/*.test.ts"], long),
      project("conformance", ["test/conformance/**/*.test.ts"], long, [], secondTry),
      project("machine", ["test/machine/**/*.test.ts"], long, [longRounds], secondTry),
      project("provider", ["test/provider/**/*.test.ts"], quick, [longRounds], secondTry),
      project("long", [`test/${longRounds}`, `packages/*/src/${longRounds}`], 1_800_000, [], secondTry),
      project("checks", ["test/checks/**/*.test.ts"], long),
      project("cluster", ["test/cluster/**/*.test.ts"], 300_000, ["test/cluster/faults/**"], secondTry),
      project("faults", ["test/cluster/faults/**/*.test.ts"], 300_000, [], secondTry),
      project("pack", ["test/pack/**/*.test.ts"], 300_000),
    ],
  },
});
