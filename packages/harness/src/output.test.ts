import { spawn } from "node:child_process";
import fs, { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { awakeClock } from "./awake-clock.ts";
import type { Output } from "./output.ts";
import { openOutput } from "./output.ts";

const path = process.env["PATH"] ?? "/usr/bin:/bin";
let directory: string;
let output: Output;
let logged: { stdout: Buffer[]; stderr: Buffer[] };

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), "output-"));
  logged = { stdout: [], stderr: [] };
  output = await open();
});
afterEach(() => {
  output.close();
  rmSync(directory, { recursive: true });
});

async function open(): Promise<Output> {
  const log = {
    lostBytes: 0,
    write: (stream: "stdout" | "stderr", bytes: Buffer) => void logged[stream].push(bytes),
    close: () => undefined,
  };
  const places = { stdout: join(directory, "out"), stderr: join(directory, "err") };
  return await openOutput(places, path, log, awakeClock());
}

/** Resolves with its exit; what it started may go on. */
async function run(script: string): Promise<void> {
  const child = spawn("/bin/sh", ["-c", script], { stdio: ["ignore", output.stdout, output.stderr] });
  output.release();
  await new Promise((resolve) => child.once("exit", resolve));
}

describe("output", () => {
  it("goes through FIFOs for their owner alone, made or found", async () => {
    const stat = statSync(join(directory, "out"));
    expect([stat.isFIFO(), stat.mode & 0o777]).toEqual([true, 0o600]);
    const again = await open();
    again.close();
    expect(statSync(join(directory, "out")).ino).toBe(stat.ino);
  });

  it("is in the log to the last byte when it has ended, and that is seen at once", async () => {
    await run("head -c 3000000 /dev/zero; printf 'last' >&2");
    const began = performance.now();
    await output.ended(60_000);
    expect(performance.now() - began).toBeLessThan(5_000);
    expect(Buffer.concat(logged.stdout)).toHaveLength(3_000_000);
    expect(String(Buffer.concat(logged.stderr))).toBe("last");
    expect(output.stderrHead()).toBe("last");
  });

  it("has not ended while somebody holds it, whatever the leader does", async () => {
    await run("sleep 0.3 && echo late & exit 0");
    await output.ended(20);
    expect(logged.stdout).toEqual([]);
    await output.ended(60_000);
    expect(String(Buffer.concat(logged.stdout))).toBe("late\n");
  });

  it("without anybody who could write has ended", async () => {
    output.release();
    await output.ended(60_000);
  });

  it("keeps of stderr's head what a gate can say, and no more", async () => {
    await run("head -c 100000 /dev/zero >&2");
    await output.ended(60_000);
    expect(output.stderrHead()).toHaveLength(4_096);
  });

  it("that cannot be made says so", async () => {
    const places = { stdout: join(directory, "none", "out"), stderr: join(directory, "none", "err") };
    const log = { lostBytes: 0, write: () => undefined, close: () => undefined };
    await expect(openOutput(places, path, log, awakeClock())).rejects.toThrow(/FIFOs cannot be made/);
    expect(fs.existsSync(join(directory, "none"))).toBe(false);
  });
});
