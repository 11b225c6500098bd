/** Decides which processes are provably an agent's. Pure; whatever is not proved is never signalled. */
import type { Kin, ProcessMark } from "./mark.ts";
import type { ProcessEntry } from "./process-table.ts";

type Proof =
  | { readonly kind: "ours"; readonly reason: string }
  | { readonly kind: "foreign"; readonly reason: string }
  /** It has one of our numbers, and nothing tells whether the number is still ours: neither ended nor passed over in silence. */
  | { readonly kind: "unproved"; readonly reason: string };

export interface ProveRequest {
  readonly mark: ProcessMark;
  /** See `EndTreeRequest`. */
  readonly continuity: "watched" | "recorded";
  readonly kin: readonly Kin[];
  /** The process that asks. */
  readonly self: number;
}

/** What a process shows by itself, or null when it takes a look at the others to tell. */
function proveMember(entry: ProcessEntry, request: ProveRequest): Proof | null {
  const { mark, kin, self } = request;
  if (entry.pid === self) return foreign("it is the process that looks");
  if (entry.start === null)
    return usesNumberOf(entry, mark) || kin.some(({ pid }) => pid === entry.pid)
      ? { kind: "unproved", reason: "when it started cannot be read" }
      : foreign("nothing ties it to the agent");
  if (entry.start < mark.start) return foreign("it started before the agent");
  if (entry.pid === mark.pid)
    return entry.start === mark.start
      ? ours("it is the process on record")
      : foreign("another process has the recorded number now");
  const { belonging } = entry;
  if (belonging.kind === "instance") {
    return belongsElsewhere(entry, mark) === null ? ours("it has the agent's marker in its environment") : null;
  }
  if (entry.holdsOutput === true) return ours("it holds the agent's output");
  if (kin.some(({ pid, start }) => pid === entry.pid && start === entry.start))
    return ours("it was seen among the agent's descendants");
  return null;
}

/** Whose else it says that it is, in its environment; null: nobody else's. */
function belongsElsewhere({ belonging }: ProcessEntry, { instance, attempt }: ProcessMark): string | null {
  if (belonging.kind !== "instance") return null;
  if (belonging.instance !== instance) return `it belongs to ${belonging.instance}`;
  return belonging.attempt === attempt ? null : "it belongs to another attempt of the agent";
}

export interface Proved {
  readonly entry: ProcessEntry;
  readonly proof: Proof;
}

/**
 * Every process of a scan with its proof. A group or session number proves something only while it cannot have been
 * given away: as long as a proved process (a zombie too) has kept it, or when the caller has watched all along.
 */
export function proveMembers(processes: readonly ProcessEntry[], request: ProveRequest): readonly Proved[] {
  const proofs = new Map<ProcessEntry, Proof>();
  const byPid = new Map(processes.map((entry) => [entry.pid, entry]));
  const isOurs = (entry: ProcessEntry | undefined): boolean =>
    entry !== undefined && proofs.get(entry)?.kind === "ours";
  let open: ProcessEntry[] = [];
  for (const entry of processes) {
    const proof = proveMember(entry, request);
    if (proof === null) open.push(entry);
    else proofs.set(entry, proof);
  }
  for (let before = -1; before !== open.length; ) {
    before = open.length;
    const numbers = keptNumbers(processes.filter(isOurs), request);
    open = open.filter((entry) => {
      const proof = proveByOthers(entry, byPid.get(entry.parent), isOurs, numbers, request);
      if (proof !== null) proofs.set(entry, proof);
      return proof === null;
    });
  }
  const recorded = byPid.get(request.mark.pid);
  const reused = recorded !== undefined && !isOurs(recorded) && recorded.start !== null;
  for (const entry of open) proofs.set(entry, proveByNumber(entry, request, reused));
  return processes.map((entry) => ({ entry, proof: proofs.get(entry) ?? foreign("nothing ties it to the agent") }));
}

/** The groups and sessions that are the agent's own, or were begun by one of its processes, and that one of them is still in. */
function keptNumbers(members: readonly ProcessEntry[], { mark, kin }: ProveRequest): ReadonlySet<number> {
  const begun = new Set([mark.group, mark.session, ...kin.map(({ pid }) => pid), ...members.map(({ pid }) => pid)]);
  return new Set(members.flatMap(numbersOf).filter((number) => begun.has(number)));
}

function proveByOthers(
  entry: ProcessEntry,
  parent: ProcessEntry | undefined,
  isOurs: (entry: ProcessEntry | undefined) => boolean,
  numbers: ReadonlySet<number>,
  { mark }: ProveRequest,
): Proof | null {
  // What another agent's supervisor was started by says nothing: it has a session of its own. Who stays in ours is ours.
  const elsewhere = belongsElsewhere(entry, mark) !== null;
  if (!elsewhere && isOurs(parent) && (parent?.start ?? 0) <= (entry.start ?? -1))
    return ours("a process of the agent's started it");
  if (entry.session !== null && numbers.has(entry.session)) return ours("it is in a session of the agent's");
  return numbers.has(entry.group) ? ours("it is in a group of the agent's") : null;
}

function proveByNumber(entry: ProcessEntry, { mark, continuity }: ProveRequest, reused: boolean): Proof {
  const elsewhere = belongsElsewhere(entry, mark);
  if (!usesNumberOf(entry, mark)) return foreign(elsewhere ?? "nothing ties it to the agent");
  if (reused) return foreign("its group is another process' by now");
  if (continuity === "watched") return ours("it is in the agent's group");
  if (elsewhere !== null) return foreign(elsewhere);
  return {
    kind: "unproved",
    reason: "it is in the recorded group, and nothing proves that the group is still the agent's",
  };
}

function usesNumberOf(entry: ProcessEntry, mark: ProcessMark): boolean {
  return entry.group === mark.group || (mark.session !== null && entry.session === mark.session);
}

function numbersOf({ group, session }: ProcessEntry): readonly number[] {
  return session === null ? [group] : [group, session];
}

function ours(reason: string): Proof {
  return { kind: "ours", reason };
}

function foreign(reason: string): Proof {
  return { kind: "foreign", reason };
}
