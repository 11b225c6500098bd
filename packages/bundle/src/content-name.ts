/** Under which name something lies in the store: by the digits of its digest or hash. */
import { StoreError } from "./store-error.ts";

/** The 64 hex digits at the end of a digest or of a catalog hash. Throws a `StoreError` for anything else: it becomes part of a path. */
export function hexOf(digest: string): string {
  const hex = /:([0-9a-f]{64})$/.exec(digest)?.[1];
  if (hex === undefined) throw new StoreError("storeFault", `${JSON.stringify(digest)} is no digest`);
  return hex;
}
