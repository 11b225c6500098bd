/** From decoded evidence to the startup: how far the agent's own container (process) got. */
import type { Ending } from "./ending.ts";

/** A cause in words, with a stable code beside them. */
export interface Cause {
  readonly code: string;
  readonly message: string;
}

export interface NodeLost {
  readonly node: string;
  /** ISO 8601, or null where nobody recorded it. */
  readonly since: string | null;
}

export type PullFailureKind =
  | "unauthorized"
  | "manifestUnknown"
  | "archMismatch"
  | "deniedOrAbsent"
  | "registryMisconfigured"
  | "unsupportedManifest"
  | "signatureInvalid"
  | "neverPull"
  /** A valid reference, mostly a short name, that the node cannot make anything of. */
  | "unresolvableName";

/** An image pull that will not heal by itself: reported, never a licence to delete. */
export interface PullFailure {
  readonly kind: PullFailureKind;
  readonly image: string | null;
  /** Redacted words of the runtime's message. */
  readonly message: string;
}

/** Why nothing can ever start it; each is an absence or a defect that we verified ourselves. */
export type Proof =
  | { readonly kind: "invalidImage"; readonly image: string }
  | { readonly kind: "secretAbsent"; readonly secret: string }
  /** Local: who was creating it died before any supervisor took it over; the kernel freed both locks. */
  | { readonly kind: "creatorLost" };

export type Startup =
  | { readonly kind: "started"; readonly nodeUnreachable: NodeLost | null }
  | { readonly kind: "terminated"; readonly ending: Ending }
  | { readonly kind: "interrupted"; readonly cause: Cause }
  | { readonly kind: "provablyBroken"; readonly proof: Proof }
  | { readonly kind: "pullFailing"; readonly failure: PullFailure }
  | { readonly kind: "recoverable"; readonly cause: Cause }
  /** Local: another machine's state, or a lock that nobody can judge. Nothing may be concluded from it. */
  | { readonly kind: "cannotTell"; readonly cause: Cause };

/** What a substrate saw of our container, in domain words and found by its name. */
export type ContainerEvidence =
  | { readonly state: "absent"; readonly cause: Cause }
  | { readonly state: "running" }
  | { readonly state: "terminated"; readonly ending: Ending }
  | {
      readonly state: "waiting";
      /** It has run before: `lastState.terminated`, or a restart count. */
      readonly ranBefore: boolean;
      readonly cause: Cause;
      readonly suspicion: Suspicion;
    }
  | { readonly state: "abandoned" }
  | { readonly state: "unjudgeable"; readonly cause: Cause };

/** What a waiting reason makes us look at; a reason alone proves nothing. */
export type Suspicion =
  | { readonly kind: "none" }
  /** The platform says that the reference is invalid; `rejected` says whether our own grammar rejects it too. */
  | { readonly kind: "invalidImage"; readonly image: string; readonly rejected: boolean }
  /** The platform says that configuration is missing; this is the Secret of the instance's own attempt. */
  | { readonly kind: "secretMissing"; readonly secret: string }
  | { readonly kind: "pull"; readonly failure: PullFailure };

export interface Evidence {
  readonly container: ContainerEvidence;
  readonly phase: "pending" | "running" | "succeeded" | "failed" | "unknown";
  readonly nodeLost: NodeLost | null;
}

/** Secrets whose absence a most-recent read has just confirmed. */
export type AbsentSecrets = ReadonlySet<string>;

const unseenEnd: Ending = { reason: "unknown", exitCode: null, signal: null, detail: null, at: null };

/** The Secret that has to be looked for before this evidence can be decoded, or null. */
export function secretToConfirm(evidence: Evidence): string | null {
  const { container } = evidence;
  return container.state === "waiting" && container.suspicion.kind === "secretMissing"
    ? container.suspicion.secret
    : null;
}

/** Evidence to startup: the table's first match. Total; an unknown value never becomes something destructive. */
export function decodeStartup(evidence: Evidence, absent: AbsentSecrets): Startup {
  const { container, phase } = evidence;
  if (container.state === "unjudgeable") return { kind: "cannotTell", cause: container.cause };
  if (container.state === "running") return { kind: "started", nodeUnreachable: evidence.nodeLost };
  if (container.state === "terminated") return { kind: "terminated", ending: container.ending };
  if (phase === "succeeded" || phase === "failed") return { kind: "terminated", ending: endOfPhase(evidence) };
  if (container.state === "waiting" && container.ranBefore) return { kind: "interrupted", cause: container.cause };
  if (phase === "unknown")
    return { kind: "interrupted", cause: { code: "phaseUnknown", message: "its node does not answer" } };
  if (container.state === "abandoned") return { kind: "provablyBroken", proof: { kind: "creatorLost" } };
  if (container.state === "absent") return { kind: "recoverable", cause: container.cause };
  return decodeSuspicion(container.suspicion, container.cause, absent);
}

function endOfPhase(evidence: Evidence): Ending {
  const { container } = evidence;
  if (container.state === "absent" || container.state === "waiting")
    return { ...unseenEnd, detail: container.cause.message };
  return unseenEnd;
}

function decodeSuspicion(suspicion: Suspicion, cause: Cause, absent: AbsentSecrets): Startup {
  switch (suspicion.kind) {
    case "none":
      return { kind: "recoverable", cause };
    case "invalidImage":
      return suspicion.rejected
        ? { kind: "provablyBroken", proof: { kind: "invalidImage", image: suspicion.image } }
        : { kind: "recoverable", cause };
    case "secretMissing":
      return absent.has(suspicion.secret)
        ? { kind: "provablyBroken", proof: { kind: "secretAbsent", secret: suspicion.secret } }
        : { kind: "recoverable", cause };
    case "pull":
      return { kind: "pullFailing", failure: suspicion.failure };
    default:
      return suspicion satisfies never;
  }
}
