/** The faults of the way to a cluster: each with a stable code, a text for people and what helps. Never a credential in any. */

export type ClusterErrorCode =
  | "kubeconfigMissing"
  | "kubeconfigUnreadable"
  | "kubeconfigInvalid"
  | "contextUnknown"
  | "clusterUnsupported"
  | "credentialsUnreadable"
  | "credentialPluginMissing"
  | "credentialPluginFailed";

export class ClusterError extends Error {
  override readonly name = "ClusterError";
  readonly code: ClusterErrorCode;
  /** The command or the change that helps. */
  readonly hint: string;

  constructor(code: ClusterErrorCode, message: string, hint: string) {
    super(message);
    this.code = code;
    this.hint = hint;
  }
}
