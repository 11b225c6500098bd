/** What each kind of a failing image pull means for a person, and what has to change before another start can help. */
import type { PullFailureKind } from "./startup.ts";

export interface PullWords {
  readonly meaning: string;
  /** Continues "to mend it, …". */
  readonly remedy: string;
}

export const pullWords: Readonly<Record<PullFailureKind, PullWords>> = {
  unauthorized: {
    meaning: "the registry refuses these credentials",
    remedy: "correct the image pull secret or the right that it stands for",
  },
  manifestUnknown: {
    meaning: "this tag, digest or repository does not exist",
    remedy: "correct the image's name, or push it",
  },
  archMismatch: {
    meaning: "the image has no variant for the node's architecture",
    remedy: "build it for the node's platform, or choose other nodes with `nodeSelector`",
  },
  deniedOrAbsent: {
    meaning: "the image is private or absent: the registry does not say which",
    remedy: "check the image's name first, then the image pull secret",
  },
  registryMisconfigured: {
    meaning: "node and registry are not set up for each other",
    remedy: "have whoever runs the nodes or the registry correct its certificate, its scheme, the proxy or the policy",
  },
  unsupportedManifest: {
    meaning: "the runtime does not understand the image's manifest",
    remedy: "build the image anew in the OCI format",
  },
  signatureInvalid: {
    meaning: "the image's signature is not valid",
    remedy: "sign the image, or have the node's policy changed",
  },
  neverPull: {
    meaning: "the image is not on the node and may never be pulled",
    remedy: "bring the image to the node, or allow the pull",
  },
  unresolvableName: {
    meaning: "the node cannot tell which registry the image's name means",
    remedy: "write the name with its registry, such as docker.io/library/NAME",
  },
};
