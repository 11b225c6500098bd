import { describe, expect, test } from "vitest";
import type { LogPiece } from "./pod-log-lines.ts";
import { parseStamp } from "./pod-log-lines.ts";
import { LogResume } from "./pod-log-resume.ts";

function piece(at: string, text: string, more: Partial<LogPiece> = {}): LogPiece {
  const stamp = parseStamp(`2030-01-01T00:00:${at}Z`);
  if (stamp === null) throw new Error(`${at} is no time`);
  return { kind: "piece", stamp, offset: 0, bytes: Buffer.from(text), ends: true, ...more };
}

/** What is told of one connection. */
function connection(resume: LogResume, pieces: readonly LogPiece[]): string[] {
  resume.connect();
  return pieces.flatMap((one) => {
    const told = resume.take(one);
    return told === null ? [] : [`${told.gap ? "gap " : ""}${told.bytes.toString()}`];
  });
}

describe("after a broken connection", () => {
  test("what comes again is not told again, and nothing new is lost, whole seconds and same times included", () => {
    const resume = new LogResume(false);
    expect(resume.since).toBeNull();
    const before = [piece("05.1", "a"), piece("05.9", "b"), piece("06.000000001", "c"), piece("06.000000001", "c")];
    expect(connection(resume, before)).toEqual(["a", "b", "c", "c"]);
    expect(resume.since).toBe(Date.UTC(2030, 0, 1, 0, 0, 5));
    const again = [...before, piece("06.000000001", "c"), piece("06.2", "d")];
    expect(connection(resume, again)).toEqual(["c", "d"]);
    expect(connection(resume, [...again, piece("07", "e")])).toEqual(["e"]);
  });

  test("a line that was stamped before the last one, but written after it, is told", () => {
    const resume = new LogResume(false);
    connection(resume, [piece("05.2", "out")]);
    expect(connection(resume, [piece("05.2", "out"), piece("05.1", "err")])).toEqual(["err"]);
  });

  test("what was not asked for before the first line is not told either", () => {
    const resume = new LogResume(true);
    connection(resume, [piece("05.5", "the last one")]);
    expect(connection(resume, [piece("05.1", "older"), piece("05.5", "the last one"), piece("05.6", "new")])).toEqual([
      "new",
    ]);
  });

  test("of a line that was told in part, the rest comes", () => {
    const resume = new LogResume(false);
    connection(resume, [piece("05", "0123", { ends: false })]);
    const again = [
      piece("05", "01", { ends: false }),
      piece("05", "2345", { offset: 2, ends: false }),
      piece("05", "6", { offset: 6 }),
    ];
    expect(connection(resume, again)).toEqual(["45", "6"]);
    expect(connection(resume, [piece("05", "0123456"), piece("06", "next")])).toEqual(["next"]);
  });

  test("a line that was told but for its newline gets that alone", () => {
    const resume = new LogResume(false);
    connection(resume, [piece("05", "all", { ends: false })]);
    expect(connection(resume, [piece("05", "all")])).toEqual([""]);
  });

  test("when the last line does not come again, lines may be lost, and that is told once", () => {
    const resume = new LogResume(false);
    connection(resume, [piece("05", "a")]);
    expect(connection(resume, [piece("05.5", "x"), piece("05.6", "y")])).toEqual(["gap x", "y"]);
  });

  test("only the last seconds are kept", () => {
    const resume = new LogResume(false);
    connection(
      resume,
      Array.from({ length: 50 }, (_, second) => piece(String(second).padStart(2, "0"), "x")),
    );
    expect(resume.since).toBe(Date.UTC(2030, 0, 1, 0, 0, 48));
    // Nobody sends it again; whoever did would be heard.
    expect(connection(resume, [piece("48", "x"), piece("49", "x"), piece("10", "old")])).toEqual(["old"]);
  });
});

test("another container's log has nothing to do with the one before", () => {
  const resume = new LogResume(false);
  connection(resume, [piece("05", "a")]);
  resume.reset();
  expect(resume.since).toBeNull();
  expect(connection(resume, [piece("04", "b"), piece("05", "a")])).toEqual(["b", "a"]);
});
