/**
 * The live facts of one instance in a small file: turns, health, drain. They outlive a SIGKILL of anybody, because every
 * change is one write at a fixed place. Two slots take turns, each with its number at both ends, so that a reader finds
 * the newer whole one whatever was being written.
 */
import fs from "node:fs";
import type { Health } from "./health.ts";
import type { LastTurn, TurnCounts } from "./turns.ts";

export interface Facts {
  readonly attempt: string;
  /** Turns in flight, and the oldest few of them by name. `startedAt` is ISO 8601. */
  readonly inFlight: number;
  readonly oldest: readonly { readonly id: string; readonly startedAt: string }[];
  readonly last: LastTurn | null;
  readonly counts: TurnCounts;
  /** The agent has asked the socket for a turn, an event or its health at least once. */
  readonly connected: boolean;
  readonly health: Health;
  /** ISO 8601; null while nothing asks the agent to end. */
  readonly drainingSince: string | null;
}

/** Bytes of a slot; what does not fit is told without the words of the health. */
const slotBytes = 2_048;
/** Turns that are named. */
export const namedTurns = 4;

export interface FactsFile {
  /** One write at a fixed place, without fsync. Never throws: a full disk only makes the facts older. */
  write(facts: Facts): void;
  close(): void;
}

/** Makes the file, 0600, at the first write that can: facts are worth having, and no agent fails for want of them. */
export function openFacts(path: string): FactsFile {
  let fd: number | null = null;
  let number = 0;
  return {
    write(facts) {
      number += 1;
      try {
        fd ??= fs.openSync(path, "w", 0o600);
        fs.writeSync(fd, encodeSlot(number, facts), 0, slotBytes, (number % 2) * slotBytes);
      } catch {
        // Turns go on without their facts; the next change is written again.
      }
    },
    close() {
      if (fd !== null) fs.closeSync(fd);
      fd = null;
    },
  };
}

/** Null when nobody wrote any, or none is whole. */
export function readFacts(path: string): Facts | null {
  try {
    return decodeFacts(fs.readFileSync(path));
  } catch {
    return null;
  }
}

function encodeSlot(number: number, facts: Facts): Buffer {
  const slot = Buffer.alloc(slotBytes, " ");
  const mark = String(number).padStart(12, "0");
  const text = JSON.stringify(facts);
  const room = slotBytes - 2 * mark.length - 2;
  const fits = Buffer.byteLength(text) <= room;
  slot.write(`${mark} ${fits ? text : JSON.stringify(withoutWords(facts))}`, 0);
  slot.write(`${mark}\n`, slotBytes - mark.length - 1);
  return slot;
}

function withoutWords(facts: Facts): Facts {
  return facts.health.kind === "unknown" ? facts : { ...facts, health: { ...facts.health, detail: null } };
}

/** The newer whole slot of the file's bytes, or null. */
export function decodeFacts(bytes: Buffer): Facts | null {
  const slots = [0, slotBytes]
    .map((at) => decodeSlot(bytes.subarray(at, at + slotBytes).toString("utf8")))
    .filter((slot) => slot !== null)
    .sort((a, b) => b.number - a.number);
  return slots[0]?.facts ?? null;
}

function decodeSlot(text: string): { number: number; facts: Facts } | null {
  const parts = /^(\d{12}) (\{.*\}) *(\d{12})\n$/s.exec(text);
  if (parts === null || parts[1] !== parts[3] || parts[2] === undefined) return null;
  try {
    // Our own writing: the numbers at both ends say that it is whole.
    return { number: Number(parts[1]), facts: JSON.parse(parts[2]) as Facts };
  } catch {
    return null;
  }
}
