import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ProcessMark } from "./mark.ts";
import type { Belonging, ProcessEntry } from "./process-table.ts";
import { type ProveRequest, proveMembers } from "./prove-member.ts";

const mark: ProcessMark = {
  machine: { machineId: "m", bootId: "b", pidNamespace: "p" },
  pid: 100,
  start: 1_000,
  group: 100,
  session: 100,
  instance: "moorage-0123456789ab",
  attempt: "0123456789abcdef",
  outputs: ["/out"],
  recordedAt: "2026-01-01T00:00:00.000Z",
};
const marker = { kind: "instance", instance: mark.instance, attempt: mark.attempt } as const;
const plain: ProcessEntry = {
  pid: 200,
  parent: 1,
  group: 200,
  session: 200,
  start: 2_000,
  state: "alive",
  command: "sleep",
  belonging: { kind: "none" },
  holdsOutput: false,
};
const leader: ProcessEntry = { ...plain, pid: 100, group: 100, session: 100, start: 1_000, belonging: marker };
/** In the agent's own session and group, and nothing else. */
const inSession: ProcessEntry = { ...plain, group: 100, session: 100 };

function proofs(processes: readonly ProcessEntry[], more: Partial<ProveRequest> = {}): readonly string[] {
  return proveMembers(processes, { mark, continuity: "recorded", kin: [], self: 1, ...more }).map(
    ({ proof }) => proof.kind,
  );
}

function last(processes: readonly ProcessEntry[], more: Partial<ProveRequest> = {}): string {
  return proofs(processes, more).at(-1) ?? "";
}

describe("proved by itself", () => {
  test.each<[string, ProcessEntry]>([
    ["the process on record", leader],
    ["the marker", { ...plain, belonging: marker }],
    ["the output", { ...plain, holdsOutput: true }],
    [
      "the output, with an environment that nobody can read",
      { ...plain, belonging: { kind: "unreadable" }, holdsOutput: true },
    ],
  ])("%s", (_what, entry) => {
    expect(proofs([entry])).toEqual(["ours"]);
  });

  test("an earlier snapshot, with the same start alone", () => {
    expect(proofs([plain], { kin: [{ pid: 200, start: 2_000 }] })).toEqual(["ours"]);
    expect(proofs([plain], { kin: [{ pid: 200, start: 1_999 }] })).toEqual(["foreign"]);
  });
});

describe("proved by others", () => {
  test("a child of a proved process, and its child", () => {
    const child = { ...plain, parent: 100 };
    expect(
      proofs([leader, { ...plain, pid: 201, parent: 200, group: 201, session: 201, start: 2_001 }, child]),
    ).toEqual(["ours", "ours", "ours"]);
  });

  test("no child is older than its parent", () => {
    expect(
      last([
        { ...leader, start: 1_000 },
        { ...plain, pid: 300, belonging: marker, start: 3_000 },
        { ...plain, parent: 300 },
      ]),
    ).toBe("foreign");
  });

  test("the session and the group, as long as a proved process has kept their number, dead or alive", () => {
    expect(last([leader, inSession])).toBe("ours");
    expect(last([{ ...leader, state: "zombie" }, inSession])).toBe("ours");
    expect(last([{ ...inSession, pid: 201, belonging: marker }, inSession])).toBe("ours");
    expect(last([leader, { ...inSession, session: null }])).toBe("ours");
  });

  test("a session that one of its processes has begun", () => {
    const begun = { ...plain, pid: 300, group: 300, session: 300, belonging: marker };
    expect(last([begun, { ...plain, group: 301, session: 300 }])).toBe("ours");
  });

  test("a process with its marker in somebody else's session proves nothing about that session", () => {
    expect(
      last([
        { ...plain, pid: 301, group: 301, session: 300, belonging: marker },
        { ...plain, group: 302, session: 300 },
      ]),
    ).toBe("foreign");
  });

  test.each([
    ["another agent's", { ...marker, instance: "moorage-other" }],
    ["another attempt's", { ...marker, attempt: "ffff" }],
  ])("what calls itself %s and never left the agent's session does not outlive the agent", (_whose, belonging) => {
    expect(last([leader, { ...inSession, parent: 100, belonging }])).toBe("ours");
    expect(last([{ ...inSession, belonging }], { continuity: "watched" })).toBe("ours");
    // A number that may be another's by now is no proof against its word.
    expect(last([{ ...inSession, belonging }])).toBe("foreign");
  });

  test("its bare number, when its parent has watched all along", () => {
    expect(proofs([inSession], { continuity: "watched" })).toEqual(["ours"]);
  });
});

