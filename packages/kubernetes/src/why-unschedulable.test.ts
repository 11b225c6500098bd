import { describe, expect, test } from "vitest";
import type { Fields } from "./json-fields.ts";
import { made } from "./pod.fixture.ts";
import { ofOurs, recordedWorld, why } from "./waiting.fixture.ts";

function unscheduled(message: string): Fields {
  const condition = { type: "PodScheduled", status: "False", reason: "Unschedulable", message };
  return pod({ phase: "Pending", conditions: [condition] });
}

describe("nodes that cannot take it", () => {
  test.each([
    [
      "0/5 nodes are available: 1 node(s) had untolerated taint {node-role.kubernetes.io/control-plane: }, 1 node(s) were unschedulable, 3 Insufficient cpu. preemption: 0/5 nodes are available: 2 Preemption is not helpful for scheduling, 3 No preemption victims found for incoming pod.",
      "no node can take it: of 5, 1 is kept for the control plane, 1 is closed to new pods, 3 have too little CPU free",
    ],
    [
      "0/3 nodes are available: 1 node(s) had untolerated taint {node.kubernetes.io/not-ready: }, 2 node(s) had untolerated taint {node.kubernetes.io/unreachable: }.",
      "no node can take it: of 3, 1 is not ready, 2 do not answer",
    ],
    [
      "0/2 nodes are available: 1 node(s) had untolerated taint {node.kubernetes.io/unschedulable: }, 1 node(s) were unschedulable. preemption: 0/2 nodes are available.",
      "no node can take it: all 2 are closed to new pods",
    ],
    [
      "0/17 nodes are available: 17 node(s) had untolerated taint(s). no new claims to deallocate, preemption: 0/17 nodes are available: 17 Preemption is not helpful for scheduling.",
      "no node can take it: all 17 have a taint that is not tolerated",
    ],
    [
      "0/2 nodes are available: 2 node(s) had untolerated taint {dedicated: gpu}.",
      "no node can take it: all 2 have the taint dedicated=gpu, which is not tolerated",
    ],
    [
      "0/1 nodes are available: 1 Insufficient nvidia.com/gpu.",
      "no node can take it: the only one has too little nvidia.com/gpu free",
    ],
    ["0/1 nodes are available: 1 Too many pods.", "no node can take it: the only one has no room for another pod"],
    [
      "0/2 nodes are available: 2 node(s) had volume node affinity conflict.",
      "no node can take it: all 2 cannot reach the volume of the claim",
    ],
    ["no nodes available to schedule pods", "no node can take it: the cluster has none"],
    [
      "0/2 nodes are available: 2 node(s) did something novel.",
      "no node can take it: all 2 say: node(s) did something novel",
    ],
    ["", "no node can take it"],
  ])("%s", async (message, words) => {
    expect((await why({ pod: unscheduled(message), events: [] })).told).toMatchObject({
      code: "unschedulable",
      message: words,
    });
  });

  test("less urgent pods make room", async () => {
    const { status } = unscheduled("0/1 nodes are available: 1 Insufficient cpu.") as { status: object };
    const preempting = pod({ ...status, nominatedNodeName: "node7" });
    expect((await why({ pod: preempting, events: [] })).told).toMatchObject({
      code: "preempting",
      message: expect.stringContaining("node7"),
    });
  });

  test("a claim that is being deleted", async () => {
    const gone = {
      pod: recordedWorld("claim-without-class").pod,
      events: [],
      claim: { metadata: { name: "pending", uid: "c", deletionTimestamp: "2030-01-01T00:00:00Z" } },
    };
    expect((await why(gone)).told).toMatchObject({ code: "claimEnding" });
  });
});

/** A pod of ours on no node, with this status. */
function pod(status: object): Fields {
  return ofOurs(made(status, { nodeName: undefined }));
}
