/** Who descends from whom in a list of processes. */
import type { Kin } from "./mark.ts";
import type { ProcessEntry, ProcessUsage } from "./process-table.ts";

type Parented = Pick<ProcessEntry, "pid" | "parent" | "start">;

/** The leader, when it is still the same process, and everything below it by parent id; a snapshot to remember. */
export function descendants(processes: readonly Parented[], leader: Kin): readonly Kin[] {
  const root = processes.find(({ pid, start }) => pid === leader.pid && start === leader.start);
  if (root === undefined) return [];
  const children = childrenOf(processes);
  const found = new Map<number, Kin>([[leader.pid, leader]]);
  const waiting = [leader];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop())
    for (const { pid, start } of children.get(next.pid) ?? []) {
      // A child is never older than its parent; where it seems so, one of the numbers was given away in between.
      if (start === null || start < next.start || found.has(pid)) continue;
      const kin = { pid, start };
      found.set(pid, kin);
      waiting.push(kin);
    }
  return [...found.values()];
}

interface Measured extends Parented {
  readonly group: number;
  readonly session: number | null;
  readonly residentBytes: number;
  readonly cpuSeconds: number;
}

/** The usage of each leader's tree: what descends from it, or sits in the group or session that it leads. */
export function sumTrees(
  processes: readonly Measured[],
  leaders: readonly number[],
): ReadonlyMap<number, ProcessUsage> {
  const children = childrenOf(processes);
  const byNumber = new Map<number, Measured[]>();
  for (const each of processes)
    for (const number of new Set([each.group, each.session ?? each.group])) {
      const members = byNumber.get(number);
      if (members === undefined) byNumber.set(number, [each]);
      else members.push(each);
    }
  const present = new Map(processes.map((each) => [each.pid, each]));
  const sums = new Map<number, ProcessUsage>();
  for (const leader of leaders) {
    const root = present.get(leader);
    if (root === undefined) continue;
    const members = new Set<Measured>([root, ...(byNumber.get(leader) ?? [])]);
    // A set may grow while it is walked: what is added is walked too.
    for (const member of members) for (const child of children.get(member.pid) ?? []) members.add(child);
    let residentBytes = 0;
    let cpuSeconds = 0;
    for (const member of members) {
      residentBytes += member.residentBytes;
      cpuSeconds += member.cpuSeconds;
    }
    sums.set(leader, { residentBytes, cpuSeconds, processes: members.size });
  }
  return sums;
}

function childrenOf<P extends Parented>(processes: readonly P[]): ReadonlyMap<number, readonly P[]> {
  const children = new Map<number, P[]>();
  for (const each of processes) {
    const siblings = children.get(each.parent);
    if (siblings === undefined) children.set(each.parent, [each]);
    else siblings.push(each);
  }
  return children;
}