describe("never proved", () => {
  test.each<[string, readonly ProcessEntry[]]>([
    [
      "what started before the agent, whatever else is true",
      [leader, { ...inSession, parent: 100, belonging: marker, holdsOutput: true, start: 999 }],
    ],
    ["another process with the recorded number", [{ ...leader, belonging: { kind: "none" }, start: 1_500 }]],
    [
      "the group and session of another process with the recorded number",
      [{ ...leader, belonging: { kind: "none" }, start: 1_500 }, inSession],
    ],
    [
      "another agent's process",
      [leader, { ...plain, parent: 100, belonging: { ...marker, instance: "moorage-other" } }],
    ],
    [
      "a child of another agent's process",
      [leader, { ...plain, pid: 150, parent: 100, belonging: { ...marker, instance: "x" } }, { ...plain, parent: 150 }],
    ],
    ["another attempt's process", [{ ...plain, belonging: { ...marker, attempt: "ffff" } }]],
    ["what nothing ties to it", [leader, plain]],
  ])("%s", (_what, processes) => {
    expect(last(processes)).toBe("foreign");
    expect(last(processes, { continuity: "watched" })).toBe("foreign");
  });

  test("the process that looks", () => {
    expect(proofs([{ ...leader }], { self: 100 })).toEqual(["foreign"]);
  });
});

describe("unproved", () => {
  test("a number alone", () => {
    expect(proofs([inSession])).toEqual(["unproved"]);
    expect(proofs([{ ...inSession, session: null }])).toEqual(["unproved"]);
  });

  test("a start that cannot be read, where a number fits", () => {
    expect(last([leader, { ...inSession, start: null }])).toBe("unproved");
    expect(last([{ ...leader, start: null }])).toBe("unproved");
    expect(last([leader, { ...plain, start: null }])).toBe("foreign");
  });
});

test("the order of a scan never matters, and nobody older than the agent is ever ours", () => {
  const small = fc.integer({ min: 1, max: 6 });
  const entry: fc.Arbitrary<ProcessEntry> = fc.record({
    pid: fc.constant(0),
    parent: small.map((n) => 98 + n),
    group: small.map((n) => 98 + n),
    session: fc.option(small.map((n) => 98 + n)),
    start: fc.option(fc.integer({ min: 998, max: 1_004 })),
    state: fc.constantFrom("alive", "stopped", "zombie"),
    command: fc.constant("x"),
    belonging: fc.constantFrom<Belonging[]>(
      marker,
      { ...marker, instance: "other" },
      { kind: "none" },
      { kind: "unreadable" },
    ),
    holdsOutput: fc.constantFrom(true, false, null),
  });
  fc.assert(
    fc.property(fc.array(entry, { maxLength: 7 }), fc.constantFrom("watched", "recorded"), (list, continuity) => {
      const processes = list.map((each, at) => ({ ...each, pid: 99 + at }));
      const forwards = proofs(processes, { continuity });
      expect(proofs(processes.toReversed(), { continuity }).toReversed()).toEqual(forwards);
      processes.forEach((each, at) => {
        if (each.start === null || each.start < mark.start) expect(forwards[at]).not.toBe("ours");
      });
    }),
  );
});
