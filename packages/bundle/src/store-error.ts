/** What can be wrong with the place where bundles lie, in words for whoever has to repair it. */
import { systemCodeOf } from "./node-error.ts";

export type StoreErrorCode = "storeFull" | "storeReadOnly" | "storeCorrupt" | "storeUnreadable" | "storeFault";

const hints: Readonly<Record<StoreErrorCode, string>> = {
  storeFull: "make room on the disk and try again; nothing half is left behind",
  storeReadOnly: "make the folder writable for its owner, or name another with --state",
  storeCorrupt: "`moorage doctor` looks at everything; publish the catalog again where a bundle is lost",
  storeUnreadable: "see to the permissions of the folder",
  storeFault: "see to the disk, and try again",
};

export class StoreError extends Error {
  readonly code: StoreErrorCode;
  readonly hint: string;

  constructor(code: StoreErrorCode, message: string) {
    super(message);
    this.name = "StoreError";
    this.code = code;
    this.hint = hints[code];
  }
}

/** Does some work with files; Node's own error becomes one of ours. `what` completes "cannot". */
export function guarded<Value>(what: string, work: () => Value): Value {
  try {
    return work();
  } catch (error) {
    const code = systemCodeOf(error);
    if (code === null) throw error;
    throw new StoreError(kindOf(code), `cannot ${what}: ${words[code] ?? code}`);
  }
}

const words: Readonly<Record<string, string>> = {
  ENOSPC: "the disk is full (ENOSPC)",
  EDQUOT: "the quota is used up (EDQUOT)",
  EROFS: "the disk is read-only (EROFS)",
  EACCES: "permission is denied (EACCES)",
  EPERM: "it is not allowed (EPERM)",
  EIO: "the disk fails (EIO)",
};

function kindOf(code: string): StoreErrorCode {
  switch (code) {
    case "ENOSPC":
    case "EDQUOT":
    case "EFBIG":
      return "storeFull";
    case "EROFS":
    case "EACCES":
    case "EPERM":
      return "storeReadOnly";
    default:
      return "storeFault";
  }
}
