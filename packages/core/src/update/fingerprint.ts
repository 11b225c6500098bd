/** The four axes of a build, and their strict reading: what is missing, malformed or unknown is an error, never "equal". */
import { checkCatalogHash, checkCatalogName } from "./catalog-hash.ts";
import { FingerprintError } from "./fingerprint-error.ts";

/** What decides whether two builds can talk and can read each other's data: compared for identity, never for order. */
export interface RuntimeTarget {
  /** Version of the wire descriptors that the build speaks: 0 to 2^32 - 1. */
  readonly wireVersion: number;
  /** Event-log schema that it reads and writes: 0 to 2^32 - 1. */
  readonly eventLogSchema: number;
  /** Custom resources that its controller reconciles: `group/version`. */
  readonly crdApiVersion: string;
}

/** A build's axes. The hash is that of the catalog *in use*, never of the one that a build came with. */
export interface Fingerprint extends RuntimeTarget {
  /** `v1:sha256:<64 hex>`: see `catalog-hash.ts`. */
  readonly toolCatalogHash: string;
}

/** A format axis. */
export type Axis = keyof RuntimeTarget;

/** In the order in which the first difference is the reason of a refusal. */
export const axes: readonly ["wireVersion", "eventLogSchema", "crdApiVersion"] = [
  "wireVersion",
  "eventLogSchema",
  "crdApiVersion",
];

/** What people call an axis. */
export const axisWords: Readonly<Record<Axis, string>> = {
  wireVersion: "wire version",
  eventLogSchema: "event-log schema",
  crdApiVersion: "CRD apiVersion",
};

/** Reads unknown data; nothing but the four axes is taken, and the hash has to be one. Throws a `FingerprintError`. */
export function readFingerprint(value: unknown): Fingerprint {
  checkFingerprint(value);
  const { wireVersion, eventLogSchema, crdApiVersion, toolCatalogHash } = value;
  checkCatalogHash(toolCatalogHash);
  return { wireVersion, eventLogSchema, crdApiVersion, toolCatalogHash };
}

/** Reads unknown data; nothing but the three format axes is taken. Throws a `FingerprintError`. */
export function readRuntimeTarget(value: unknown): RuntimeTarget {
  checkTarget(value);
  return runtimeTargetOf(value);
}

/** The format axes of a fingerprint: what a bundle names as its target. */
export function runtimeTargetOf({ wireVersion, eventLogSchema, crdApiVersion }: RuntimeTarget): RuntimeTarget {
  return { wireVersion, eventLogSchema, crdApiVersion };
}

/**
 * Throws a `FingerprintError` unless the value is four well-formed axes and nothing else. A text that equals the one of
 * `sound`, which has been checked, is not looked at again: most of a fleet is equal.
 */
export function checkFingerprint(value: unknown, sound?: Partial<Fingerprint>): asserts value is Fingerprint {
  checkObject(value, "a fingerprint");
  checkFormat(value, sound);
  const hash = value.toolCatalogHash;
  if (hash === undefined || hash !== sound?.toolCatalogHash) checkCatalogName(hash);
  for (const key in value) if (!isAxis(key) && key !== "toolCatalogHash") throw FingerprintError.unknownAxis(key);
}

/** Throws a `FingerprintError` unless the value is three well-formed format axes and nothing else. */
export function checkTarget(value: unknown): asserts value is RuntimeTarget {
  checkObject(value, "a runtime target");
  checkFormat(value);
  for (const key in value) if (!isAxis(key)) throw FingerprintError.unknownAxis(key);
}

/** The first axis on which the two differ, or null. Both have been checked. */
export function firstDifference(one: RuntimeTarget, other: RuntimeTarget): Axis | null {
  if (one.wireVersion !== other.wireVersion) return "wireVersion";
  if (one.eventLogSchema !== other.eventLogSchema) return "eventLogSchema";
  return one.crdApiVersion === other.crdApiVersion ? null : "crdApiVersion";
}

/** All axes on which the two differ, in their order. Both have been checked. */
export function differences(one: RuntimeTarget, other: RuntimeTarget): Axis[] {
  return axes.filter((axis) => one[axis] !== other[axis]);
}

type Unchecked = Readonly<Record<keyof Fingerprint, unknown>>;

function checkObject(value: unknown, what: string): asserts value is Unchecked {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw FingerprintError.notAnObject(value, what);
}

function checkFormat(value: Unchecked, sound?: Partial<RuntimeTarget>): void {
  checkVersion("wireVersion", value.wireVersion);
  checkVersion("eventLogSchema", value.eventLogSchema);
  const { crdApiVersion } = value;
  if (crdApiVersion === undefined || crdApiVersion !== sound?.crdApiVersion) checkGroupVersion(crdApiVersion);
}

function isAxis(key: string): boolean {
  return key === "wireVersion" || key === "eventLogSchema" || key === "crdApiVersion";
}

function checkVersion(axis: "wireVersion" | "eventLogSchema", value: unknown): void {
  // What is no unsigned integer of 32 bits is not equal to what `>>>` makes of it.
  if (typeof value === "number" && value >>> 0 === value) return;
  throw FingerprintError.ofAxis(axis, value, "a whole number from 0 to 4294967295");
}

/** As the custom resources of Kubernetes are named: a DNS name, and a version that has its form. */
const groupVersion = /^[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?\/v[1-9][0-9]*(?:(?:alpha|beta)[1-9][0-9]*)?$/;
const longest = 317;
/** What a declaration has unless it says otherwise: nearly all of a fleet, and comparing is much cheaper than matching. */
const usual = "moorage.dev/v1alpha1";

function checkGroupVersion(value: unknown): void {
  if (value === usual) return;
  if (typeof value === "string" && value.length <= longest && groupVersion.test(value)) return;
  throw FingerprintError.ofAxis("crdApiVersion", value, "group/version, as in moorage.dev/v1alpha1");
}
