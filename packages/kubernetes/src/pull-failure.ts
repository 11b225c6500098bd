/** From a waiting reason and its message to what it means: the only source is text, and text misleads. */
import type { PullFailureKind } from "@moorage/core";
import type { PullDiagnosis, PullVerdict } from "./pull-evidence.ts";
import { decisiveEvidence } from "./pull-evidence.ts";
import { withoutNames } from "./pull-text.ts";
import { statuses, transientCause } from "./pull-transient.ts";

export type { PullDiagnosis, PullVerdict } from "./pull-evidence.ts";

const silent: PullDiagnosis = { verdict: "recoverable", cause: "no-information" };
const unrecognised: PullDiagnosis = { verdict: "recoverable", cause: "unrecognised" };

/** Reasons of the kubelet that say it all, whatever the message. */
const decidedByReason: Readonly<Record<string, PullDiagnosis>> = {
  InvalidImageName: { verdict: "invalid-image-name", cause: "invalid-image-name" },
  ErrImageNeverPull: { verdict: "never-pull", cause: "never-pull" },
  RegistryUnavailable: { verdict: "recoverable", cause: "transient:registry-unavailable" },
};

/** Reasons whose message is about another step than the pull of this container's image. */
const otherStep = /sandbox|^create|^run|^crashloop|^podinitializing$|^containercreating$|hook/i;

/** Characters; without names no error that was seen is longer than a tenth of it. */
const longest = 20_000;

const backOff = /^\s*back-off pulling image\s*(?:"[^"]*")?\s*(?::|$)/i;

/**
 * What a pull failure means, by the kubelet's waiting reason and message. Total, and a function of these two alone.
 * Transient causes are looked for first; only decisive evidence makes anything else of it.
 */
export function diagnosePull(reason: string, message: string): PullDiagnosis {
  const decided = Object.hasOwn(decidedByReason, reason) ? decidedByReason[reason] : undefined;
  if (decided !== undefined) return decided;
  const text = bothEnds(withoutNames(message.replace(backOff, " ")).trim());
  if (otherStep.test(reason)) return { verdict: "recoverable", cause: causeOfElse(text) };
  if (/\bget sandbox image\b/.test(text)) return { verdict: "recoverable", cause: causeOfElse(text) };
  const told = together(elements(text).map(diagnoseOne));
  if (reason === "SignatureValidationFailed" && told.cause === unrecognised.cause)
    return { verdict: "signature-invalid", cause: "signature-invalid" };
  return told;
}

/** What happened is said at the beginning, and once more at the end; between them lies somebody's page. */
function bothEnds(text: string): string {
  return text.length <= longest ? text : `${text.slice(0, longest / 2)}\n${text.slice(-longest / 2)}`;
}

/** Another step than the pull of this image, such as the sandbox's: it may pass, whatever it says. */
function causeOfElse(text: string): string {
  return transientCause(text, statuses(text)) ?? "other-step";
}

/** One error, free of names. */
function diagnoseOne(text: string): PullDiagnosis {
  if (text.replace(/<[a-z-]+>|\W|\berr(?:or|imagepull)\b|\bimagepullbackoff\b/g, "") === "") return silent;
  // A proxy setting such as "http://http://…" makes the node look up a host named http.
  if (/\blookup https?\b/.test(text))
    return { verdict: "registry-misconfigured", cause: "registry-misconfigured:proxy" };
  const told = statuses(text);
  const passing = transientCause(text, told);
  if (passing !== null) return { verdict: "recoverable", cause: passing };
  return decisiveEvidence(text, told) ?? unrecognised;
}

/** A kubelet joins the errors of all credentials that it tried, CRI-O those of all registries and mirrors. */
function elements(text: string): readonly string[] {
  // Newer CRI-O tries it as an artifact once the pull of the image has failed; that failure adds nothing.
  const artifact = text.indexOf("; artifact err:");
  if (artifact !== -1) return [text.slice(0, artifact)];
  const mirrors = text.indexOf("(mirrors also failed:");
  if (mirrors !== -1) {
    const end = text.indexOf("]):", mirrors);
    const rest = end === -1 ? "" : text.slice(end + "]):".length);
    return [text.slice(mirrors, end === -1 ? undefined : end), rest].filter((part) => part.trim() !== "");
  }
  if (/\berrors occurred\b/.test(text)) return text.split(/\n\s*\* /).slice(1);
  if (!/^(?:errimagepull: |\W)*\[/.test(text)) return [text];
  return text.split(/, (?=rpc error: |failed to |initializing source )/);
}

const aboutAccess: ReadonlySet<PullVerdict> = new Set(["unauthorized", "denied-or-absent", "manifest-unknown"]);

/** All must agree before there is a verdict; what speaks of access alone is private or absent. */
function together(all: readonly PullDiagnosis[]): PullDiagnosis {
  const [head = silent, ...others] = all;
  if (others.every(({ verdict }) => verdict === head.verdict)) return head;
  const passing = all.find(({ verdict }) => verdict === "recoverable");
  if (passing !== undefined) return passing;
  return all.every(({ verdict }) => aboutAccess.has(verdict))
    ? { verdict: "denied-or-absent", cause: "ambiguous" }
    : { verdict: "recoverable", cause: "ambiguous" };
}

const kinds: Readonly<Record<PullVerdict, PullFailureKind | null>> = {
  unauthorized: "unauthorized",
  "manifest-unknown": "manifestUnknown",
  "arch-mismatch": "archMismatch",
  "denied-or-absent": "deniedOrAbsent",
  "registry-misconfigured": "registryMisconfigured",
  "unsupported-manifest": "unsupportedManifest",
  "signature-invalid": "signatureInvalid",
  "never-pull": "neverPull",
  "invalid-image-name": "unresolvableName",
  recoverable: null,
};

/** A verdict in core's words; null for what may pass. */
export function pullFailureKind(verdict: PullVerdict): PullFailureKind | null {
  return kinds[verdict];
}
