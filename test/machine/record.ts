/** Changes what is on record in a state directory, as a crash, a restart of the machine or a reused number would leave it. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Place } from "./place.ts";
import { signal, supervisorsBelow, untilDead } from "./processes.ts";

interface Recorded {
  readonly claim: { pid: number; start: number; machine: Record<string, string> };
  readonly status: {
    phase: string;
    mark: { pid: number; start: number; group: number; session: number; machine: Record<string, string> };
  };
}

/** Of the one instance that is there. */
export function editRecord(place: Place, edit: (recorded: Recorded) => void): void {
  const database = new DatabaseSync(join(place.state, "state.db"), { timeout: 5_000 });
  try {
    const row = database.prepare("SELECT claim, status FROM instances").get() as { claim: string; status: string };
    const recorded: Recorded = { claim: JSON.parse(row.claim), status: JSON.parse(row.status) };
    edit(recorded);
    const { claim, status } = recorded;
    database.prepare("UPDATE instances SET claim = ?, status = ?").run(JSON.stringify(claim), JSON.stringify(status));
  } finally {
    database.close();
  }
}

/** Kills the supervisor and, where it is told, the agent too: the record still says that both run. */
export async function loseSupervisor(place: Place, agent: number | null = null): Promise<void> {
  for (const { pid } of supervisorsBelow(place.dir)) {
    signal(pid, "SIGKILL");
    await untilDead(pid);
  }
  if (agent === null) return;
  signal(agent, "SIGKILL");
  await untilDead(agent);
}

/** As `/proc` tells it: clock ticks since boot. */
export function startOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19]);
}
