/** Boots the supervisor of an instance: detached, in a session of its own, with nothing of the caller's but what it is told. */
import { spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { getCompileCacheDir } from "node:module";
import { dirname } from "node:path";
import type { InstanceRow } from "./instance-row.ts";
import type { ScopeCore } from "./scope-core.ts";
import type { TransientScope } from "./transient-scope.ts";

export interface Boot {
  /** Why it ended, once it has. */
  ended: string | null;
}

/** `log` receives what it has to say, which is nothing unless it is broken. What keeps it from being started is its end. */
export function bootSupervisor(
  core: ScopeCore,
  row: Pick<InstanceRow, "name" | "uid">,
  log: string,
  scope: TransientScope | null,
): Boot {
  const told = [core.stateDir, row.name, row.uid, core.registry?.directory ?? ""];
  const command = [...(scope?.prefix ?? []), ...core.supervisor, ...told];
  const [program, ...args] = command;
  if (program === undefined) throw new Error("a supervisor has a command line");
  const boot: Boot = { ended: null };
  try {
    const output = openSync(log, "a", 0o600);
    try {
      const child = spawn(program, args, {
        cwd: core.stateDir,
        detached: true,
        stdio: ["ignore", "ignore", output],
        env: { ...environment(core.launchEnv(row.name)), ...ownMark(row.name), ...scope?.env },
      });
      child.once("error", (error) => {
        boot.ended = error.message;
      });
      child.once("exit", (code, signal) => {
        boot.ended = signal === null ? `exit code ${code}` : `ended by ${signal}`;
      });
      child.unref();
    } finally {
      closeSync(output);
    }
  } catch (error) {
    // No space for its log, no descriptor, no memory: nothing was started.
    boot.ended = error instanceof Error ? error.message : String(error);
  }
  return boot;
}

/**
 * Started from inside another agent, it is no part of that: neither while the command that boots it still runs, nor where a
 * subreaper of that agent's becomes its parent. Of no attempt, it is no part of its own agent either.
 */
function ownMark(instance: string): Record<string, string> {
  return { MOORAGE_INSTANCE: instance, MOORAGE_ATTEMPT: "supervisor" };
}

/** Only what Node and the socket's place need: NODE_OPTIONS and the like of a caller must not reach into it. */
function environment(launchEnv: Readonly<Record<string, string>>): Record<string, string> {
  const kept = ["PATH", "HOME", "TMPDIR", "LANG", "TZ"] as const;
  const cache = getCompileCacheDir();
  return {
    ...Object.fromEntries(kept.flatMap((key) => (launchEnv[key] === undefined ? [] : [[key, launchEnv[key]]]))),
    // Without compiled code at hand the sources alone cost it twice the memory. Node adds its own version to the path.
    ...(cache === undefined ? {} : { NODE_COMPILE_CACHE: dirname(cache) }),
  };
}
