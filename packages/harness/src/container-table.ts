/** The process table of a container without what people start in it from outside (`kubectl exec`): that is not the agent's. */
import type { ProcessEntry, ProcessTable } from "./process/process-table.ts";

export function containerTable(table: ProcessTable): ProcessTable {
  return {
    ...table,
    async scan(evidence) {
      const scan = await table.scan(evidence);
      return scan.kind === "read" ? { kind: "read", processes: fromInside(scan.processes, table.self) } : scan;
    },
  };
}

/**
 * Whatever comes in from outside has no parent here, as its first process has none. All that the agent starts ends up below
 * that first process, however often its own parents end.
 */
export function fromInside(processes: readonly ProcessEntry[], self: number): readonly ProcessEntry[] {
  const byPid = new Map(processes.map((entry) => [entry.pid, entry]));
  const topOf = (entry: ProcessEntry): number => {
    const seen = new Set<number>();
    let top = entry;
    for (let next: ProcessEntry | undefined = entry; next !== undefined && !seen.has(next.pid); ) {
      seen.add(next.pid);
      top = next;
      next = byPid.get(next.parent);
    }
    return top.pid;
  };
  const own = byPid.get(self);
  const inside = new Set([1, own === undefined ? 1 : topOf(own)]);
  return processes.filter((entry) => inside.has(topOf(entry)));
}
