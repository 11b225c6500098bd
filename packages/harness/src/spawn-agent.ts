/** Brings the agent's process up to its gate, with the mark that goes on record. */
import type { Gated } from "./gate.ts";
import type { Launch } from "./launch.ts";
import type { Output } from "./output.ts";
import type { ProcessMark } from "./process/mark.ts";
import type { ProcessTable } from "./process/process-table.ts";
import type { SupervisorSpec } from "./spec.ts";

export interface AgentProcess {
  readonly gated: Gated;
  readonly mark: ProcessMark;
  /** Its command line as long as it is the gate; null: it never was one. */
  readonly gateCommand: string | null;
}

export type SpawnedAgent =
  | { readonly kind: "spawned"; readonly process: AgentProcess }
  /** Nothing of it is left. */
  | { readonly kind: "failed"; readonly detail: string };

/** `at` is ISO 8601, for people. */
export async function spawnAgent(
  spec: SupervisorSpec,
  launch: Launch,
  output: Output,
  table: ProcessTable,
  at: string,
): Promise<SpawnedAgent> {
  const { command, args, directory } = spec;
  const env = environmentOf(spec);
  const spawned = await launch.spawn({ command, args, directory, env, stdout: output.stdout, stderr: output.stderr });
  output.release();
  if (spawned.kind === "failed") return spawned;
  const { gated } = spawned;
  const scan = await table.look([gated.pid]);
  const entry = scan.kind === "read" ? scan.processes.find(({ pid }) => pid === gated.pid) : undefined;
  if (entry === undefined || entry.start === null) {
    gated.close();
    await gated.exited;
    const why = scan.kind === "unreadable" ? `: ${scan.detail}` : "";
    return {
      kind: "failed",
      detail: `its process cannot be read, so that nothing could ever prove which one it is${why}`,
    };
  }
  const mark = {
    machine: spec.machine,
    pid: entry.pid,
    start: entry.start,
    group: entry.group,
    session: entry.session,
    instance: spec.instance,
    attempt: spec.attempt,
    outputs: launch.outputs,
    recordedAt: at,
  };
  return { kind: "spawned", process: { gated, mark, gateCommand: launch.gated ? entry.command : null } };
}

function environmentOf({ env, socketPath, catalogDir, instance, attempt }: SupervisorSpec): { [name: string]: string } {
  return {
    ...env,
    MOORAGE_SOCKET: socketPath,
    ...(catalogDir === null ? {} : { MOORAGE_CATALOG: catalogDir }),
    MOORAGE_INSTANCE: instance,
    MOORAGE_ATTEMPT: attempt,
  };
}
