/** The small files by which people reach a delivery, and by which it answers: each whole or not there, read strictly. */
import { randomBytes } from "node:crypto";
import fs from "node:fs";
import { type Disk, nodeDisk, unfinished } from "@moorage/bundle/delivery";
import type { BundleOffer, BundleRefusal, BundleRevert, Life } from "@moorage/core";
import { type LifeReading, readLifeFile } from "./life-file.ts";

/** Where the parts of a delivery lie below its folder. */
export function deliveryPaths(folder: string): {
  readonly life: string;
  readonly offer: string;
  readonly answer: string;
  readonly live: string;
} {
  return {
    life: `${folder}/life`,
    offer: `${folder}/offer.json`,
    answer: `${folder}/answer.json`,
    live: `${folder}/live`,
  };
}

/** A bundle for one agent alone. */
export type OwnOffer = Omit<BundleOffer, "nonce">;

/** The last answer of the agent to an offer. */
export interface DeliveryAnswer {
  /** Of the offer; null: it was assigned at a start. */
  readonly nonce: string | null;
  readonly digest: string;
  readonly verdict: "ack" | "nack";
  readonly why: BundleRefusal | BundleRevert | null;
  /** The catalog hash in use; null: none. */
  readonly inUse: string | null;
}

/** The life that is on record; null when there is none, or none that can be read. */
export function readDelivery(folder: string): Life | null {
  const reading = readDeliveryRecord(folder);
  return reading.kind === "life" ? reading.record.life : null;
}

/** As `readDelivery`, telling what is damaged apart from what is not there. Throws a `StoreError` where nothing can be read. */
export function readDeliveryRecord(folder: string): LifeReading {
  return readLifeFile(deliveryPaths(folder).life);
}

/** Offers a bundle to this agent alone; the highest sequence of all that is offered wins. Throws Node's error of the folder. */
export function writeOffer(folder: string, { digest, catalogHash, sequence }: OwnOffer): void {
  fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
  replaceFile(deliveryPaths(folder).offer, JSON.stringify({ format: 1, digest, catalogHash, sequence }));
}

/** A person's word that what failed here is tried again. Throws Node's error of the folder. */
export function askRetry(folder: string, digest: string): void {
  fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
  const name = `retry-${randomBytes(8).toString("hex")}.json`;
  replaceFile(`${folder}/${name}`, JSON.stringify({ format: 1, digest }));
}

/** Null when there is none, or none that can be read. */
export function readAnswer(folder: string): DeliveryAnswer | null {
  const value = jsonAt(deliveryPaths(folder).answer);
  return isAnswer(value) ? value : null;
}

/**
 * Not synced: after a loss of power the offer is answered anew. The one before goes first: to put a file in another's place
 * would wait for its content to be on its way to the disk.
 */
export function writeAnswer(folder: string, answer: DeliveryAnswer, disk: Disk): void {
  const path = deliveryPaths(folder).answer;
  disk.remove(path);
  replaceFile(path, JSON.stringify({ format: 1, ...answer }), disk);
}

/** Null when there is none, or none that can be read. */
export function readOffer(folder: string): OwnOffer | null {
  const value = jsonAt(deliveryPaths(folder).offer);
  return isOffer(value) ? value : null;
}

export interface RetryWord {
  readonly path: string;
  /** Null: the file makes no sense. */
  readonly digest: string | null;
}

/** The words that wait, in no order. */
export function readRetries(folder: string): RetryWord[] {
  return namesOf(folder)
    .filter((name) => /^retry-[0-9a-f]+\.json$/.test(name))
    .map((name) => {
      const path = `${folder}/${name}`;
      const value = jsonAt(path);
      return { path, digest: isOfFormat(value) && isDigest(value["digest"]) ? value["digest"] : null };
    });
}

function namesOf(folder: string): string[] {
  try {
    return fs.readdirSync(folder);
  } catch {
    return [];
  }
}

function replaceFile(path: string, text: string, disk: Disk = nodeDisk): void {
  const fresh = unfinished(path);
  try {
    const file = disk.create(fresh, 0o600);
    try {
      disk.write(file, Buffer.from(text));
    } finally {
      disk.close(file);
    }
    disk.rename(fresh, path);
  } catch (error) {
    disk.remove(fresh);
    throw error;
  }
}

/** Far more than any of them has. */
const bytesAtMost = 16_384;

/** Null for what is no JSON, and where nothing is. A pipe that lies there would keep its reader for ever. */
function jsonAt(path: string): unknown {
  try {
    // What is thrown costs more than what is looked at, and mostly nothing is there.
    const stat = fs.statSync(path, { throwIfNoEntry: false });
    if (stat?.isFile() !== true || stat.size > bytesAtMost) return null;
    return JSON.parse(fs.readFileSync(path, "utf8")) as unknown;
  } catch {
    return null;
  }
}

type Fields = Readonly<Record<string, unknown>>;

function isOfFormat(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value) && (value as Fields)["format"] === 1;
}

function isOffer(value: unknown): value is OwnOffer {
  if (!isOfFormat(value)) return false;
  const { digest, catalogHash, sequence } = value;
  return isDigest(digest) && isHash(catalogHash) && Number.isSafeInteger(sequence) && Number(sequence) > 0;
}

function isAnswer(value: unknown): value is DeliveryAnswer {
  if (!isOfFormat(value)) return false;
  const { nonce, digest, verdict, why, inUse } = value;
  return (
    isTextOrNull(nonce) &&
    isDigest(digest) &&
    (verdict === "ack" || verdict === "nack") &&
    (why === null || (typeof why === "object" && "reason" in why && "detail" in why)) &&
    isTextOrNull(inUse)
  );
}

function isTextOrNull(value: unknown): value is string | null {
  return value === null || typeof value === "string";
}

function isDigest(value: unknown): value is string {
  return typeof value === "string" && /^sha256:[0-9a-f]{64}$/.test(value);
}

function isHash(value: unknown): value is string {
  return typeof value === "string" && /^v1:sha256:[0-9a-f]{64}$/.test(value);
}
