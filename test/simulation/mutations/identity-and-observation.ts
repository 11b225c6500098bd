/** Mutations of deploy.md 1 and 2: whose object it is, and how far its container got. */
import type { Mutation } from "./mutation.ts";
import { mutation } from "./mutation.ts";

export const identityAndObservation: readonly Mutation[] = [
  mutation(
    "1 the scheme of a name identity",
    "identity",
    '"moorage/identity/v1\\0"',
    '"moorage/identity/v2\\0"',
    "unit",
  ),
  mutation("1 an identity is all 64 digits", "identity", "/^[0-9a-f]{64}$/", "/^[0-9a-f]{32,64}$/", "unit"),
  mutation("1 the name has 12 digits", "identity", "identity.slice(0, 12)", "identity.slice(0, 13)", "unit"),
  mutation("1 the selector has 32 digits", "identity", "identity.slice(0, 32)", "identity.slice(0, 24)", "unit"),
  mutation(
    "1 managed-by is part of the marker",
    "marks",
    "if (marks.labels[managedByLabel] !== profile.managedBy)",
    "if (marks.labels[managedByLabel] === undefined)",
    "unit",
  ),
  mutation(
    "1 the binding version is part of the marker",
    "marks",
    "if (marks.labels[versionKey] !== profile.bindingVersion)",
    "if (marks.labels[versionKey] === undefined)",
    "unit",
  ),
  mutation(
    "1 the full identity decides whose object it is",
    "marks",
    "if (marks.annotations[identityKey] !== identity)",
    "if (marks.annotations[identityKey]?.slice(0, 32) !== identity.slice(0, 32))",
  ),
  mutation(
    "1 a foreign object under our name ends the start",
    "create",
    'if (whose.kind === "verified")\n',
    'if (whose.kind === "foreign") return { kind: "lost" };\n      if (whose.kind === "verified")\n',
  ),
  mutation(
    "1 nothing is created beside a live duplicate",
    "reconcile",
    "if (seen.duplicates.length > 0) {",
    "if (seen.duplicates.length > 5) {",
  ),
  mutation(
    "1 nothing is created again beside a live duplicate",
    "create",
    'if (names.length === 0) return "absent";',
    'return "absent";',
  ),
  mutation(
    "2 phase Running is not started",
    "startup",
    'if (container.state === "running") return',
    'if (container.state === "running" || phase === "running") return',
  ),
  mutation(
    "2 an ended container is terminated",
    "startup",
    'if (container.state === "terminated") return { kind: "terminated", ending: container.ending };',
    'if (container.state === "terminated") return { kind: "interrupted", cause: { code: "ended", message: "" } };',
  ),
  mutation(
    "2 a failed phase is terminated although ours says waiting",
    "startup",
    'if (phase === "succeeded" || phase === "failed") return',
    'if (phase === "succeeded") return',
  ),
  mutation(
    "2 what has run before is interrupted",
    "startup",
    'if (container.state === "waiting" && container.ranBefore)',
    'if (container.state === "waiting" && container.ranBefore && phase === "unknown")',
  ),
  mutation(
    "2 phase Unknown is interrupted",
    "startup",
    'if (phase === "unknown")',
    'if (phase === "unknown" && evidence.nodeLost !== null)',
  ),
  mutation("2 our own grammar has to reject an image too", "startup", "return suspicion.rejected\n", "return true\n"),
  mutation(
    "2 a missing Secret is proven by a read",
    "startup",
    "return absent.has(suspicion.secret)\n",
    "return true\n",
  ),
  mutation(
    "2 only a most-recent absence confirms it",
    "look",
    'if (answer.kind === "absent") absent.add(secret);',
    "absent.add(secret);",
  ),
  mutation(
    "2 nothing is confirmed while nobody answers",
    "look",
    'if (answer.kind === "absent") absent.add(secret);\n  if (answer.kind === "refused") call.tolerate(answer.refusal);\n  if (answer.kind === "unavailable") {',
    'if (answer.kind === "absent" || answer.kind === "unavailable") absent.add(secret);\n  if (answer.kind === "refused") {',
  ),
  mutation(
    "2 a pull failure is its own startup",
    "startup",
    'return { kind: "pullFailing", failure: suspicion.failure };',
    'return { kind: "recoverable", cause };',
  ),
  mutation(
    "2 what cannot be judged is nothing else",
    "startup",
    'if (container.state === "unjudgeable") return { kind: "cannotTell", cause: container.cause };',
    'if (container.state === "unjudgeable") return { kind: "recoverable", cause: container.cause };',
  ),
  mutation(
    "2 an abandoned create is provably broken",
    "startup",
    'if (container.state === "abandoned") return { kind: "provablyBroken", proof: { kind: "creatorLost" } };',
    'if (container.state === "abandoned") return { kind: "recoverable", cause: { code: "abandoned", message: "" } };',
  ),
  mutation(
    "2 a lost node is told",
    "startup",
    'return { kind: "started", nodeUnreachable: evidence.nodeLost };',
    'return { kind: "started", nodeUnreachable: null };',
    "unit",
  ),
];
