import { describe, expect, it } from "vitest";
import { fieldsOf } from "./json-fields.ts";
import { agent, made, startup } from "./pod.fixture.ts";

describe("how a pod ended", () => {
  it.each<[string, object, object]>([
    [
      "Evicted",
      { phase: "Failed", reason: "Evicted", message: "The node was low on resource: memory." },
      { reason: "evicted", detail: "its node was short of something (Evicted)" },
    ],
    [
      "Evicted while it ran",
      { phase: "Failed", reason: "Evicted", ...agent({ terminated: { exitCode: 137, reason: "Error" } }) },
      { reason: "evicted", exitCode: 137 },
    ],
    [
      "Evicted, and it ended in good order",
      { phase: "Failed", reason: "Evicted", ...agent({ terminated: { exitCode: 0, reason: "Completed" } }) },
      { reason: "evicted", exitCode: 0 },
    ],
    [
      "OutOfcpu",
      { phase: "Failed", reason: "OutOfcpu", message: "Pod was rejected" },
      { reason: "notStarted", detail: "its node turned it down (OutOfcpu)" },
    ],
    ["UnexpectedAdmissionError", { phase: "Failed", reason: "UnexpectedAdmissionError" }, { reason: "notStarted" }],
    [
      "node shutdown",
      {
        phase: "Failed",
        reason: "Terminated",
        message: "Pod was terminated in response to imminent node shutdown.",
        ...agent({ terminated: { exitCode: 143 } }),
      },
      { reason: "evicted", detail: "its node was shut down (Terminated)" },
    ],
    [
      "preempted",
      {
        phase: "Failed",
        conditions: [{ type: "DisruptionTarget", status: "True", reason: "PreemptionByScheduler" }],
        ...agent({ terminated: { exitCode: 137 } }),
      },
      { reason: "evicted", detail: "something more urgent took its place (PreemptionByScheduler)" },
    ],
    [
      "evicted by the API",
      {
        phase: "Failed",
        conditions: [{ type: "DisruptionTarget", status: "True", reason: "EvictionByEvictionAPI" }],
        ...agent({ terminated: { exitCode: 143 } }),
      },
      { reason: "evicted", detail: "somebody asked for its eviction (EvictionByEvictionAPI)" },
    ],
    [
      "ContainerStatusUnknown",
      {
        phase: "Failed",
        ...agent({
          terminated: {
            exitCode: 137,
            reason: "ContainerStatusUnknown",
            message: "The container could not be located when the pod was terminated",
          },
        }),
      },
      { reason: "unknown", exitCode: 137 },
    ],
    [
      "exec format error",
      {
        phase: "Failed",
        ...agent({
          terminated: { exitCode: 128, reason: "StartError", message: "exec /agent: exec format error: unknown" },
        }),
      },
      { reason: "notStarted", detail: "its program is for another architecture: exec format error" },
    ],
    [
      "a deadline after its own end",
      { phase: "Failed", reason: "DeadlineExceeded", ...agent({ terminated: { exitCode: 2, reason: "Error" } }) },
      { reason: "exited", exitCode: 2 },
    ],
    ["Failed without a word", { phase: "Failed" }, { reason: "notStarted" }],
    [
      "Failed while it waits",
      { phase: "Failed", ...agent({ waiting: { reason: "PodInitializing" } }) },
      { reason: "notStarted" },
    ],
    ["Succeeded without a word", { phase: "Succeeded" }, { reason: "notStarted" }],
    [
      "terminated while a side-car runs",
      { phase: "Running", ...agent({ terminated: { exitCode: 1 } }) },
      { reason: "exited", exitCode: 1 },
    ],
    [
      "terminated, nothing else known",
      { phase: "Running", ...agent({ terminated: {} }) },
      { reason: "unknown", exitCode: null },
    ],
  ])("%s: terminated", (_what, status, ending) => {
    expect(startup(made(status))).toMatchObject({ kind: "terminated", ending });
  });

  it.each([
    ["0, for which the deadline was over", "2026-01-01T00:01:00Z", 0, "stopped"],
    ["1, for which the deadline was over", "2026-01-01T00:01:01Z", 1, "stopped"],
    ["1, and the deadline came later", "2026-01-01T00:00:59Z", 1, "exited"],
  ])("an exit with %s", (_what, finishedAt, exitCode, reason) => {
    const status = {
      phase: "Failed",
      reason: "DeadlineExceeded",
      startTime: "2026-01-01T00:00:00Z",
      ...agent({ terminated: { exitCode, finishedAt } }),
    };
    const pod = made(status, { activeDeadlineSeconds: 60, containers: [{ name: "agent" }] });
    expect(startup(pod)).toMatchObject({ kind: "terminated", ending: { reason, exitCode } });
  });

  const note = (change: object): string =>
    JSON.stringify({ kind: "moorage/ending/v1", reason: "exited", lostTurns: 0, killed: false, wrong: [], ...change });

  it.each<[string, object, object, object]>([
    [
      "an idle end",
      {},
      { exitCode: 0, reason: "Completed", message: note({ reason: "idle" }) },
      { reason: "idle", exitCode: 0, detail: null },
    ],
    [
      "settings that are wrong",
      {},
      { exitCode: 78, reason: "Error", message: note({ reason: "notStarted", wrong: ["MOORAGE_GRACE_MS"] }) },
      { reason: "notStarted", exitCode: 78, detail: expect.stringContaining("MOORAGE_GRACE_MS") },
    ],
    [
      "an end that nobody but its node asked for",
      { phase: "Succeeded" },
      { exitCode: 0, reason: "Completed", message: note({ reason: "stopped", lostTurns: 1 }) },
      { reason: "evicted", exitCode: 0, detail: expect.stringMatching(/^its node asked .*; a turn was lost$/) },
    ],
    [
      "an eviction, for which it was asked to end",
      { reason: "Evicted" },
      { exitCode: 0, message: note({ reason: "stopped" }) },
      { reason: "evicted", exitCode: 0 },
    ],
    [
      "a deadline, for which it was asked to end",
      { reason: "DeadlineExceeded" },
      { exitCode: 0, message: note({ reason: "stopped" }) },
      { reason: "stopped", detail: "its active deadline was over" },
    ],
    [
      "a kill for want of memory, whatever stands there from before",
      {},
      { exitCode: 137, reason: "OOMKilled", message: note({ reason: "idle" }) },
      { reason: "outOfMemory" },
    ],
    [
      "words of the agent's own, which are nobody's to repeat",
      {},
      { exitCode: 1, reason: "Error", message: "planted-value" },
      { reason: "exited", detail: null },
    ],
  ])("the note of a harness: %s", (_what, status, terminated, ending) => {
    expect(startup(made({ phase: "Failed", ...status, ...agent({ terminated }) }))).toMatchObject({
      kind: "terminated",
      ending,
    });
  });

  it("the note of a harness: a stop that somebody asked for, in which it had to be killed", () => {
    const message = note({ reason: "stopped", lostTurns: 1, killed: true });
    const pod = made({ phase: "Failed", ...agent({ terminated: { exitCode: 137, reason: "Error", message } }) });
    const metadata = { ...fieldsOf(pod["metadata"]), deletionTimestamp: "2026-01-01T00:00:00Z" };
    expect(startup({ ...pod, metadata })).toMatchObject({
      kind: "terminated",
      ending: {
        reason: "stopped",
        signal: "SIGKILL",
        detail: expect.stringMatching(/^a turn was lost; .* was killed$/),
      },
    });
  });
});
