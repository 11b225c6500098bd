/** What can be wrong with the trust that is kept on this machine, in words for whoever has to repair it. */

export type TrustErrorCode =
  | "trustMissing"
  | "trustRootDamaged"
  | "trustRootLost"
  | "trustOtherRoot"
  | "trustOtherOwner"
  | "trustOpenToOthers"
  | "trustUnreadable"
  | "signingKeyLost"
  | "signingKeyNotTrusted"
  | "signingKeyThere";

const hints: Readonly<Record<TrustErrorCode, string>> = {
  trustMissing: "run `moorage keys init`, or `moorage deploy`, which makes them as well",
  trustRootDamaged: "bring the file back from a backup; `moorage keys list` shows whose signatures count",
  trustRootLost: "bring root.json back from a backup; what lies beside it are roots of before",
  trustOtherRoot: "run `moorage restart` for the agents that are to trust the one that is here",
  trustOtherOwner: "run the command as its owner, or have it given to you",
  trustOpenToOthers: "chmod go-w it, and look with `moorage keys list` whether what it says is still yours",
  trustUnreadable: "see to its permissions, and to the disk",
  signingKeyLost: "bring the file back from a backup, or run `moorage keys init --lost`, which makes another one",
  signingKeyNotTrusted:
    "bring the right key back from a backup, or run `moorage keys init --lost`, which trusts this one instead",
  signingKeyThere: "there is nothing to do: it signs, and it is trusted",
};

export class TrustError extends Error {
  readonly code: TrustErrorCode;
  readonly hint: string;

  constructor(code: TrustErrorCode, message: string) {
    super(message);
    this.name = "TrustError";
    this.code = code;
    this.hint = hints[code];
  }
}
