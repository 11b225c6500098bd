/** Sends a signal to one process on record, if it is proved to be that very one. */
import type { CatalogSignal, Kill } from "./end-tree.ts";
import type { ProcessMark } from "./mark.ts";
import type { ProcessTable } from "./process-table.ts";

export interface SignalRequest {
  readonly mark: ProcessMark;
  readonly signal: CatalogSignal;
  readonly table: ProcessTable;
  readonly kill: Kill;
}

/** `unproved`: nothing tells whether the number is still that process'; nothing was sent. */
export async function signalProcess({
  mark,
  signal,
  table,
  kill,
}: SignalRequest): Promise<ReturnType<Kill> | "unproved"> {
  const scan = await table.look([mark.pid]);
  if (scan.kind === "unreadable") return "unproved";
  const entry = scan.processes.find(({ pid }) => pid === mark.pid);
  if (entry === undefined) return "gone";
  return entry.start === mark.start ? kill(mark.pid, signal) : "unproved";
}
