/** How one cluster is reached and as whom: what a kubeconfig, or the inside of a pod, comes to. */

/** Bytes that are given, or a file that is read again when it changes. */
export type Source =
  | { readonly kind: "data"; readonly bytes: Uint8Array }
  | { readonly kind: "file"; readonly path: string };

/** An exec credential plugin (client.authentication.k8s.io). */
export interface ExecPlugin {
  readonly apiVersion: "client.authentication.k8s.io/v1" | "client.authentication.k8s.io/v1beta1";
  /** A name that is looked for in PATH, or an absolute path. */
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly installHint: string | null;
  readonly provideClusterInfo: boolean;
}

/** What of a kubeconfig's user only a client library understands, in that library's own shape. */
export interface RareSignIn {
  /** In words: `the auth provider "oidc"`. */
  readonly what: string;
  readonly user: Readonly<Record<string, unknown>>;
}

export interface UserAccess {
  /** As the kubeconfig calls the user, for messages. */
  readonly name: string;
  readonly token: Source | null;
  readonly basic: { readonly username: string; readonly password: string } | null;
  readonly certificate: { readonly certificate: Source; readonly key: Source } | null;
  readonly exec: ExecPlugin | null;
  /** A way to sign in that a client library knows. */
  readonly rare: RareSignIn | null;
  /** As whom requests are made, by the headers of user impersonation. */
  readonly impersonate: {
    readonly user: string;
    readonly uid: string | null;
    readonly groups: readonly string[];
    readonly extra: Readonly<Record<string, readonly string[]>>;
  } | null;
}

export interface ClusterAccess {
  /** The kubeconfig files that it was read from; none inside a pod. */
  readonly files: readonly string[];
  /** The context's name; null inside a pod. */
  readonly context: string | null;
  /** Where the API server is, without a slash at the end. */
  readonly server: string;
  /** null: what the system trusts. */
  readonly authority: Source | null;
  /** The server's certificate is not looked at. */
  readonly insecure: boolean;
  /** The name that the server's certificate must have, where it is not the host of `server`. */
  readonly serverName: string | null;
  /** The proxy that leads to it, as a URL; a name and a password may be in it. */
  readonly proxy: string | null;
  /** Where objects live unless something else is asked for. */
  readonly namespace: string;
  readonly user: UserAccess;
}
