/** From what is recorded and what the locks tell to what core is shown: pure, row by row of the table for one machine. */
import type { ContainerEvidence, Ending, Evidence, ObservedInstance } from "@moorage/core";
import { parseAttempt } from "@moorage/core";
import type { MachineIdentity } from "@moorage/harness";
import { compareMachines } from "@moorage/harness";
import type { RemovedRow, Status } from "./instance-row.ts";
import { startedAtOf } from "./instance-row.ts";

/** What one look at the locks of an incarnation found. */
export interface LockLook {
  /**
   * `gone`: there is no lock file, and the supervisor on record is proved to be no process any more. `elsewhere`: it lives,
   * and it was booted for another state directory, of which this one is a copy.
   */
  readonly supervisor: "held" | "free" | "gone" | "elsewhere" | "unjudgeable";
  readonly creator: "held" | "free" | "unjudgeable";
  /** Whether some process still holds the agent's output; null: nobody looked, or it cannot be told. */
  readonly outputHeld: boolean | null;
  /** Its supervisor holds its lock and was stopped (SIGSTOP): the process, to be named where somebody waits for it. */
  readonly stopped: number | null;
}

const creating = { code: "creating", message: "its supervisor is being started" } as const;

const copied =
  "this state directory is a copy: its supervisor lives and belongs to the directory that was copied, and only there it may be ended";

/** The container of a row. `here` is this machine, boot and PID namespace. */
export function containerOf(row: RemovedRow, look: LockLook, here: MachineIdentity): ContainerEvidence {
  const { status, claim } = row;
  if (status.phase === "ended") return { state: "terminated", ending: status.ending };
  if (look.supervisor === "held") return aliveContainer(row, look);
  const place = compareMachines(claim?.machine ?? row.creator, here);
  if (place === "otherMachine")
    return unjudgeable("otherMachine", "it was started on another machine, which may still run it");
  if (place === "cannotTell")
    return unjudgeable("unknownMachine", "this machine does not tell whether it is the one on which it was started");
  if (place === "rebooted") return claim === null ? { state: "abandoned" } : terminated("rebooted", row);
  if (look.supervisor === "elsewhere") return unjudgeable("copiedState", copied);
  if (look.supervisor === "unjudgeable" || (claim === null && look.creator === "unjudgeable"))
    return unjudgeable(
      "lockUnreadable",
      "the lock of its supervisor cannot be read, so nobody can tell whether it lives",
    );
  if (claim === null) return unclaimedContainer(look);
  if (place === "otherNamespace" && look.outputHeld !== false)
    return unjudgeable(
      "otherNamespace",
      "its supervisor was lost, and what it left is in another PID namespace, where it can be neither seen nor ended from here",
    );
  return terminated("supervisorLost", row);
}

/** Whether a deletion mark counts: only while somebody holds the lock to honour it. */
export function markCounts(look: LockLook, honoured: boolean): boolean {
  return honoured || look.supervisor === "held" || look.supervisor === "unjudgeable";
}

/** A row as core sees it; `stopped` is the supervisor that was stopped, if that is what a deletion waits for. */
export function observe(
  row: RemovedRow,
  container: ContainerEvidence,
  markIsGood: boolean,
  stopped: number | null = null,
): ObservedInstance {
  const holds = stopped === null ? [] : [stoppedWords(stopped)];
  return {
    name: row.name,
    fence: { uid: row.uid, resourceVersion: String(row.version) },
    labels: row.labels,
    annotations: row.annotations,
    deletion: row.deletionAt !== null && markIsGood ? { since: row.deletionAt, finalizers: holds } : null,
    evidence: { container, phase: phaseOf(container), nodeLost: null },
    attempt: attemptOf(row),
    startedAt: startedAtOf(row.status),
  };
}

/** The attempt that the Secret's name tells, which begins with the instance's own. */
function attemptOf(row: Pick<RemovedRow, "name" | "secret">): ObservedInstance["attempt"] {
  const prefix = `${row.name}-`;
  return row.secret.startsWith(prefix) ? (parseAttempt(row.secret.slice(prefix.length)) ?? null) : null;
}

/** The ending of a run that nobody saw end. */
export function lostEnding(reason: "supervisorLost" | "rebooted", detail: string | null): Ending {
  return { reason, exitCode: null, signal: null, detail, at: null };
}

function aliveContainer(row: RemovedRow, look: LockLook): ContainerEvidence {
  const { status } = row;
  if (look.stopped !== null && status.phase !== "running" && status.phase !== "ended")
    return waiting({ code: "supervisorStopped", message: stoppedWords(look.stopped) }, status);
  switch (status.phase) {
    case "running":
      return { state: "running" };
    case "spawned":
      return waiting({ code: "starting", message: "its process is there, its program was not seen yet" }, status);
    case "waiting":
      if (status.secretMissing)
        return {
          state: "waiting",
          ranBefore: false,
          cause: { code: status.code, message: status.message },
          suspicion: { kind: "secretMissing", secret: row.secret },
        };
      return waiting({ code: status.code, message: status.message }, status);
    case "ended":
      return { state: "terminated", ending: status.ending };
    default:
      return status satisfies never;
  }
}

function stoppedWords(pid: number): string {
  return `its supervisor (process ${pid}), which is stopped: \`kill -CONT ${pid}\` lets it go on`;
}

function unclaimedContainer(look: LockLook): ContainerEvidence {
  if (look.creator === "held") return waiting(creating, null);
  return { state: "abandoned" };
}

/** What ran before and is brought back is only observed, like what runs: another declaration is no reason to end it. */
function waiting(cause: { readonly code: string; readonly message: string }, status: Status | null): ContainerEvidence {
  const ranBefore = status !== null && startedAtOf(status) !== null;
  return { state: "waiting", ranBefore, cause, suspicion: { kind: "none" } };
}

function terminated(reason: "supervisorLost" | "rebooted", row: RemovedRow): ContainerEvidence {
  const detail = startedAtOf(row.status) === null ? "it had not been seen running" : null;
  return { state: "terminated", ending: lostEnding(reason, detail) };
}

function unjudgeable(code: string, message: string): ContainerEvidence {
  return { state: "unjudgeable", cause: { code, message } };
}

function phaseOf(container: ContainerEvidence): Evidence["phase"] {
  if (container.state === "running") return "running";
  return container.state === "terminated" ? "failed" : "pending";
}
