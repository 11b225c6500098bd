/** What the parts of one open scope share. */
import type { BindingProfile, Clock, Random } from "@moorage/core";
import type { MachineIdentity, ProcessTable } from "@moorage/harness";
import type { ChangeWatch } from "./change-watch.ts";
import { Busy, type Database } from "./database.ts";
import type { LastSeen } from "./observe.ts";
import type { Registry } from "./registry.ts";
import type { TransientScope } from "./transient-scope.ts";

export interface ScopeCore {
  readonly stateDir: string;
  readonly database: Database;
  readonly clock: Clock;
  readonly random: Random;
  readonly profile: BindingProfile;
  readonly here: MachineIdentity;
  readonly table: ProcessTable;
  readonly watch: ChangeWatch;
  readonly registry: Registry | null;
  readonly background: Background;
  readonly lastSeen: LastSeen;
  readonly launchEnv: (name: string) => Readonly<Record<string, string>>;
  readonly supervisor: readonly [string, ...string[]];
  readonly transientScope: TransientScope | null;
}

/** How long a write waits for others in all, in milliseconds. */
const patienceMs = 3_000;

/** A write that waits for others without holding up this process; throws `Busy` in the end. */
export async function writePatiently<T>(
  core: Pick<ScopeCore, "database" | "clock" | "random">,
  body: () => T,
  lasting: "durably" | "soon" = "durably",
  told: "announced" | "untold" = "announced",
): Promise<T> {
  const { clock, random, database } = core;
  const until = clock.now() + patienceMs;
  for (;;) {
    try {
      return database.write(body, lasting, told);
    } catch (error) {
      if (!(error instanceof Busy) || clock.now() >= until) throw error;
    }
    await clock.sleep(2 + 18 * random.fraction());
  }
}

/** What goes on after a call has been answered: creates until the supervisor has taken over, removals until they are done. */
export class Background {
  readonly #working = new Set<Promise<void>>();
  readonly #closing = new AbortController();
  /** UIDs whose deletion mark this process honours: for it they count as marked whatever the lock says. */
  readonly honoured: Set<string> = new Set();

  /** Aborts when the scope is closed: whoever merely waits for others gives up. */
  get closing(): AbortSignal {
    return this.#closing.signal;
  }

  /** Work that `settled` waits for, until it is done or has failed. */
  work<T>(body: () => Promise<T>): Promise<T> {
    const working = body();
    const forget = (): void => void this.#working.delete(done);
    const done: Promise<void> = working.then(forget, forget);
    this.#working.add(done);
    return working;
  }

  async settled(): Promise<void> {
    while (this.#working.size > 0) await Promise.all(this.#working);
  }

  close(): void {
    this.#closing.abort();
  }
}
