/** Evidence as a substrate decodes it, one of each kind that a history or a test plants. */
import type { Cause, Ending, EndingReason, Evidence, NodeLost, PullFailureKind, Suspicion } from "@moorage/core";

const noSuspicion: Suspicion = { kind: "none" };

export function waiting(code: string, suspicion: Suspicion = noSuspicion): Evidence {
  const container = { state: "waiting", ranBefore: false, cause: cause(code), suspicion } as const;
  return { container, phase: "pending", nodeLost: null };
}

/** Waiting, but it has run before; side-cars may keep the phase at running. */
export const interrupted: Evidence = {
  container: { state: "waiting", ranBefore: true, cause: cause("restarting"), suspicion: noSuspicion },
  phase: "running",
  nodeLost: null,
};

/** Another container of the same instance runs: the phase says running, ours does not. */
export const sidecarOnly: Evidence = { ...waiting("podInitializing"), phase: "running" };

export const running: Evidence = { container: { state: "running" }, phase: "running", nodeLost: null };

/** A running side-car keeps the phase of an ended agent at running. */
export function terminated(end: Ending, phase: Evidence["phase"] = "running"): Evidence {
  return { container: { state: "terminated", ending: end }, phase, nodeLost: null };
}

/** Evicted or rejected before our container was created: the phase alone tells that it is over. */
export const failedBeforeStart: Evidence = { ...waiting("podInitializing"), phase: "failed" };

export const unknownPhase: Evidence = { ...waiting("containerCreating"), phase: "unknown" };

export const abandoned: Evidence = { container: { state: "abandoned" }, phase: "pending", nodeLost: null };

export const unjudgeable: Evidence = {
  container: { state: "unjudgeable", cause: cause("otherMachine") },
  phase: "unknown",
  nodeLost: null,
};

export function secretMissing(secret: string): Evidence {
  return waiting("createContainerConfigError", { kind: "secretMissing", secret });
}

export function invalidImage(rejected: boolean): Evidence {
  return waiting("invalidImageName", {
    kind: "invalidImage",
    image: rejected ? "UPPER//case" : "short-name",
    rejected,
  });
}

export function pullFailing(kind: PullFailureKind): Evidence {
  return waiting("imagePullBackOff", {
    kind: "pull",
    failure: { kind, image: "example/agent", message: "it says no" },
  });
}

export function onLostNode(evidence: Evidence, nodeLost: NodeLost): Evidence {
  return { ...evidence, nodeLost };
}

export function ending(reason: EndingReason, exitCode: number | null): Ending {
  return { reason, exitCode, signal: null, detail: null, at: null };
}

function cause(code: string): Cause {
  return { code, message: `the substrate says ${code}` };
}
