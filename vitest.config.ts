// Which tests exist, by place: each project is one layer of docs' test table, and scripts/run.mjs and .ci/run choose among them.
import { defineConfig } from "vitest/config";

const quick = 20_000;
const long = 120_000;

function project(name: string, include: readonly string[], testTimeout: number, exclude: readonly string[] = []) {
  return {
    extends: true as const,
    test: {
      name,
      include: [...include],
      exclude: ["**/node_modules/**", ...exclude],
      testTimeout,
      hookTimeout: testTimeout,
    },
  };
}

export default defineConfig({
  test: {
    pool: "forks",
    maxWorkers: 2,
    // Real processes on a machine that others use may be late once; what fails twice is broken.
    retry: process.env["CI"] === "true" ? 1 : 0,
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
      project("unit", ["packages/*/src/**/*.test.ts"], quick, ["**/*.types.test.ts", "**/*.properties.test.ts"]),
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
      project("conformance", ["test/conformance/**/*.test.ts"], long),
      project("machine", ["test/machine/**/*.test.ts"], long, ["**/*.long.test.ts"]),
      project("long", ["test/**/*.long.test.ts"], 1_800_000),
      project("checks", ["test/checks/**/*.test.ts"], long),
      project("cluster", ["test/cluster/**/*.test.ts"], 300_000),
      project("pack", ["test/pack/**/*.test.ts"], 300_000),
    ],
  },
});
