/** Why a bundle is refused: the words of the check, and those under which an agent keeps a refusal. */
import type { OrderFault, RefusalReason } from "@moorage/core";

export type BundleFault =
  | "envelopeInvalid"
  | "unsigned"
  | "wrongKey"
  | "thresholdNotMet"
  | "manifestInvalid"
  | "otherRoot"
  | "rootExpired"
  | OrderFault
  | "incompatible"
  | "payloadMissing"
  | "payloadTooLong"
  | "payloadWrong";

/** What helps against each fault of a channel's order. */
export const orderHints: Readonly<Record<OrderFault, string>> = {
  otherChannel: "publish it in the channel that it is for",
  rootRollback: "sign it for the trust root that is in use",
  rollback: "publish the old content under a new sequence",
  equivocation: "find out who signs two bundles for one place",
  jump: "find out who signed it",
  parent: "publish it again on the head of the channel",
  sequence: "publish it again on the head of the channel",
  expired: "publish it again; and see why nothing newer came through",
};

/** The word under which a refusal is kept in the life of an agent. */
export function refusalReason(fault: BundleFault): RefusalReason {
  switch (fault) {
    case "envelopeInvalid":
    case "manifestInvalid":
      return "malformed";
    case "unsigned":
    case "wrongKey":
    case "thresholdNotMet":
    case "otherRoot":
    case "rootExpired":
      return "signature";
    case "payloadMissing":
    case "payloadTooLong":
    case "payloadWrong":
      return "corrupt";
    default:
      return fault;
  }
}
