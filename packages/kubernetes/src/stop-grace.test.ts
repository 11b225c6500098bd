import type { Fence } from "@moorage/core";
import { afterEach, describe, expect, test } from "vitest";
import type { OpenedCluster } from "./cluster.fixture.ts";
import { failure, openOn, ourPod, podName, pods } from "./cluster.fixture.ts";
import type { Handler } from "./misbehaving-server.fixture.ts";
import { answerJson } from "./misbehaving-server.fixture.ts";

let opened: OpenedCluster;

afterEach(() => opened.end());

const fence: Fence = { uid: "u1", resourceVersion: "7" };
const alive = ourPod();
const ending = ourPod({ metadata: { deletionTimestamp: "2030-01-01T00:01:00Z", deletionGracePeriodSeconds: 60 } });
const gone = failure(404, "NotFound", "pods not found");

async function on(
  pod: object | Handler,
  deletion: Handler = (_request, response) => answerJson(response, 200, {}),
): Promise<OpenedCluster> {
  opened = await openOn((request, response) => {
    if (request.method === "DELETE") return deletion(request, response);
    return typeof pod === "function" ? (pod as Handler)(request, response) : answerJson(response, 200, pod);
  });
  return opened;
}

const deletes = (): unknown[] =>
  opened.server.received.filter(({ method }) => method === "DELETE").map(({ body }) => JSON.parse(body) as unknown);

const withGrace = (gracePeriodSeconds: number): object => ({
  apiVersion: "v1",
  kind: "DeleteOptions",
  preconditions: fence,
  gracePeriodSeconds,
});

describe("before a stop", () => {
  test("the next delete carries it, and only the next one", async () => {
    const { cluster } = await on(alive);
    await cluster.setStopGrace(podName, 1_500);
    expect(deletes()).toEqual([]);
    await cluster.substrate.deleteInstance(podName, fence);
    await cluster.substrate.deleteInstance(podName, fence);
    await cluster.substrate.deleteInstance("moorage-other", fence);
    const own = { apiVersion: "v1", kind: "DeleteOptions", preconditions: fence };
    expect(deletes()).toEqual([withGrace(2), own, own]);
  });

  test("it stays for the next try when a delete had no effect", async () => {
    const { cluster } = await on(alive, failure(409, "Conflict", "changed"));
    await cluster.setStopGrace(podName, 5_000);
    await cluster.substrate.deleteInstance(podName, fence);
    await cluster.substrate.deleteInstance(podName, fence);
    expect(deletes()).toEqual([withGrace(5), withGrace(5)]);
  });

  test.each([0, -5, 1, 999])("%d ms are one second: never none", async (ms) => {
    const { cluster } = await on(alive);
    await cluster.setStopGrace(podName, ms);
    await cluster.substrate.deleteInstance(podName, fence);
    expect(deletes()).toEqual([withGrace(1)]);
  });

  test("a pod that is not there is none to be told of", async () => {
    const { cluster } = await on(gone);
    await cluster.setStopGrace(podName, 1_000);
    expect(deletes()).toEqual([]);
  });
});

describe("of a pod that is ending", () => {
  test("it is sent at once, fenced", async () => {
    const { cluster } = await on(ending);
    await cluster.setStopGrace(podName, 3_000);
    expect(deletes()).toEqual([withGrace(3)]);
    expect(opened.server.received.map(({ method, url }) => `${method} ${url}`)).toEqual([
      `GET ${pods}/${podName}`,
      `DELETE ${pods}/${podName}`,
    ]);
  });

  test("a pod that changed meanwhile is looked at again", async () => {
    let tries = 0;
    const { cluster } = await on(ending, (request, response) => {
      tries += 1;
      return tries < 3 ? failure(409, "Conflict", "changed")(request, response) : answerJson(response, 200, {});
    });
    await cluster.setStopGrace(podName, 3_000);
    expect(deletes()).toHaveLength(3);
  });

  test("one that keeps changing is told, and not asked for ever", async () => {
    const { cluster } = await on(ending, failure(409, "Conflict", "changed"));
    await expect(cluster.setStopGrace(podName, 3_000)).rejects.toMatchObject({ code: "unreachable" });
    expect(deletes()).toHaveLength(5);
  });

  test("one that is gone meanwhile has ended", async () => {
    const { cluster } = await on(ending, gone);
    await cluster.setStopGrace(podName, 3_000);
    expect(deletes()).toHaveLength(1);
  });
});

test("somebody else's pod gets nothing, also from a later delete", async () => {
  const { cluster } = await on(ourPod({ metadata: { annotations: {}, deletionTimestamp: "2030-01-01T00:01:00Z" } }));
  await cluster.setStopGrace(podName, 1_000);
  expect(deletes()).toEqual([]);
  await cluster.substrate.deleteInstance(podName, fence);
  expect(deletes()).toEqual([{ apiVersion: "v1", kind: "DeleteOptions", preconditions: fence }]);
});

test("what cannot be looked at is told, and what was said still goes with the next delete", async () => {
  const { cluster } = await on(failure(503, "ServiceUnavailable", "later"));
  await expect(cluster.setStopGrace(podName, 1_000)).rejects.toMatchObject({ code: "unreachable" });
  await cluster.substrate.deleteInstance(podName, fence);
  expect(deletes()).toEqual([withGrace(1)]);
});
