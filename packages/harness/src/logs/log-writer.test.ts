import fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { logFileNumbers, logFilePath } from "./log-files.ts";
import { parseRecord } from "./log-format.ts";
import type { LogEvent } from "./log-reader.ts";
import { readLog } from "./log-reader.ts";
import { openLogWriter } from "./log-writer.ts";

let directory: string;

beforeEach(() => {
  directory = fs.mkdtempSync(join(tmpdir(), "log-"));
});

afterEach(() => {
  vi.restoreAllMocks();
  fs.rmSync(directory, { recursive: true, force: true });
});

/** What was written, out of the stored records alone. */
function recovered(stream: "stdout" | "stderr" | "moorage"): Buffer {
  const parts: Buffer[] = [];
  for (const number of logFileNumbers(directory)) {
    const stored = fs.readFileSync(logFilePath(directory, number));
    for (let at = 0; at < stored.length; ) {
      const end = stored.indexOf(10, at);
      const record = parseRecord(stored.subarray(at, end < 0 ? stored.length : end));
      if (record?.stream === stream) parts.push(record.bytes, Buffer.from(record.ends ? "\n" : ""));
      at = end < 0 ? stored.length : end + 1;
    }
  }
  return Buffer.concat(parts);
}

function sizes(): readonly number[] {
  return logFileNumbers(directory).map((number) => fs.statSync(logFilePath(directory, number)).size);
}

async function events(): Promise<readonly LogEvent[]> {
  const list: LogEvent[] = [];
  for await (const event of readLog({ directory })) list.push(event);
  return list;
}

describe("what was written comes back byte for byte", () => {
  test("any bytes of both streams in any chunks, through rotations", () => {
    const chunk = fc.record({
      stream: fc.constantFrom("stdout" as const, "stderr" as const),
      bytes: fc.oneof(
        fc.uint8Array({ maxLength: 200 }),
        fc.string().map((text) => Buffer.from(text)),
        fc.constantFrom("\n", "a\n", "\r\n", "\n\n").map((text) => Buffer.from(text)),
      ),
    });
    fc.assert(
      fc.property(fc.array(chunk, { maxLength: 40 }), fc.integer({ min: 1, max: 500 }), (chunks, maxBytes) => {
        for (const number of logFileNumbers(directory)) fs.unlinkSync(logFilePath(directory, number));
        const writer = openLogWriter({ directory, maxBytes, keep: 1_000 });
        for (const { stream, bytes } of chunks) writer.write(stream, Buffer.from(bytes));
        writer.close();
        for (const stream of ["stdout", "stderr"] as const) {
          const written = Buffer.concat(chunks.filter((each) => each.stream === stream).map(({ bytes }) => bytes));
          expect(recovered(stream).equals(written)).toBe(true);
        }
        expect(writer.lostBytes).toBe(0);
      }),
    );
  });

  test("10 MB without a newline, in invalid UTF-8, and the files stay bounded", () => {
    const writer = openLogWriter({ directory, maxBytes: 1 << 20, keep: 100 });
    const chunk = Buffer.alloc(65_536, 0xff);
    for (let times = 0; times < 160; times++) writer.write("stdout", chunk);
    writer.close();
    expect(recovered("stdout").equals(Buffer.alloc(160 * 65_536, 0xff))).toBe(true);
    expect(Math.max(...sizes())).toBeLessThan(3 << 20);
  });

  test("an unfinished line is stored at once: what a supervisor has read is not lost with it", () => {
    const writer = openLogWriter({ directory });
    writer.write("stdout", Buffer.from("what is your name? "));
    expect(recovered("stdout").toString()).toBe("what is your name? ");
    writer.close();
  });
});

describe("rotation", () => {
  test("files end with whole lines, the oldest go, nothing is renamed or truncated", () => {
    const writer = openLogWriter({ directory, maxBytes: 1_000, keep: 3 });
    const seen = new Map<number, Buffer>();
    for (let line = 0; line < 500; line++) {
      // In pieces that end anywhere but at the end of a line.
      writer.write("stdout", Buffer.from(`rest\nline ${line} begins, `));
      for (const number of logFileNumbers(directory)) {
        const now = fs.readFileSync(logFilePath(directory, number));
        const before = seen.get(number) ?? Buffer.alloc(0);
        expect(now.subarray(0, before.length).equals(before)).toBe(true);
        seen.set(number, now);
      }
    }
    writer.close();
    expect(logFileNumbers(directory)).toHaveLength(3);
    expect(seen.size).toBeGreaterThan(10);
    for (const stored of [...seen.values()].slice(0, -1)) expect(stored.toString()).toMatch(/ F [^\n]*rest\n$/);
  });

  test("the next writer begins the next file", () => {
    for (const text of ["one\n", "two\n"]) {
      const writer = openLogWriter({ directory });
      writer.write("stdout", Buffer.from(text));
      writer.close();
    }
    expect(logFileNumbers(directory)).toEqual([1, 2]);
    expect(fs.statSync(logFilePath(directory, 1)).mode & 0o777).toBe(0o600);
  });
});

