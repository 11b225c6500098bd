/** Watches the promises while a history runs: what was alive, what each call knew when it asked for something, what it answered. */
import type { AbsentSecrets, Identity, IntentDigest, ObservedInstance } from "@moorage/core";
import type { Witness } from "./nodes.ts";

export type PromiseName = "P1" | "P2" | "P3" | "P4" | "P5" | "P6" | "answer" | "limits" | "secrets" | "rest";

export interface Violation {
  readonly promise: PromiseName;
  readonly at: number;
  readonly message: string;
}

/** When a container ran; `to` is null while it does. */
interface Run {
  readonly from: number;
  to: number | null;
}

interface Container {
  readonly identity: string;
  readonly runs: Run[];
  /** Somebody removed its object before its end was confirmed: P1 says nothing about it. */
  excused: boolean;
}

export class Promises implements Witness {
  readonly violations: Violation[] = [];
  readonly #containers = new Map<string, Container>();
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  broken(promise: PromiseName, message: string): void {
    this.violations.push({ promise, at: this.#now(), message });
  }

  began(identity: string, uid: string): void {
    const known = this.#containers.get(uid) ?? { identity, runs: [], excused: false };
    known.runs.push({ from: this.#now(), to: null });
    this.#containers.set(uid, known);
    const together = this.#aliveOf(identity);
    if (together.length > 1) this.broken("P1", `${together.join(" and ")} of one identity run side by side`);
  }

  ended(_identity: string, uid: string): void {
    const run = this.#containers.get(uid)?.runs.at(-1);
    if (run !== undefined) run.to = this.#now();
  }

  removedUnconfirmed(uid: string): void {
    const container = this.#containers.get(uid);
    if (container !== undefined) container.excused = true;
  }

  /** Whether it ran at any moment from `from` until now. */
  ranSince(uid: string, from: number): boolean {
    return this.#containers.get(uid)?.runs.some(({ to }) => to === null || to >= from) === true;
  }

  alive(identity: string): number {
    return this.#aliveOf(identity).length;
  }

  #aliveOf(identity: string): string[] {
    const alive: string[] = [];
    for (const [uid, container] of this.#containers) {
      const runs = container.runs.at(-1)?.to === null;
      if (runs && !container.excused && container.identity === identity) alive.push(uid);
    }
    return alive;
  }
}

/** Ours by marker and full identity; an oracle of its own, so that a mistake in `verify` shows. */
export function isOurs(marks: Pick<ObservedInstance, "labels" | "annotations">, identity: Identity): boolean {
  return (
    marks.labels["app.kubernetes.io/managed-by"] === "moorage" &&
    marks.labels["moorage.dev/binding-version"] === "1" &&
    marks.annotations["moorage.dev/identity"] === identity
  );
}

/** Its container runs, as far as the object tells. */
export function showsRunning(instance: ObservedInstance): boolean {
  return instance.evidence.container.state === "running";
}

/** It has ended, as far as the object tells. */
export function showsEnded({ evidence: { container, phase } }: ObservedInstance): boolean {
  if (container.state === "terminated") return true;
  if (container.state === "running" || container.state === "unjudgeable") return false;
  return phase === "succeeded" || phase === "failed";
}

/** Its process may still be there, as far as the object tells. */
export function mayRun(instance: ObservedInstance): boolean {
  const { container, phase } = instance.evidence;
  if (showsEnded(instance)) return false;
  if (container.state === "running" || container.state === "unjudgeable" || phase === "unknown") return true;
  return container.state === "waiting" && container.ranBefore;
}

/** Whether the rules of a start let it remove this instance; an oracle of its own beside `classify`. */
export function mayRemove(instance: ObservedInstance, absent: AbsentSecrets, desired: IntentDigest): boolean {
  if (instance.deletion !== null) return false;
  if (showsEnded(instance)) return true;
  if (mayRun(instance)) return false;
  const { container } = instance.evidence;
  if (container.state === "abandoned") return true;
  if (container.state === "waiting") {
    const { suspicion } = container;
    if (suspicion.kind === "pull") return false;
    if (suspicion.kind === "invalidImage" && suspicion.rejected) return true;
    if (suspicion.kind === "secretMissing" && absent.has(suspicion.secret)) return true;
  }
  const recorded = instance.annotations["moorage.dev/create-intent"];
  return recorded === undefined || (recorded.startsWith("m1:") && recorded !== desired);
}
