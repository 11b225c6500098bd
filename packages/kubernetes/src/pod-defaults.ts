/** What is declared for a cluster becomes an intent: every default of a pod, filled in once, so that the digest holds what will be. */
import type { HarnessTemplate, PodTemplate, RuntimeTarget, Toleration } from "@moorage/core";

/** All that a declaration says for a pod; what is absent takes its default. */
export interface PodDeclaration {
  readonly name: string;
  readonly fleet: string;
  /** As it is to be used: see `pinImage`. */
  readonly image: string;
  readonly command?: readonly string[];
  readonly args?: readonly string[];
  readonly harness?: HarnessTemplate;
  readonly fingerprint?: RuntimeTarget;
  readonly env: Readonly<Record<string, string>>;
  readonly secretKeys: readonly string[];
  /** Milliseconds. */
  readonly graceMs?: number;
  readonly resources?: {
    readonly requests?: Readonly<Record<string, string | undefined>>;
    readonly limits?: Readonly<Record<string, string | undefined>>;
  };
  readonly workspace?: { readonly claim?: string; readonly sizeLimit?: string };
  readonly nodeSelector?: Readonly<Record<string, string>>;
  readonly tolerations?: readonly Toleration[];
  readonly serviceAccount?: string;
  readonly imagePullSecrets?: readonly string[];
  readonly runtimeClass?: string;
  readonly activeDeadlineMs?: number;
  readonly networkPolicy?: "none" | "denyAll";
  readonly identityKey?: { readonly as: string | null };
}

const defaultGraceMs = 60_000;
const defaultRequests = { cpu: "100m", memory: "256Mi" } as const;
const defaultLimits = { memory: "1Gi" } as const;

/** The intent's template. With a harness the image's entrypoint stays, and the harness is told the rest. */
export function podTemplate(declared: PodDeclaration): PodTemplate {
  const { workspace = {}, harness = null } = declared;
  return {
    kind: "pod",
    name: declared.name,
    fleet: declared.fleet,
    image: declared.image,
    command: harness === null ? (declared.command ?? []) : [],
    args: harness === null ? (declared.args ?? []) : [],
    harness,
    ...(declared.fingerprint === undefined ? {} : { fingerprint: declared.fingerprint }),
    env: declared.env,
    secretKeys: declared.secretKeys,
    graceMs: declared.graceMs ?? defaultGraceMs,
    resources: {
      requests: given({ ...defaultRequests, ...declared.resources?.requests }),
      limits: given({ ...defaultLimits, ...declared.resources?.limits }),
    },
    workspace:
      workspace.claim === undefined
        ? { kind: "temporary", sizeLimit: workspace.sizeLimit ?? null }
        : { kind: "claim", claim: workspace.claim },
    nodeSelector: declared.nodeSelector ?? {},
    tolerations: declared.tolerations ?? [],
    serviceAccount: declared.serviceAccount ?? null,
    imagePullSecrets: declared.imagePullSecrets ?? [],
    runtimeClass: declared.runtimeClass ?? null,
    activeDeadlineMs: declared.activeDeadlineMs ?? null,
    ...(declared.networkPolicy === "denyAll" ? { networkPolicy: declared.networkPolicy } : {}),
    identityKey: declared.identityKey ?? null,
  };
}

function given(amounts: Readonly<Record<string, string | undefined>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(amounts).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}