describe("a full disk", () => {
  test("output is lost, counted and told; what comes after it is stored", async () => {
    const writer = openLogWriter({ directory });
    writer.write("stdout", Buffer.from("before\nhalf of "));
    const full = vi.spyOn(fs, "writeSync").mockImplementation(() => {
      throw Object.assign(new Error("no space left on device"), { code: "ENOSPC" });
    });
    writer.write("stdout", Buffer.from("a line\n"));
    writer.write("stderr", Buffer.from("lost\n"));
    expect(writer.lostBytes).toBe(12);
    full.mockRestore();
    writer.write("stdout", Buffer.from("after\n"));
    writer.close();
    const told = (await events()).map((event) =>
      event.kind === "line" ? `${event.stream} ${event.bytes.toString()}` : event.kind,
    );
    expect(told).toEqual([
      "stdout before",
      "stdout half of ",
      "moorage 12 bytes of output were lost here (ENOSPC)",
      "stdout after",
    ]);
  });

  test.each([
    ["is taken back", false],
    ["is passed over where it cannot be taken back", true],
  ])("a record that was cut off %s", (_what, stuck) => {
    const writer = openLogWriter({ directory });
    writer.write("stdout", Buffer.from("before\n"));
    const real = fs.writeSync;
    let calls = 0;
    const fail = (): never => {
      throw Object.assign(new Error("full"), { code: "ENOSPC" });
    };
    vi.spyOn(fs, "writeSync").mockImplementation(((fd: number, bytes: Buffer, offset: number) =>
      calls++ > 0 ? fail() : real(fd, bytes, offset, 10)) as typeof fs.writeSync);
    if (stuck) vi.spyOn(fs, "ftruncateSync").mockImplementation(fail);
    writer.write("stdout", Buffer.from("x".repeat(100)));
    vi.restoreAllMocks();
    writer.write("stdout", Buffer.from("after\n"));
    writer.close();
    expect(recovered("stdout").toString()).toBe("before\nafter\n");
    expect(recovered("moorage").toString()).toContain("100 bytes");
    expect(fs.readFileSync(logFilePath(directory, 1), "utf8").trimEnd().split("\n")).toHaveLength(stuck ? 4 : 3);
  });

  test("what was lost last is told at the close", () => {
    const writer = openLogWriter({ directory });
    const full = vi.spyOn(fs, "openSync").mockImplementation(() => {
      throw Object.assign(new Error("full"), { code: "ENOSPC" });
    });
    writer.write("stdout", Buffer.from("lost\n"));
    full.mockRestore();
    writer.close();
    expect(recovered("moorage").toString()).toBe("5 bytes of output were lost here (ENOSPC)\n");
  });

  test("where no next file can be made, the present one goes on", () => {
    const writer = openLogWriter({ directory, maxBytes: 10 });
    writer.write("stdout", Buffer.from("one\n"));
    const full = vi.spyOn(fs, "openSync").mockImplementation(() => {
      throw Object.assign(new Error("full"), { code: "ENOSPC" });
    });
    writer.write("stdout", Buffer.from("two\nthree\n"));
    full.mockRestore();
    writer.write("stdout", Buffer.from("four\nfive\n"));
    writer.close();
    expect(recovered("stdout").toString()).toBe("one\ntwo\nthree\nfour\nfive\n");
    expect(writer.lostBytes).toBe(0);
  });

  test.runIf(process.platform === "linux" && process.getuid?.() === 0)("a real one, of 64 kB", async () => {
    const { execFileSync } = await import("node:child_process");
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=64k", "moorage-test", directory]);
    try {
      const writer = openLogWriter({ directory, maxBytes: 1 << 20 });
      for (let line = 0; line < 3_000; line++) writer.write("stdout", Buffer.from(`line ${line} ${"x".repeat(60)}\n`));
      expect(writer.lostBytes).toBeGreaterThan(0);
      const stored = recovered("stdout").toString().trimEnd().split("\n");
      stored.forEach((line, at) => expect(line).toBe(`line ${at} ${"x".repeat(60)}`));
      execFileSync("mount", ["-o", "remount,size=1m", directory]);
      writer.write("stdout", Buffer.from("there is space again\n"));
      writer.close();
      expect(recovered("stdout").toString().trimEnd().split("\n")).toEqual([...stored, "there is space again"]);
      expect(recovered("moorage").toString()).toBe(`${writer.lostBytes} bytes of output were lost here (ENOSPC)\n`);
    } finally {
      execFileSync("umount", [directory]);
    }
  });
});
