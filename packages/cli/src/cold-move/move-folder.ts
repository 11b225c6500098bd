/** Where a fleet's cold move keeps what the kernel holds for it: the lock of whoever carries it out, and its migration's sign of life. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";

export interface MovePlace {
  readonly folder: string;
  /** Held by whoever carries the move out, and freed at their death. */
  readonly lock: string;
  /** A FIFO that a migration holds open as long as any process of it lives. */
  readonly alive: string;
  /** What the last migration wrote. */
  readonly output: string;
}

/** Names of fleets are words that lead nowhere else. The folder is made where it is missing, for its owner alone. */
export function movePlace(stateDir: string, fleet: string): MovePlace {
  const folder = join(stateDir, "moves", fleet);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return {
    folder,
    lock: join(folder, "executor.lock"),
    alive: join(folder, "migration.alive"),
    output: join(folder, "migration.out"),
  };
}
