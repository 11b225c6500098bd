/** A declaration as it stands in a file, once its shape has been checked. */

export interface ValueSourceDocument {
  readonly env?: string | undefined;
  readonly file?: string | undefined;
}

interface RunDocument {
  readonly command?: string[] | undefined;
  readonly image?: string | undefined;
  readonly harness?: boolean | undefined;
  readonly args?: string[] | undefined;
  readonly files?: string[] | undefined;
}

export interface HealthDocument {
  readonly file?: string | undefined;
  readonly maxAge?: string | undefined;
  readonly socket?: true | undefined;
}

export interface CatalogDocument {
  readonly path: string;
  readonly signal?: "SIGHUP" | "SIGUSR1" | "SIGUSR2" | undefined;
  readonly name?: string | undefined;
  readonly trial?: { readonly turns?: number | undefined; readonly bake?: string | undefined } | undefined;
}

/** Not an interface: its keys are the names of amounts. */
type AmountsDocument = {
  readonly cpu?: string;
  readonly memory?: string;
  readonly "ephemeral-storage"?: string;
};

export interface KubernetesDocument {
  readonly resources?: { readonly requests?: AmountsDocument; readonly limits?: AmountsDocument };
  readonly nodeSelector?: Record<string, string>;
  readonly tolerations?: {
    readonly key?: string;
    readonly operator?: "Equal" | "Exists";
    readonly value?: string;
    readonly effect?: "NoSchedule" | "PreferNoSchedule" | "NoExecute";
    readonly tolerationSeconds?: number;
  }[];
  readonly workspace?: { readonly claim?: string; readonly sizeLimit?: string };
  readonly serviceAccount?: string;
  readonly imagePullSecrets?: string[];
  readonly runtimeClass?: string;
  readonly activeDeadline?: string;
  readonly networkPolicy?: "none" | "denyAll";
}

export interface SpecDocument {
  readonly fleet?: string | undefined;
  readonly identity?: { readonly keyFrom: ValueSourceDocument; readonly as?: string | undefined } | undefined;
  readonly run: RunDocument;
  readonly env?: Record<string, string> | undefined;
  readonly secretEnv?: Record<string, ValueSourceDocument> | undefined;
  readonly passEnv?: string[] | undefined;
  readonly catalog?: string | CatalogDocument | undefined;
  readonly fingerprint?:
    | {
        readonly wireVersion?: number | undefined;
        readonly eventLogSchema?: number | undefined;
        readonly crdApiVersion?: string | undefined;
      }
    | undefined;
  readonly drain?: string | undefined;
  readonly grace?: string | undefined;
  readonly idle?: string | undefined;
  readonly revive?: "never" | "onFailure" | undefined;
  readonly allowTag?: boolean | undefined;
  readonly health?: "none" | HealthDocument | undefined;
  readonly kubernetes?: KubernetesDocument | undefined;
}

export interface AgentDocument {
  readonly apiVersion: string;
  readonly kind: "Agent";
  readonly metadata: { readonly name: string };
  readonly spec: SpecDocument;
}
