import { execFileSync, spawnSync } from "node:child_process";
import fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bareFloor, type Life, newLife, type Quarantined } from "@moorage/core";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { channel, run } from "./delivery.fixture.ts";
import { LifeFile, type LifeRecord, readLifeFile, slotBytes } from "./life-file.ts";

let folder: string;
let path: string;
const open: LifeFile[] = [];

beforeEach(() => {
  folder = fs.mkdtempSync(join(tmpdir(), "life-"));
  path = join(folder, "life");
});
afterEach(() => {
  for (const file of open.splice(0)) file.close();
  fs.rmSync(folder, { recursive: true });
});

function recordOf(sequence: number, changes: Partial<Life> = {}): LifeRecord {
  return { life: { ...newLife(channel, run, { ...bareFloor, sequence }), ...changes }, notices: [] };
}

function made(): LifeFile {
  const file = LifeFile.make(path, recordOf(1));
  open.push(file);
  return file;
}

/** The sequence that tells records apart; null where none can be read. */
function onRecord(): number | null {
  const reading = readLifeFile(path);
  return reading.kind === "life" ? reading.record.life.floor.sequence : null;
}

function overwrite(at: number, text: string): void {
  const file = fs.openSync(path, "r+");
  fs.writeSync(file, text, at);
  fs.closeSync(file);
}

describe("a life on record", () => {
  it("is read as it was written last, also by whoever opens it anew", () => {
    const file = made();
    expect(onRecord()).toBe(1);
    for (let sequence = 2; sequence < 12; sequence += 1) {
      file.write(recordOf(sequence));
      expect(onRecord()).toBe(sequence);
    }
    const other = LifeFile.open(path);
    open.push(other);
    other.write(recordOf(99));
    expect(onRecord()).toBe(99);
  });

  it("lies in a file of one size, for its owner alone", () => {
    const file = made();
    file.write(recordOf(2));
    expect(fs.statSync(path).size).toBe(2 * slotBytes);
    expect(fs.statSync(path).mode & 0o777).toBe(0o600);
  });

  it("falls back on the slot before where the newer one is torn or damaged, wherever that is", () => {
    for (const where of [0, 20, 99, 200, 300]) {
      fs.rmSync(path, { force: true });
      const file = made();
      file.write(recordOf(2));
      // The second write is in the first slot.
      overwrite(where, "\0\0\0\0");
      expect(onRecord()).toBe(1);
      file.write(recordOf(3));
      expect(onRecord()).toBe(3);
    }
  });

  it("falls back on the very last one before, however many were written", () => {
    const file = made();
    for (let sequence = 2; sequence < 9; sequence += 1) {
      file.write(recordOf(sequence));
      const whole = fs.readFileSync(path);
      overwrite((sequence % 2 === 0 ? 0 : slotBytes) + 150, "\0\0\0\0");
      expect(onRecord()).toBe(sequence - 1);
      fs.writeFileSync(path, whole);
    }
  });

  it("is not believed where one digit of it is another", () => {
    made().write(recordOf(2));
    const at = fs.readFileSync(path).indexOf('sequence\\":2');
    expect(at).toBeGreaterThan(0);
    overwrite(at + 'sequence\\":'.length, "3");
    expect(onRecord()).toBe(1);
  });

  it("is broken where neither slot can be read, and not there where there is no file", () => {
    expect(readLifeFile(path)).toEqual({ kind: "none" });
    made().write(recordOf(2));
    overwrite(50, "x".repeat(100));
    overwrite(slotBytes + 50, "x".repeat(100));
    expect(readLifeFile(path)).toMatchObject({ kind: "broken" });
    fs.truncateSync(path, 0);
    expect(readLifeFile(path)).toMatchObject({ kind: "broken" });
    fs.rmSync(path);
    fs.mkdirSync(path);
    expect(readLifeFile(path)).toMatchObject({ kind: "broken" });
  });

  it.each(["life", "offer.json", "answer.json"])("keeps nobody waiting where a pipe lies at %s", (name) => {
    execFileSync("mkfifo", [join(folder, name)]);
    // A reader that waits for a pipe waits for ever, and hears of no deadline of its own.
    const look = `const files = await import(${JSON.stringify(new URL("delivery-files.ts", import.meta.url).href)});
      const folder = ${JSON.stringify(folder)};
      console.log([files.readDelivery(folder), files.readOffer(folder), files.readAnswer(folder)].length);`;
    const run = spawnSync(process.execPath, ["--input-type=module", "-e", look], { timeout: 10_000, encoding: "utf8" });
    expect([run.status, run.stdout]).toEqual([0, "3\n"]);
  });

  it("stays what it was where a write fails, in part or at the end", () => {
    made().close();
    for (const step of ["write", "sync"] as const) {
      const fails = (): never => {
        throw Object.assign(new Error("EIO"), { code: "EIO" });
      };
      const half = (file: number, bytes: Uint8Array, at: number): never => {
        fs.writeSync(file, bytes, 0, bytes.length >> 1, at);
        return fails();
      };
      const slots = {
        write: step === "write" ? half : () => undefined,
        sync: step === "sync" ? fails : () => undefined,
      };
      const file = LifeFile.open(path, slots);
      open.push(file);
      expect(() => file.write(recordOf(7))).toThrow(expect.objectContaining({ code: "storeFault" }));
      expect(onRecord()).toBe(1);
    }
  });

  it("forgets the oldest of what failed where it has no room for all", () => {
    const entry = (index: number): Quarantined => ({
      by: "content",
      digest: `sha256:${index}`,
      catalogHash: "v1:sha256:0",
      buildId: "b1",
      until: 1,
      why: { reason: "crash", detail: "漢".repeat(1_000) },
    });
    made().write(recordOf(2, { quarantine: Array.from({ length: 64 }, (_, index) => entry(index)) }));
    const reading = readLifeFile(path);
    const kept = reading.kind === "life" ? reading.record.life.quarantine.map(({ digest }) => digest) : [];
    expect(kept.length).toBeGreaterThan(10);
    expect(kept.at(-1)).toBe("sha256:63");
  });
});
