/** What is wrong with a fingerprint: the axis, in words, and what helps. */

export type FingerprintErrorCode =
  | "notAFingerprint"
  | "missingAxis"
  | "malformedAxis"
  | "unknownAxis"
  /** Two catalog hashes of different algorithms: neither the same nor different content. */
  | "hashesNotComparable";

export class FingerprintError extends Error {
  readonly code: FingerprintErrorCode;
  /** The axis as it is written; null when there is none to name. */
  readonly axis: string | null;
  readonly hint: string;

  private constructor(code: FingerprintErrorCode, axis: string | null, message: string, hint: string) {
    super(message);
    this.name = "FingerprintError";
    this.code = code;
    this.axis = axis;
    this.hint = hint;
  }

  static notAnObject(value: unknown, what: string): FingerprintError {
    return new FingerprintError(
      "notAFingerprint",
      null,
      `${what} is expected, and there is ${shown(value)}`,
      "give an object with the axes of a build",
    );
  }

  /** `expected` completes "it must be". */
  static ofAxis(axis: string, value: unknown, expected: string): FingerprintError {
    return value === undefined
      ? new FingerprintError("missingAxis", axis, `the axis ${axis} is missing`, `it must be ${expected}`)
      : new FingerprintError(
          "malformedAxis",
          axis,
          `the axis ${axis} is ${shown(value)}, which is malformed`,
          `it must be ${expected}`,
        );
  }

  static unknownAxis(axis: string): FingerprintError {
    return new FingerprintError(
      "unknownAxis",
      axis,
      `${shown(axis)} is no axis that this version of Moorage knows`,
      "remove it, or use the version of Moorage that it was written with",
    );
  }

  static hashesNotComparable(one: string, other: string): FingerprintError {
    return new FingerprintError(
      "hashesNotComparable",
      "toolCatalogHash",
      `a catalog hash of ${one} and one of ${other} are never compared`,
      "hash the content of both again, by the same algorithm",
    );
  }
}

const shownAtMost = 60;

/** A value in few characters; of an object only what it is. */
function shown(value: unknown): string {
  if (typeof value === "string") {
    const text = value.length > shownAtMost ? `${value.slice(0, shownAtMost)}…` : value;
    return text === "" ? "an empty text" : JSON.stringify(text);
  }
  if (Array.isArray(value)) return "a list";
  if (value !== null && (typeof value === "object" || typeof value === "function")) return `an ${typeof value}`;
  return String(value);
}
