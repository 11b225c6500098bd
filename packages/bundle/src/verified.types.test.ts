/** T79: what must not compile, so that no verification is optional: a bundle that nobody verified, and a check with a part left out. */
import type { Channel } from "@moorage/core";
import { expectTypeOf, test } from "vitest";
import type { Manifest } from "./manifest.ts";
import type { BundleStore } from "./store.ts";
import type { PayloadReader, VerifiedBundle, VerifyOptions } from "./verify-bundle.ts";

declare const store: BundleStore;
declare const manifest: Manifest;
declare const envelope: Uint8Array;
declare const channel: Channel;
declare const payload: PayloadReader;

test("only what was verified is stored or published", () => {
  const unverified = { manifest, digest: "", signers: new Set<never>(), envelope };
  // @ts-expect-error nobody has verified it
  const bundle: VerifiedBundle = unverified;
  // @ts-expect-error nobody has verified it
  store.put(unverified, payload);
  // @ts-expect-error nobody has verified it
  store.publish(unverified);
  void bundle;
});

test("a check has all of its parts", () => {
  expectTypeOf<Required<VerifyOptions>>().toEqualTypeOf<VerifyOptions>();
  // @ts-expect-error the floor, and more, is missing
  const options: VerifyOptions = { channel, payload };
  // @ts-expect-error what comes out of the store is verified as anything else
  store.get("", { channel });
  void options;
});
