/** A runtime target among persisted plain data. */
import { PlainDataError, type Reader } from "../plain-data.ts";
import { type RuntimeTarget, readRuntimeTarget } from "./fingerprint.ts";
import { FingerprintError } from "./fingerprint-error.ts";

export const runtimeTarget: Reader<RuntimeTarget> = (value, place) => {
  try {
    return readRuntimeTarget(value);
  } catch (error) {
    if (error instanceof FingerprintError) throw new PlainDataError(place, `a runtime target: ${error.message}`);
    throw error;
  }
};
