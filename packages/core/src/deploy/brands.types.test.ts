/** What must not compile: a copy of all the fields of something that only one step may make. */
import { test } from "vitest";
import type { DeleteAction } from "./classify.ts";
import type { VerifiedInstance } from "./observation.ts";

/** Every field with a name; the brand has none. */
type Fields<T> = { readonly [K in keyof T as K extends string ? K : never]: T[K] };

declare const fields: Fields<VerifiedInstance>;
declare const deletion: Fields<DeleteAction>;

test("all the fields together are no verification and no authority", () => {
  // @ts-expect-error the verification is missing
  const verified: VerifiedInstance = fields;
  // @ts-expect-error the authority is missing
  const authorised: DeleteAction = deletion;
  void [verified, authorised];
});
