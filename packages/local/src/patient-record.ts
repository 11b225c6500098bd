/** The record of an instance whose agent does not run: what is to be on it is written until it is, through locks and full disks. */
import type { Clock } from "@moorage/core";
import type { Recorded } from "@moorage/harness";
import type { InstanceRecord } from "./record.ts";

export interface PatientRecord {
  /** True: it is on record. False: it is no longer ours. */
  insist(write: () => Recorded): Promise<boolean>;
  /** Why nothing runs yet. */
  wait(code: string, message: string, secretMissing: boolean): Promise<boolean>;
  /** Resolves after a moment: whether nobody wants the agent any more. Then its end is on record. */
  endsWaiting(): Promise<boolean>;
  /** The same, at once; in words what a stop comes upon, if it had begun to be something. */
  isOver(detail?: string): Promise<boolean>;
  /** It cannot be started; the reason in words. */
  endBefore(detail: string): Promise<void>;
}

const waitMs = 250;

/** `stop` aborts when the supervisor itself is asked to end. */
export function patientRecord(record: InstanceRecord, clock: Clock, stop: AbortSignal): PatientRecord {
  async function insist(write: () => Recorded): Promise<boolean> {
    for (let pause = waitMs; ; pause = Math.min(2 * pause, 2_000)) {
      const recorded = write();
      if (recorded.kind !== "later") return recorded.kind === "recorded";
      await clock.sleep(pause);
    }
  }

  async function ended(reason: "stopped" | "notStarted", detail: string): Promise<void> {
    await insist(() => record.ended({ reason, exitCode: null, signal: null, detail, at: new Date().toISOString() }));
  }

  async function isOver(detail = "it had not been started"): Promise<boolean> {
    const look = record.look();
    if (look.kind === "gone") return true;
    if (!stop.aborted && (look.kind === "unreadable" || look.stop === null)) return false;
    await ended("stopped", detail);
    return true;
  }

  return {
    insist,
    wait: (code, message, secretMissing) =>
      insist(() => record.change({ status: { phase: "waiting", code, message, secretMissing } })),
    async endsWaiting() {
      await clock.sleep(waitMs, stop);
      return isOver();
    },
    isOver,
    endBefore: (detail) => ended("notStarted", detail),
  };
}
