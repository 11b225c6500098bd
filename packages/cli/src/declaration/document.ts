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

export interface SpecDocument {
  readonly fleet?: string | undefined;
  readonly identity?: { readonly keyFrom: ValueSourceDocument; readonly as?: string | undefined } | undefined;
  readonly run: RunDocument;
  readonly env?: Record<string, string> | undefined;
  readonly secretEnv?: Record<string, ValueSourceDocument> | undefined;
  readonly passEnv?: string[] | undefined;
  readonly catalog?: string | { readonly path: string; readonly signal?: string | undefined } | undefined;
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
  readonly kubernetes?: object | undefined;
}

export interface AgentDocument {
  readonly apiVersion: string;
  readonly kind: "Agent";
  readonly metadata: { readonly name: string };
  readonly spec: SpecDocument;
}
