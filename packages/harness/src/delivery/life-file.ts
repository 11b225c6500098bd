/**
 * The journal of one agent's life with bundles: two slots at fixed places take turns in a preallocated file, each with its number
 * and a checksum at its head. A write is durable before it is told, and one that broke off leaves the life from before.
 */
import { hash } from "node:crypto";
import fs from "node:fs";
import { dirname } from "node:path";
import { type Disk, guarded, nodeDisk, StoreError, writeUnfinished } from "@moorage/bundle/delivery";
import { type Life, type Notice, readLife, readNotice, writeLife, writeNotice } from "@moorage/core";

/** What is on record: the life, and the notices that were not raised yet. */
export interface LifeRecord {
  readonly life: Life;
  readonly notices: readonly Notice[];
}

export type LifeReading =
  | { readonly kind: "none" }
  | { readonly kind: "life"; readonly record: LifeRecord }
  /** Something lies there, and neither slot can be read. */
  | { readonly kind: "broken"; readonly detail: string };

/** How a slot gets to the disk: a test lets it fail. */
export interface SlotDisk {
  write(file: number, bytes: Uint8Array, at: number): void;
  sync(file: number): void;
}

const nodeSlots: SlotDisk = {
  write(file, bytes, at) {
    for (let from = 0; from < bytes.length; ) from += fs.writeSync(file, bytes, from, bytes.length - from, at + from);
  },
  sync: (file) => fs.fdatasyncSync(file),
};

export const slotBytes: number = 64 * 1024;
/** "moorage-life 1", the slot's number, the length of its text, and a digest over both numbers and the text. */
const headForm = /^moorage-life 1 (\d{12}) (\d{5}) ([0-9a-f]{64})\n/;
const headBytes = 99;

/** Lives as long as the supervisor of the agent. */
export class LifeFile {
  readonly #slots: SlotDisk;
  #file: number;
  #number: number;

  /** Makes the file with a first record. Throws a `StoreError`; then there is none. */
  static make(path: string, record: LifeRecord, disk: Disk = nodeDisk, slots: SlotDisk = nodeSlots): LifeFile {
    return guarded("keep what happens to the agent's bundles", () => {
      const whole = Buffer.alloc(2 * slotBytes);
      encodeSlot(1, record).copy(whole, slotBytes);
      const fresh = writeUnfinished(disk, path, [whole]);
      try {
        disk.rename(fresh, path);
      } catch (error) {
        disk.remove(fresh);
        throw error;
      }
      disk.syncFolder(dirname(path));
      return new LifeFile(fs.openSync(path, "r+"), 1, slots);
    });
  }

  /** For going on with a file that `readLifeFile` could read. Throws a `StoreError`. */
  static open(path: string, slots: SlotDisk = nodeSlots): LifeFile {
    return guarded("keep what happens to the agent's bundles", () => {
      const file = fs.openSync(path, "r+");
      const newest = newestOf(fs.readFileSync(path));
      return new LifeFile(file, newest.kind === "slot" ? newest.number : 0, slots);
    });
  }

  private constructor(file: number, number: number, slots: SlotDisk) {
    this.#file = file;
    this.#number = number;
    this.#slots = slots;
  }

  /** Durable when it returns. Throws a `StoreError`; what was on record before still is. */
  write(record: LifeRecord): void {
    guarded("keep what happens to the agent's bundles", () => {
      const number = this.#number + 1;
      this.#slots.write(this.#file, encodeSlot(number, record), (number % 2) * slotBytes);
      this.#slots.sync(this.#file);
      this.#number = number;
    });
  }

  close(): void {
    if (this.#file >= 0) fs.closeSync(this.#file);
    this.#file = -1;
  }
}

/** The newer whole slot. Throws a `StoreError` where the file is there and cannot be opened. */
export function readLifeFile(path: string): LifeReading {
  return guarded("read what happened to the agent's bundles", () => {
    const stat = fs.statSync(path, { throwIfNoEntry: false });
    if (stat === undefined) return { kind: "none" };
    // A pipe would keep its reader for ever.
    if (!stat.isFile()) return { kind: "broken", detail: "it is no file" };
    const newest = newestOf(fs.readFileSync(path));
    return newest.kind === "slot" ? { kind: "life", record: newest.record } : newest;
  });
}

interface Slot {
  readonly kind: "slot";
  readonly number: number;
  readonly record: LifeRecord;
}

type Broken = Extract<LifeReading, { kind: "broken" }>;

function newestOf(bytes: Buffer): Slot | Broken {
  const read = [0, slotBytes].map((at) => decodeSlot(bytes.subarray(at, at + slotBytes)));
  const whole = read.filter((slot): slot is Slot => slot.kind === "slot").sort((a, b) => b.number - a.number);
  const details = read.flatMap((slot) => (slot.kind === "broken" ? [slot.detail] : []));
  return whole[0] ?? { kind: "broken", detail: [...new Set(details)].join("; ") };
}

/** Of too much that failed here, the oldest is forgotten: it would only be tried once more. */
function encodeSlot(number: number, { life, notices }: LifeRecord): Buffer {
  for (let kept = life; ; kept = { ...kept, quarantine: kept.quarantine.slice(1) }) {
    const text = Buffer.from(JSON.stringify({ life: writeLife(kept), notices: notices.map(writeNotice) }));
    if (text.length <= slotBytes - headBytes) return Buffer.concat([Buffer.from(headOf(number, text)), text]);
    if (kept.quarantine.length === 0) throw new StoreError("storeFault", "a life with bundles is too long to be kept");
  }
}

function headOf(number: number, text: Uint8Array): string {
  const [mark, length] = [String(number).padStart(12, "0"), String(text.length).padStart(5, "0")];
  return `moorage-life 1 ${mark} ${length} ${checksum(mark, length, text)}\n`;
}

function decodeSlot(bytes: Buffer): Slot | Broken {
  const head = headForm.exec(bytes.toString("latin1", 0, headBytes));
  const [, mark = "", length = "", sum] = head ?? [];
  const text = bytes.subarray(headBytes, headBytes + Number(length));
  if (head === null || text.length !== Number(length) || checksum(mark, length, text) !== sum)
    return { kind: "broken", detail: "it is torn or damaged" };
  try {
    const { life, notices } = JSON.parse(text.toString("utf8")) as { life: string; notices: string[] };
    return { kind: "slot", number: Number(mark), record: { life: readLife(life), notices: notices.map(readNotice) } };
  } catch (error) {
    return { kind: "broken", detail: error instanceof Error ? error.message : String(error) };
  }
}

function checksum(mark: string, length: string, text: Uint8Array): string {
  return hash("sha256", Buffer.concat([Buffer.from(`${mark} ${length}\n`), text]), "hex");
}
