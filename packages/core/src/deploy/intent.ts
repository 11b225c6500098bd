/** The non-secret shape of what would be created, and its digest, which is recorded at the create. */
import type { Digest, Json } from "../ports/digest.ts";
import type { RuntimeTarget } from "../update/fingerprint.ts";

declare const intentBrand: unique symbol;

/** `m1:` and 64 hex digits. */
export type IntentDigest = string & { readonly [intentBrand]: true };

/** The scheme that this code writes and can compare. */
const scheme = "m1";

/** What an instance says that it was created from. */
export type RecordedIntent =
  | { readonly kind: "recorded"; readonly digest: IntentDigest }
  | { readonly kind: "missing" }
  | { readonly kind: "otherScheme"; readonly text: string };

/** How a recorded intent stands to the desired one. */
export type IntentComparison = "current" | "diverged" | "notComparable";

/** The environment as an intent may hold it: plain values, and of secret ones the keys alone. */
export interface IntentEnvironment {
  readonly env: Readonly<Record<string, string>>;
  readonly secretKeys: readonly string[];
}

/** What runs a process on one machine. Every field is part of the digest; durations in milliseconds. */
export interface ProcessTemplate extends IntentEnvironment {
  readonly kind: "process";
  readonly command: readonly [string, ...string[]];
  /** The declaration's folder: the working directory. */
  readonly directory: string;
  /** Digest over command, args and the content of the declared files. */
  readonly buildId: string;
  /** The three format axes of the build. */
  readonly fingerprint?: RuntimeTarget;
  readonly drainMs: number;
  readonly graceMs: number;
  /** null: never. */
  readonly idleMs: number | null;
  readonly health: HealthTemplate;
  /** Where the agent reads its catalog, or null when it has none. */
  readonly catalog: {
    readonly path: string;
    readonly signal: string | null;
    /** What a new bundle has to get through, where it is not the default; milliseconds. */
    readonly trial?: { readonly turns: number; readonly bakeMs: number };
  } | null;
  /** null: the identity is by name. Else it is a key, and `as` is the variable that receives it, if any does. */
  readonly identityKey: { readonly as: string | null } | null;
}

export type HealthTemplate =
  | { readonly kind: "none" }
  | { readonly kind: "socket" }
  | { readonly kind: "file"; readonly path: string; readonly maxAgeMs: number };

/**
 * What runs in a pod. Every field is part of the digest, the defaults too: a version with other defaults diverges.
 * Durations in milliseconds, amounts as Kubernetes writes them.
 */
export interface PodTemplate extends IntentEnvironment {
  readonly kind: "pod";
  /** Of the agent and of its fleet: labels that decide nothing. */
  readonly name: string;
  readonly fleet: string;
  /** The reference as it is used: the name with its digest, or with a tag where that is allowed. */
  readonly image: string;
  /** Empty: the image's own. */
  readonly command: readonly string[];
  readonly args: readonly string[];
  /** What the harness in the image is told; null for an image without one. */
  readonly harness: HarnessTemplate | null;
  readonly fingerprint?: RuntimeTarget;
  readonly graceMs: number;
  readonly resources: {
    readonly requests: Readonly<Record<string, string>>;
    readonly limits: Readonly<Record<string, string>>;
  };
  /** A claim survives the pod; the other goes with it. */
  readonly workspace:
    | { readonly kind: "claim"; readonly claim: string }
    | { readonly kind: "temporary"; readonly sizeLimit: string | null };
  readonly nodeSelector: Readonly<Record<string, string>>;
  readonly tolerations: readonly Toleration[];
  readonly serviceAccount: string | null;
  /** Names of Secrets. */
  readonly imagePullSecrets: readonly string[];
  readonly runtimeClass: string | null;
  readonly activeDeadlineMs: number | null;
  /** A network policy that lets nothing in and nothing out. */
  readonly networkPolicy?: "denyAll";
  readonly identityKey: { readonly as: string | null } | null;
}

/** How the harness runs the agent, where it is the image's entrypoint. */
export interface HarnessTemplate {
  readonly command: readonly string[];
  readonly drainMs: number;
  /** null: never. */
  readonly idleMs: number | null;
  readonly health: HealthTemplate;
}

/** A taint that is tolerated; what is absent is left to the API server. */
export interface Toleration {
  readonly key?: string;
  readonly operator?: "Equal" | "Exists";
  readonly value?: string;
  readonly effect?: "NoSchedule" | "PreferNoSchedule" | "NoExecute";
  readonly tolerationSeconds?: number;
}

/**
 * The template of an intent, per substrate. It has no place for a secret value or an attempt: `secretKeys` are
 * names, and the attempt's Secret is the fixed placeholder below.
 */
export type IntentTemplate = ProcessTemplate | PodTemplate;

const templateVersion = 1;
const secretPlaceholder = "<attempt>";

/** Drops what is unset, so that a new optional field changes no digest that was recorded without it. */
function withoutUnset(value: Json | undefined): Json | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value !== "object") return value;
  if (Array.isArray(value)) return value.map((item: Json) => withoutUnset(item) ?? null);
  const kept: Record<string, Json> = {};
  for (const [key, item] of Object.entries(value)) {
    const clean = withoutUnset(item);
    if (clean === undefined) continue;
    // A variable may be called so; assigned, it would be lost.
    if (key === "__proto__") Object.defineProperty(kept, key, { value: clean, enumerable: true });
    else kept[key] = clean;
  }
  return kept;
}

/** The digest of an intent. `secretKeys` are a set: their order never counts. */
export function intentDigest(template: IntentTemplate, digest: Digest): IntentDigest {
  const shape = {
    ...template,
    secretKeys: [...template.secretKeys].sort(),
    secret: secretPlaceholder,
    templateVersion,
  };
  return `${scheme}:${digest.canonical(withoutUnset(shape as unknown as Json) as Json)}` as IntentDigest;
}

/** Reads the annotation of the recorded intent. A text in another scheme is kept as it is: it cannot be compared. */
export function recordedIntent(text: string | undefined): RecordedIntent {
  if (text === undefined || text === "") return { kind: "missing" };
  return /^m1:[0-9a-f]{64}$/.test(text)
    ? { kind: "recorded", digest: text as IntentDigest }
    : { kind: "otherScheme", text };
}

/** Recorded against desired; what is missing diverges, what another scheme wrote cannot be compared. */
export function compareIntent(recorded: RecordedIntent, desired: IntentDigest): IntentComparison {
  switch (recorded.kind) {
    case "recorded":
      return recorded.digest === desired ? "current" : "diverged";
    case "missing":
      return "diverged";
    case "otherScheme":
      return "notComparable";
    default:
      return recorded satisfies never;
  }
}
