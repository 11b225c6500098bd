/** What went wrong on the way, from the code of an error alone: its text may quote a header, so it is never looked at. */
import { codeOf } from "./error-code.ts";

/** What a person has to mend; everything else may be over in a moment. */
const lasting: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: "its certificate has expired",
  CERT_NOT_YET_VALID: "its certificate is not valid yet: compare the clocks",
  CERT_UNTRUSTED: "its certificate is not trusted",
  DEPTH_ZERO_SELF_SIGNED_CERT: "its certificate is signed by itself, and the kubeconfig does not trust it",
  ERR_TLS_CERT_ALTNAME_INVALID: "its certificate is for another name",
  ERR_SSL_WRONG_VERSION_NUMBER: "it does not speak TLS",
  HOSTNAME_MISMATCH: "its certificate is for another name",
  SELF_SIGNED_CERT_IN_CHAIN: "its certificate comes from an authority that the kubeconfig does not trust",
  UNABLE_TO_GET_ISSUER_CERT: "its certificate comes from an unknown authority",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "its certificate comes from an unknown authority",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "its certificate comes from an authority that the kubeconfig does not trust",
};

const passing: Readonly<Record<string, string>> = {
  EAI_AGAIN: "its name cannot be looked up",
  ECONNREFUSED: "nothing listens there",
  ECONNRESET: "the connection was cut",
  EHOSTUNREACH: "no way leads there",
  ENETUNREACH: "no network leads there",
  ENOTFOUND: "its name is not known",
  EPIPE: "the connection was cut",
  ETIMEDOUT: "it does not answer",
};

export interface NetworkFailure {
  readonly detail: string;
  /** It stays as it is until somebody changes something. */
  readonly lasting: boolean;
}

export function describeFailure(error: unknown): NetworkFailure {
  const code = codeOf(error);
  const words = lasting[code];
  if (words !== undefined) return { detail: `${words} (${code})`, lasting: true };
  // Only what looks like a code is told: anything else may be a text of somebody else's.
  const told = /^[A-Z][A-Z0-9_]{2,63}$/.test(code) ? ` (${code})` : "";
  return { detail: `${passing[code] ?? "the connection failed"}${told}`, lasting: false };
}
