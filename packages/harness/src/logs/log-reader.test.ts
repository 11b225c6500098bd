import fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { awakeClock } from "../awake-clock.ts";
import { logFileNumbers, logFilePath } from "./log-files.ts";
import { mergeLogs } from "./log-merge.ts";
import type { LogEvent, ReadLogOptions } from "./log-reader.ts";
import { readLog } from "./log-reader.ts";
import { openLogWriter } from "./log-writer.ts";

let directory: string;
let now = 0;
const wallTime = (): number => now;

beforeEach(() => {
  now = 1_000_000;
  directory = fs.mkdtempSync(join(tmpdir(), "log-"));
});

afterEach(() => {
  fs.rmSync(directory, { recursive: true, force: true });
});

async function all<T>(events: AsyncIterable<T>): Promise<readonly T[]> {
  const list: T[] = [];
  for await (const event of events) list.push(event);
  return list;
}

function told(event: LogEvent): string {
  return event.kind === "line" ? `${event.stream} ${event.bytes.toString()}${event.ends ? "" : "…"}` : event.kind;
}

async function read(options: Partial<ReadLogOptions> = {}): Promise<readonly string[]> {
  return (await all(readLog({ directory, ...options }))).map(told);
}

function writeLines(from: number, to: number, maxBytes = 300): void {
  const writer = openLogWriter({ directory, maxBytes, keep: 1_000, wallTime });
  for (let line = from; line < to; line++) {
    writer.write("stdout", Buffer.from(`line ${line}\n`));
    now += 1_000;
  }
  writer.close();
}

describe("what is there", () => {
  test("an absent directory has no lines", async () => {
    expect(await read({ directory: join(directory, "absent") })).toEqual([]);
  });

  test("whole lines of both streams, whatever the pieces they came in", async () => {
    const writer = openLogWriter({ directory, maxBytes: 60, keep: 1_000, wallTime });
    for (const [stream, text] of [
      ["stdout", "o"],
      ["stderr", "e"],
      ["stdout", "ne\ntw"],
      ["stderr", "rr\n"],
      ["stdout", "o\n\nlast"],
    ] as const)
      writer.write(stream, Buffer.from(text));
    writer.close();
    expect(await read()).toEqual(["stdout one", "stderr err", "stdout two", "stdout ", "stdout last…"]);
  });

  test("the last lines are the ones that reading everything ends with, wherever files and blocks end", async () => {
    const text = fc.array(
      fc.record({
        stream: fc.constantFrom("stdout" as const, "stderr" as const),
        length: fc.oneof(fc.nat(20), fc.integer({ min: 60_000, max: 140_000 })),
      }),
      { maxLength: 30 },
    );
    await fc.assert(
      fc.asyncProperty(text, fc.integer({ min: 100, max: 200_000 }), fc.nat(35), async (lines, maxBytes, tail) => {
        for (const number of logFileNumbers(directory)) fs.unlinkSync(logFilePath(directory, number));
        const writer = openLogWriter({ directory, maxBytes, keep: 1_000, wallTime });
        lines.forEach(({ stream, length }, at) => writer.write(stream, Buffer.from(`${at} ${"x".repeat(length)}\n`)));
        writer.close();
        const whole = await read();
        expect(whole).toHaveLength(lines.length);
        expect(await read({ tail })).toEqual(tail === 0 ? [] : whole.slice(-tail));
      }),
      { numRuns: 40 },
    );
  });

  test("since a time", async () => {
    writeLines(0, 100);
    expect(await read({ since: 1_000_000 + 97_000 })).toEqual(["stdout line 97", "stdout line 98", "stdout line 99"]);
    expect(await read({ since: 1_000_000 + 50_000, tail: 1 })).toEqual(["stdout line 99"]);
    expect(await read({ since: 0 })).toHaveLength(100);
    expect(await read({ since: now })).toEqual([]);
  });

  test("since a time that the lines before and after a rotation share", async () => {
    const writer = openLogWriter({ directory, maxBytes: 10, keep: 1_000, wallTime });
    for (const text of ["one\n", "two\n", "three\n"]) writer.write("stdout", Buffer.from(text));
    writer.close();
    expect(logFileNumbers(directory).length).toBeGreaterThan(2);
    expect(await read({ since: now })).toEqual(["stdout one", "stdout two", "stdout three"]);
  });

  test("records that a full disk cut off are passed over", async () => {
    writeLines(0, 3, 10_000);
    fs.appendFileSync(logFilePath(directory, 1), "1970-01-01T00:1");
    writeLines(3, 4);
    expect(await read()).toEqual([0, 1, 2, 3].map((line) => `stdout line ${line}`));
  });

  test("10 MB without an end come in pieces that are bounded", async () => {
    const writer = openLogWriter({ directory, wallTime });
    for (let times = 0; times < 160; times++) writer.write("stdout", Buffer.alloc(65_536, 0xfe));
    writer.write("stdout", Buffer.from("\n"));
    writer.close();
    let bytes = 0;
    for await (const event of readLog({ directory })) {
      expect(event.kind).toBe("line");
      if (event.kind !== "line") continue;
      expect(event.bytes.length).toBeLessThan(1_200_000);
      bytes += event.bytes.length;
    }
    expect(bytes).toBe(160 * 65_536);
  });
});

