import type { ServerResponse } from "node:http";
import { afterEach, describe, expect, test } from "vitest";
import type { OpenedCluster } from "./cluster.fixture.ts";
import { failure, openOn, patience, podName } from "./cluster.fixture.ts";
import type { ClusterEvent } from "./cluster-event.ts";
import type { Handler } from "./misbehaving-server.fixture.ts";
import { answerJson } from "./misbehaving-server.fixture.ts";

const path = "/api/v1/namespaces/team/events";
let opened: OpenedCluster;
const ends: (() => void)[] = [];

afterEach(async () => {
  for (const end of ends.splice(0)) end();
  await opened.end();
});

function event(version: number, message: string, name: string = podName): object {
  return {
    metadata: { uid: `e${message}`, resourceVersion: String(version) },
    involvedObject: { kind: "Pod", name, uid: "u1" },
    type: "Normal",
    reason: "Told",
    message,
    lastTimestamp: `2030-01-01T00:00:${String(version % 60).padStart(2, "0")}Z`,
  };
}

const listed =
  (version: number, ...items: readonly object[]): Handler =>
  (_request, response) =>
    answerJson(response, 200, { metadata: { resourceVersion: String(version) }, items });

function watched(...events: readonly object[]): Handler {
  return (_request, response) => {
    response.writeHead(200).flushHeaders();
    write(response, ...events);
  };
}

function write(response: ServerResponse, ...events: readonly object[]): void {
  for (const object of events) response.write(`${JSON.stringify({ type: "ADDED", object })}\n`);
}

/** The lists and the watches, each in their order; the last one stays. */
async function on(lists: readonly Handler[], watches: readonly Handler[] = []): Promise<OpenedCluster> {
  const counts = { list: 0, watch: 0 };
  opened = await openOn((request, response) => {
    const kind = request.url.includes("watch=true") ? "watch" : "list";
    const all = kind === "watch" ? watches : lists;
    const handler = all[counts[kind]] ?? all.at(-1);
    counts[kind] += 1;
    return handler?.(request, response);
  });
  return opened;
}

const queries = (): readonly URLSearchParams[] =>
  opened.server.received
    .filter(({ url }) => url.startsWith(path))
    .map(({ url }) => new URL(url, "http://x").searchParams);

/** The first `count` that a follow tells. */
async function followed(count: number): Promise<string[]> {
  const { signal, abort } = patience();
  ends.push(abort);
  const told: string[] = [];
  for await (const { message } of opened.cluster.followEvents(signal)) {
    told.push(message);
    if (told.length === count) break;
  }
  return told;
}

describe("a read", () => {
  test("of all is of our pods alone, oldest first, those that are gone included", async () => {
    const items = [
      event(5, "late"),
      event(3, "early"),
      event(4, "another's", "web-1"),
      event(2, "gone", "moorage-ffffffffffff"),
    ];
    const { cluster } = await on([listed(9, ...items)]);
    expect((await cluster.events()).map(({ message }) => message)).toEqual(["gone", "early", "late"]);
    expect(queries()[0]?.get("fieldSelector")).toBe("involvedObject.kind=Pod");
  });

  test("of one asks for one", async () => {
    const { cluster } = await on([listed(9, event(3, "x"))]);
    expect(await cluster.events({ name: podName, uid: "u1" })).toEqual<readonly ClusterEvent[]>([
      {
        at: "2030-01-01T00:00:03.000Z",
        since: "2030-01-01T00:00:03.000Z",
        type: "Normal",
        reason: "Told",
        message: "x",
        count: 1,
        object: podName,
      },
    ]);
    expect(queries()[0]?.get("fieldSelector")).toBe(
      `involvedObject.kind=Pod,involvedObject.name=${podName},involvedObject.uid=u1`,
    );
  });

  test("without the right, or an answer, is told in words", async () => {
    const message =
      'events is forbidden: User "ada" cannot list resource "events" in API group "" in the namespace "team"';
    const { cluster } = await on([failure(403, "Forbidden", message), failure(503, "ServiceUnavailable", "later")]);
    await expect(cluster.events()).rejects.toMatchObject({
      code: "forbidden",
      message: expect.stringMatching(/not allowed to list events/),
    });
    await expect(cluster.events()).rejects.toMatchObject({ code: "unreachable" });
  });
});

describe("a follow", () => {
  test("goes on where the read ended, without another one", async () => {
    const { cluster } = await on(
      [listed(9, event(3, "old"))],
      [watched(event(10, "a"), event(11, "theirs", "web-1"), event(12, "b"))],
    );
    await cluster.events();
    expect(await followed(2)).toEqual(["a", "b"]);
    expect(queries()).toHaveLength(2);
    expect(queries()[1]?.get("resourceVersion")).toBe("9");
  });

  test("without a read before tells what comes after it, not what was there", async () => {
    await on([listed(9, event(3, "old"))], [watched(event(10, "a"))]);
    expect(await followed(1)).toEqual(["a"]);
  });

  test("tells nothing twice and loses nothing when its version is too old", async () => {
    const again = listed(20, event(3, "old"), event(10, "a"), event(15, "meanwhile"));
    const cut: Handler = (_request, response) => {
      write(response, event(10, "a"));
      const status = { kind: "Status", code: 410, reason: "Expired" };
      response.end(`${JSON.stringify({ type: "ERROR", object: status })}\n`);
    };
    const { cluster } = await on([listed(9, event(3, "old")), again], [cut, watched(event(21, "b"))]);
    await cluster.events();
    expect(await followed(3)).toEqual(["a", "meanwhile", "b"]);
  });

  test("without the right is refused, and not tried for ever", async () => {
    const message =
      'events is forbidden: User "ada" cannot watch resource "events" in API group "" in the namespace "team"';
    const { cluster } = await on([listed(9)], [failure(403, "Forbidden", message)]);
    await cluster.events();
    await expect(followed(1)).rejects.toMatchObject({
      code: "forbidden",
      message: expect.stringMatching(/not allowed to watch events/),
    });
  });

  test.each(["the signal aborts", "the cluster is closed"])("ends when %s", async (how) => {
    const { cluster } = await on([listed(9)], [watched()]);
    const { signal, abort } = patience();
    ends.push(abort);
    const following = (async () => {
      for await (const { message } of cluster.followEvents(signal)) throw new Error(message);
    })();
    if (how === "the signal aborts") abort();
    else cluster.close();
    await following;
  });
});
