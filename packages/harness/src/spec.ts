/** What one supervisor is told about its agent; everything is settled before it starts. */
import type { HealthSource } from "./health.ts";
import type { MachineIdentity } from "./process/machine.ts";

export interface SupervisorSpec {
  /** Name and attempt of the instance: the marker in the agent's environment. */
  readonly instance: string;
  readonly attempt: string;
  readonly machine: MachineIdentity;
  /** Found in the environment's PATH unless it has a slash; relative to `directory`. */
  readonly command: string;
  readonly args: readonly string[];
  readonly directory: string;
  /** The agent's whole environment, secret values included, but for the `MOORAGE_` variables that the supervisor adds. */
  readonly env: Readonly<{ [name: string]: string }>;
  readonly drainMs: number;
  /** More than `drainMs`. */
  readonly graceMs: number;
  /** Null: never. */
  readonly idleMs: number | null;
  readonly health: HealthSource;
  /** The read-only copy made at start (`copyCatalog`); null when the agent has none. */
  readonly catalogDir: string | null;
  /** From `chooseSocketPath`. */
  readonly socketPath: string;
  readonly factsPath: string;
}

/** A supervisor that was told something impossible: a defect of the caller. */
export class HarnessFault extends Error {
  readonly code: string;
  readonly hint: string;

  constructor(code: string, message: string, hint: string) {
    super(message);
    this.code = code;
    this.hint = hint;
  }
}

/** Throws a `HarnessFault` for durations that contradict each other. Milliseconds. */
export function checkSpec(spec: Pick<SupervisorSpec, "drainMs" | "graceMs" | "idleMs">): void {
  if (!(spec.drainMs >= 0) || !(spec.graceMs > spec.drainMs))
    throw new HarnessFault(
      "graceTooShort",
      `grace (${spec.graceMs} ms) must be more than drain (${spec.drainMs} ms)`,
      "raise grace or lower drain in the declaration",
    );
  if (spec.idleMs !== null && !(spec.idleMs > 0))
    throw new HarnessFault(
      "idleZero",
      "an idle limit of 0 would end the agent at once",
      "give a limit, or `idle: never`",
    );
}
