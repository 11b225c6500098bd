/** The Digest port: SHA-256 over text and over the canonical form of plain data. */
import { hash } from "node:crypto";
import type { Digest } from "@moorage/core";
import { canonicalForm, DigestError } from "./canonical-form.ts";

/** Both throw a `DigestError` where UTF-8 or RFC 8785 have no form for the value. */
export const sha256: Digest = {
  text(value) {
    // As UTF-8, different lone surrogates would all become the same replacement character.
    if (!value.isWellFormed()) throw new DigestError("Text with a lone surrogate has no digest.");
    return hash("sha256", value, "hex");
  },
  canonical(value) {
    return hash("sha256", canonicalForm(value), "hex");
  },
};