describe("following", () => {
  test("numbered lines through a hundred rotations: each exactly once and whole", async () => {
    const until = new AbortController();
    const follow = { clock: awakeClock(), until: until.signal };
    const lines: string[] = [];
    let first = (): void => undefined;
    const begun = new Promise<void>((resolve) => (first = resolve));
    const reading = (async () => {
      for await (const event of readLog({ directory, follow })) {
        if (event.kind === "caughtUp") first();
        else lines.push(told(event));
      }
    })();
    await begun;
    const writer = openLogWriter({ directory, maxBytes: 400, keep: 1_000 });
    for (let line = 0; line < 1_500; line++) {
      // In two pieces, so that most reads end inside of a line.
      writer.write("stdout", Buffer.from(`li`));
      writer.write("stdout", Buffer.from(`ne ${line}\n`));
      if (line % 10 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    writer.close();
    until.abort();
    await reading;
    expect(logFileNumbers(directory).length).toBeGreaterThan(100);
    expect(lines).toEqual(Array.from({ length: 1_500 }, (_, line) => `stdout line ${line}`));
  });

  test("files that are gone before they were read are told as a gap", async () => {
    writeLines(0, 60);
    const until = new AbortController();
    const seen: string[] = [];
    for await (const event of readLog({ directory, follow: { clock: awakeClock(), until: until.signal } })) {
      seen.push(told(event));
      if (event.kind !== "caughtUp") continue;
      writeLines(60, 120);
      for (const number of logFileNumbers(directory).slice(0, -1)) fs.unlinkSync(logFilePath(directory, number));
      until.abort();
    }
    const before = [...Array(60).keys()].map((line) => `stdout line ${line}`);
    expect(seen.slice(0, 61)).toEqual([...before, "caughtUp"]);
    expect(seen).toContain("gap");
    expect(seen.at(-1)).toBe("stdout line 119");
  });

  test("whoever stops reading leaves no file open", async () => {
    writeLines(0, 10);
    const open = (): number => fs.readdirSync("/dev/fd").length;
    const before = open();
    for await (const event of readLog({
      directory,
      follow: { clock: awakeClock(), until: new AbortController().signal },
    }))
      if (event.kind === "caughtUp") break;
    expect(open()).toBe(before);
  });
});

describe("several logs as one", () => {
  async function* fixed(...list: readonly (LogEvent | number)[]): AsyncGenerator<LogEvent> {
    for (const each of list)
      yield typeof each === "number"
        ? { kind: "line", time: each, stream: "stdout", bytes: Buffer.from(`${each}`), ends: true }
        : each;
  }

  test("in the order of time, and each log in its own", async () => {
    const merged = mergeLogs([
      { name: "a", events: fixed(1, 4, 3, 9) },
      { name: "b", events: fixed(2, 5) },
      { name: "c", events: fixed() },
    ]);
    const order = (await all(merged)).map(({ name, event }) => `${name} ${told(event)}`);
    expect(order).toEqual(["a stdout 1", "b stdout 2", "a stdout 4", "a stdout 3", "b stdout 5", "a stdout 9"]);
  });

  test("followed ones: what is there first, then caught up once, then what comes", async () => {
    const merged = mergeLogs([
      { name: "a", events: fixed(1, { kind: "caughtUp" }, 9) },
      { name: "b", events: fixed(2, 3, { kind: "caughtUp" }, 4) },
    ]);
    const order = (await all(merged)).map(({ event }) => told(event));
    expect(order.slice(0, 4)).toEqual(["stdout 1", "stdout 2", "stdout 3", "caughtUp"]);
    expect(order.slice(4).sort()).toEqual(["stdout 4", "stdout 9"]);
  });

  test("a quiet one does not hold back the others, and all end together", async () => {
    const until = new AbortController();
    const follow = { clock: awakeClock(), until: until.signal };
    writeLines(0, 3);
    const seen: string[] = [];
    for await (const { name, event } of mergeLogs([
      { name: "quiet", events: readLog({ directory: join(directory, "absent"), follow }) },
      { name: "busy", events: readLog({ directory, follow }) },
    ])) {
      seen.push(`${name} ${told(event)}`);
      if (event.kind === "caughtUp") writeLines(3, 5);
      if (seen.at(-1) === "busy stdout line 4") until.abort();
    }
    expect(seen.filter((line) => line.startsWith("busy"))).toHaveLength(
      5 + Number(seen.some((s) => s === "busy caughtUp")),
    );
    expect(seen.at(-1)).toBe("busy stdout line 4");
  });

  test("a log that fails fails the whole", async () => {
    async function* failing(): AsyncGenerator<LogEvent> {
      yield* fixed(1);
      throw new Error("disk");
    }
    await expect(all(mergeLogs([{ name: "a", events: failing() }]))).rejects.toThrow("disk");
  });
});
