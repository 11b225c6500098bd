/** How an agent's process comes to be and where its output goes: all that differs between a machine of many and a container of its own. */
import type { Clock } from "@moorage/core";
import type { GateRequest, Spawned } from "./gate.ts";
import { spawnGated } from "./gate.ts";
import type { LogWriter } from "./logs/log-writer.ts";
import type { Output, OutputPlaces } from "./output.ts";
import { openOutput } from "./output.ts";

export interface Launch {
  /** False: what is spawned is the agent's program from the beginning. */
  readonly gated: boolean;
  /** Absolute paths of what its output goes to, where holding one proves a process to be the agent's. */
  readonly outputs: readonly string[];
  /** `path` is where commands are looked for. Rejects in words when its output cannot be had. */
  open(path: string, clock: Clock): Promise<Output>;
  /** Resolves with a process whose program runs after `open()` of it, or with why there is none. */
  spawn(request: GateRequest): Promise<Spawned>;
  /** Nothing of the agent's comes any more. */
  close(): void;
}

/** Behind a gate, into FIFOs at these absolute, resolved places, which the log is written from. */
export function gatedLaunch(places: OutputPlaces, log: LogWriter): Launch {
  return {
    gated: true,
    outputs: [places.stdout, places.stderr],
    open: (path, clock) => openOutput(places, path, log, clock),
    spawn: spawnGated,
    close: () => log.close(),
  };
}
