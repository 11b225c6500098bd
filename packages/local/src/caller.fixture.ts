/** Other processes with the same state directory, for tests that kill them. */
import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { Place } from "./scope.fixture.ts";
import { until } from "./scope.fixture.ts";

export interface Caller {
  readonly pid: number;
  /** Whether it says this line before it ends. */
  said(line: string): Promise<boolean>;
}

/** A script in a module of its own: `scope` is open, `look(identity)` reads one instance. */
export function callerScript(
  place: Place,
  body: string,
  options: { readonly stateDir?: string; readonly supervisor?: readonly string[] } = {},
): string {
  return `
    import { openScope } from ${moduleName("./open-scope.ts")};
    import { awakeClock } from ${moduleName("../../harness/src/index.ts")};
    import { systemRandom } from ${moduleName("../../keys/src/index.ts")};
    const scope = await openScope({
      stateDir: ${JSON.stringify(options.stateDir ?? place.stateDir)}, mode: "write", clock: awakeClock(), random: systemRandom,
      registryDir: null, launchEnv: { PATH: process.env.PATH, MOORAGE_TEST: ${JSON.stringify(place.directory)} },
      ${options.supervisor === undefined ? "" : `supervisor: ${JSON.stringify(options.supervisor)},`}
    });
    const look = async (identity) => (await scope.substrate.readInstances(identity)).instances[0] ?? null;
    ${body}`;
}

/** The name of a file beside this one, as a script imports it. */
export function moduleName(path: string): string {
  return JSON.stringify(fileURLToPath(new URL(path, import.meta.url)));
}

export const moduleArguments = ["--input-type=module-typescript", "-e"] as const;

/** Boots the script; it is among `started`, which whoever calls ends. */
export function startCaller(script: string, started: ChildProcess[]): Caller {
  const child = spawn(process.execPath, [...moduleArguments, script], { stdio: ["ignore", "pipe", "inherit"] });
  started.push(child);
  let text = "";
  child.stdout.on("data", (bytes: Buffer) => {
    text += bytes.toString();
  });
  return {
    pid: child.pid ?? 0,
    async said(line) {
      await until(
        () => `it says ${line}, not ${text}`,
        () => text.split("\n").includes(line) || child.exitCode !== null,
      );
      return text.split("\n").includes(line);
    },
  };
}
