import type { ContainerEvidence } from "@moorage/core";
import { decodeStartup } from "@moorage/core";
import type { MachineIdentity, ProcessMark } from "@moorage/harness";
import { describe, expect, it } from "vitest";
import type { RemovedRow, Status } from "./instance-row.ts";
import type { LockLook } from "./verdict.ts";
import { containerOf, markCounts, observe } from "./verdict.ts";

const here: MachineIdentity = { machineId: "m1", bootId: "b1", pidNamespace: "pid:[1]" };
const rebooted = { ...here, bootId: "b0" };
const otherMachine = { ...here, machineId: "m2", bootId: "b9" };
const otherNamespace = { ...here, pidNamespace: "pid:[2]" };

const held: LockLook = { supervisor: "held", creator: "free", outputHeld: null, stopped: null };
const free: LockLook = { supervisor: "free", creator: "free", outputHeld: null, stopped: null };

const mark: ProcessMark = {
  machine: here,
  pid: 10,
  start: 100,
  group: 10,
  session: 10,
  instance: "moorage-0",
  attempt: "0123456789abcdef",
  outputs: ["/out"],
  recordedAt: "2026-01-01T00:00:00.000Z",
};
const waiting: Status = { phase: "waiting", code: "booting", message: "it boots", secretMissing: false };
const spawned: Status = { phase: "spawned", mark };
const again = { startedAt: "2026-01-01T00:00:01.000Z" };
const running: Status = { phase: "running", mark, startedAt: "2026-01-01T00:00:01.000Z" };
const ended: Status = {
  phase: "ended",
  mark,
  startedAt: null,
  ending: { reason: "exited", exitCode: 3, signal: null, detail: null, at: null },
};

function row(status: Status, claimedBy: MachineIdentity | null, creator: MachineIdentity = here): RemovedRow {
  return {
    name: "moorage-0",
    uid: "u1",
    version: 7,
    selector: "s",
    labels: {},
    annotations: {},
    secret: "moorage-0-0123456789abcdef",
    folder: "instances/moorage-0/1-abcdef",
    createdAt: "2026-01-01T00:00:00.000Z",
    creator,
    claim: claimedBy === null ? null : { machine: claimedBy, pid: 9, start: 90, socket: "/sock" },
    status,
    deletionAt: null,
    stopGraceMs: null,
  };
}

function startup(container: ContainerEvidence): string {
  const { evidence } = observe(row(waiting, null), container, true);
  const decoded = decodeStartup(evidence, new Set());
  if (decoded.kind === "terminated") return decoded.ending.reason;
  if (decoded.kind === "provablyBroken") return decoded.proof.kind;
  if (decoded.kind === "cannotTell" || decoded.kind === "recoverable") return `${decoded.kind} ${decoded.cause.code}`;
  return decoded.kind;
}

