/** A child process from the attempt to spawn it to its exit: one that never came to be is a value, and no event without a listener. */
import type { ChildProcess, SpawnOptions } from "node:child_process";
import { spawn } from "node:child_process";
import type { GateExit } from "./gate.ts";

type SpawnedChild =
  | {
      readonly kind: "spawned";
      readonly child: ChildProcess;
      readonly pid: number;
      /** Resolves when the process ended; it is collected then. */
      readonly exited: Promise<GateExit>;
    }
  | { readonly kind: "failed"; readonly detail: string };

/** Never rejects. A spawn tells its number only once the exec has happened. */
export async function spawnChild(
  command: string,
  args: readonly string[],
  options: SpawnOptions,
): Promise<SpawnedChild> {
  let child: ChildProcess;
  try {
    child = spawn(command, args, options);
  } catch (error) {
    return { kind: "failed", detail: words(error) };
  }
  const exited = new Promise<GateExit>((resolve) => {
    child.once("exit", (code, signal) => resolve({ code, signal }));
  });
  // Errors after a number was told are those of signals and messages, which are never sent through this object.
  const failed = new Promise<SpawnedChild>((resolve) => {
    child.once("error", (error) => resolve({ kind: "failed", detail: words(error) }));
  });
  const { pid } = child;
  return pid === undefined ? await failed : { kind: "spawned", child, pid, exited };
}

function words(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