describe("what a row and its locks mean", () => {
  const table: [string, RemovedRow, LockLook, string][] = [
    ["held, running", row(running, here), held, "started"],
    ["held, its program not seen yet", row(spawned, here), held, "recoverable starting"],
    ["held, waiting", row(waiting, here), held, "recoverable booting"],
    ["held, its supervisor stopped", row(spawned, here), { ...held, stopped: 9 }, "recoverable supervisorStopped"],
    ["held, running, its supervisor stopped", row(running, here), { ...held, stopped: 9 }, "started"],
    ["held, not claimed yet", row(waiting, null), held, "recoverable booting"],
    // Never recoverable: a deploy of another declaration would end what is brought back.
    ["held, to be brought back", row({ ...waiting, ...again }, here), held, "interrupted"],
    ["held, brought back, its program not seen yet", row({ ...spawned, ...again }, here), held, "interrupted"],
    [
      "held, to be brought back, its supervisor stopped",
      row({ ...waiting, ...again }, here),
      { ...held, stopped: 9 },
      "interrupted",
    ],
    ["free, to be brought back", row({ ...waiting, ...again }, here), free, "supervisorLost"],
    ["free, to be brought back before a restart", row({ ...spawned, ...again }, rebooted), free, "rebooted"],
    ["held, ended", row(ended, here), held, "exited"],
    ["free, ended", row(ended, here), free, "exited"],
    ["free, ended on another machine", row(ended, otherMachine), free, "exited"],
    ["free, running", row(running, here), free, "supervisorLost"],
    ["free, spawned", row(spawned, here), free, "supervisorLost"],
    ["free, claimed, waiting", row(waiting, here), free, "supervisorLost"],
    ["file gone, its process proved gone", row(running, here), { ...free, supervisor: "gone" }, "supervisorLost"],
    ["free, running before a restart", row(running, rebooted), free, "rebooted"],
    [
      "free, not claimed, its creator at work",
      row(waiting, null),
      { ...free, creator: "held" },
      "recoverable creating",
    ],
    ["free, not claimed, nobody at work", row(waiting, null), free, "creatorLost"],
    ["free, not claimed, before a restart", row(waiting, null, rebooted), free, "creatorLost"],
    ["not claimed, another machine", row(waiting, null, otherMachine), free, "cannotTell otherMachine"],
    ["another machine, free", row(running, otherMachine), free, "cannotTell otherMachine"],
    ["held here, whatever the machine is called now", row(running, otherMachine), held, "started"],
    ["unknown machine", row(running, { ...rebooted, machineId: null }), free, "cannotTell unknownMachine"],
    [
      "free in a copy, its supervisor lives elsewhere",
      row(running, here),
      { ...free, supervisor: "elsewhere" },
      "cannotTell copiedState",
    ],
    ["free in a copy, before a restart", row(running, rebooted), { ...free, supervisor: "elsewhere" }, "rebooted"],
    ["lock unreadable", row(running, here), { ...free, supervisor: "unjudgeable" }, "cannotTell lockUnreadable"],
    ["creator unreadable", row(waiting, null), { ...free, creator: "unjudgeable" }, "cannotTell lockUnreadable"],
    ["other namespace, held", row(running, otherNamespace), held, "started"],
    [
      "other namespace, output held",
      row(running, otherNamespace),
      { ...free, outputHeld: true },
      "cannotTell otherNamespace",
    ],
    ["other namespace, output unknown", row(running, otherNamespace), free, "cannotTell otherNamespace"],
    ["other namespace, output free", row(running, otherNamespace), { ...free, outputHeld: false }, "supervisorLost"],
  ];
  it.each(table)("%s", (_name, given, look, expected) => {
    expect(startup(containerOf(given, look, here))).toBe(expected);
  });

  it("suspects a missing Secret, which core then confirms", () => {
    const missing = row({ phase: "waiting", code: "secretMissing", message: "no Secret", secretMissing: true }, here);
    expect(containerOf(missing, held, here)).toMatchObject({
      suspicion: { kind: "secretMissing", secret: "moorage-0-0123456789abcdef" },
    });
  });
});

describe("a deletion mark", () => {
  it("counts while somebody holds the lock or promised to honour it, and is void otherwise", () => {
    expect(markCounts(held, false)).toBe(true);
    expect(markCounts(free, false)).toBe(false);
    expect(markCounts(free, true)).toBe(true);
    expect(markCounts({ ...free, supervisor: "gone" }, false)).toBe(false);
  });

  it("is shown only when it counts", () => {
    const marked = { ...row(running, here), deletionAt: "2026-01-01T00:00:02.000Z" };
    expect(observe(marked, { state: "running" }, true).deletion?.since).toBe("2026-01-01T00:00:02.000Z");
    expect(observe(marked, { state: "running" }, false).deletion).toBeNull();
  });
});

it("the attempt comes from the Secret's name", () => {
  expect(observe(row(running, here), { state: "running" }, true).attempt).toBe("0123456789abcdef");
});
