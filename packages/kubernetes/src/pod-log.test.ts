import type { ServerResponse } from "node:http";
import { afterEach, describe, expect, test } from "vitest";
import type { OpenedCluster } from "./cluster.fixture.ts";
import { failure, openOn, ourPod, patience, podName, pods, statusOf } from "./cluster.fixture.ts";
import type { Handler } from "./misbehaving-server.fixture.ts";
import { answerJson } from "./misbehaving-server.fixture.ts";
import type { PodLogEvent, PodLogRequest } from "./pod-log-event.ts";

const ends: (() => void | Promise<void>)[] = [];

afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

/** One answer for each request for the log, in their order, and the state of the pod at that time. */
interface Script {
  readonly logs: readonly Handler[];
  /** By how many requests for the log there were; the last goes on. */
  readonly pods?: readonly Handler[];
}

async function scripted({ logs, pods: looks = [pod("running")] }: Script): Promise<OpenedCluster> {
  let count = 0;
  const opened = await openOn((request, response) => {
    if (request.url.startsWith(`${pods}/${podName}/log`)) {
      const handler = logs[count] ?? failure(500, "InternalError", "too many requests for the log");
      count += 1;
      return handler(request, response);
    }
    if (request.url === `${pods}/${podName}`) return (looks[count] ?? looks.at(-1))?.(request, response);
    return watchOf(response);
  });
  ends.push(() => opened.end());
  return opened;
}

const list: object = { metadata: { resourceVersion: "1" }, items: [] };

/** The list and the watch behind `changed`: nothing happens in it. */
function watchOf(response: ServerResponse): void {
  if (response.req.url?.includes("watch=true") === true) response.writeHead(200).flushHeaders();
  else answerJson(response, 200, list);
}

const states = {
  running: { running: {} },
  waiting: { waiting: { reason: "ContainerCreating" } },
  ended: { terminated: { exitCode: 0 } },
};

function pod(state: keyof typeof states, more: { uid?: string; container?: string } = {}): Handler {
  const status = statusOf(states[state], more.container === undefined ? {} : { containerID: more.container });
  const object = ourPod({ status, ...(more.uid === undefined ? {} : { metadata: { uid: more.uid } }) });
  return (_request, response) => answerJson(response, 200, object);
}

const line = (second: number, text: string): string =>
  `2030-01-01T00:00:${String(second).padStart(2, "0")}.000000001Z ${text}`;

/** Whole, and over. */
const log =
  (...lines: readonly string[]): Handler =>
  (_request, response) =>
    void response.end(lines.map((one) => `${one}\n`).join(""));

/** What is written, and then the connection breaks. */
const broken =
  (text: string): Handler =>
  (_request, response) =>
    void response.writeHead(200).write(text, () => setImmediate(() => response.destroy()));

async function read(opened: OpenedCluster, request: Partial<PodLogRequest> = {}): Promise<string[]> {
  const told: string[] = [];
  for await (const event of opened.cluster.podLog({ pod: podName, ...request })) told.push(inShort(event));
  if (request.follow) expect(request.follow.aborted).toBe(false);
  return told;
}

function inShort(event: PodLogEvent): string {
  return event.kind === "line" ? `${event.bytes.toString()}${event.ends ? "" : "…"}` : `<${event.kind}>`;
}

function asked({ server }: OpenedCluster): readonly URLSearchParams[] {
  return server.received
    .filter(({ url }) => url.includes("/log?"))
    .map(({ url }) => new URL(url, "http://x").searchParams);
}

describe("what is there", () => {
  test("is asked for with its times, which are no part of it", async () => {
    const opened = await scripted({ logs: [log(line(1, "one"), line(2, "two"))] });
    const events: PodLogEvent[] = [];
    for await (const event of opened.cluster.podLog({ pod: podName })) events.push(event);
    expect(events).toMatchObject([
      { kind: "line", time: Date.UTC(2030, 0, 1, 0, 0, 1), stream: null, ends: true },
      { kind: "line", time: Date.UTC(2030, 0, 1, 0, 0, 2), stream: null, ends: true },
    ]);
    expect(Object.fromEntries(asked(opened)[0] ?? [])).toEqual({ container: "agent", timestamps: "true" });
  });

  test("can be limited to the last lines, a time, a span, another container, the run before", async () => {
    const opened = await scripted({ logs: [log(line(1, "too old"), line(2, "two")), log(line(1, "x"))] });
    const since = Date.UTC(2030, 0, 1, 0, 0, 1, 500);
    expect(await read(opened, { since, tail: 5, previous: true, container: "other" })).toEqual(["two"]);
    expect(await read(opened, { sinceMs: 1_500 })).toEqual(["x"]);
    const [first, second] = asked(opened).map((query) => Object.fromEntries(query));
    expect(first).toMatchObject({
      container: "other",
      previous: "true",
      tailLines: "5",
      sinceTime: "2030-01-01T00:00:01.500Z",
    });
    expect(second).toMatchObject({ sinceSeconds: "2" });
  });

  test("comes whole when the connection breaks in the middle of a line", async () => {
    const logs = [broken(`${line(1, "one")}\n${line(2, "tw")}`), log(line(1, "one"), line(2, "two"), line(3, "three"))];
    const opened = await scripted({ logs });
    expect(await read(opened)).toEqual(["one", "two", "three"]);
    expect(asked(opened)[1]?.get("sinceTime")).toBe("2030-01-01T00:00:00.000Z");
  });

  test("ends with what has no newline", async () => {
    const opened = await scripted({ logs: [(_request, response) => void response.end(`${line(1, "half")}`)] });
    expect(await read(opened)).toEqual(["half…"]);
  });

  test.each<[string, Handler]>([
    ["that no node has", (_request, response) => void response.writeHead(204).end()],
    ["that is silent before its start", log()],
    ["that waits", failure(400, "BadRequest", 'container "agent" in pod "x" is waiting to start: ContainerCreating')],
  ])("of a pod %s is told as not started", async (_what, answer) => {
    const opened = await scripted({ logs: [answer], pods: [pod("waiting")] });
    const message = expect.stringContaining("scribe has not started yet");
    await expect(read(opened)).rejects.toMatchObject({ code: "logNotStarted", message });
  });

  test("of an agent that runs and writes nothing is nothing", async () => {
    expect(await read(await scripted({ logs: [log()] }))).toEqual([]);
  });

  test.each([
    [failure(404, "NotFound", `pods "${podName}" not found`), "logPodGone", /there is no pod/],
    [
      failure(400, "BadRequest", 'previous terminated container "agent" in pod "x" not found'),
      "logNoPrevious",
      /no earlier run/,
    ],
    [failure(400, "BadRequest", "container other is not valid for pod x"), "logContainerUnknown", /no container agent/],
    [
      failure(
        403,
        "Forbidden",
        `pods "${podName}" is forbidden: User "ada" cannot get resource "pods/log" in API group "" in the namespace "team"`,
      ),
      "forbidden",
      /not allowed to get pods\/log/,
    ],
  ])("has its own words where it cannot be had (%#)", async (answer, code, message) => {
    const opened = await scripted({ logs: [answer] });
    await expect(read(opened)).rejects.toMatchObject({ code, message: expect.stringMatching(message) });
  });

  test("of a node that does not answer is told at once, without the node's address", async () => {
    const dead = failure(
      500,
      "InternalError",
      'Get "https://10.0.0.1:10250/containerLogs/x": dial tcp 10.0.0.1:10250: connect: connection refused',
    );
    const opened = await scripted({ logs: [dead] });
    const error = await read(opened).catch((caught: unknown) => caught);
    expect(error).toMatchObject({ code: "logNodeUnreachable" });
    expect(String(error)).not.toContain("10.0.0.1");
    expect(asked(opened)).toHaveLength(1);
  });

  test("is not what the node says by itself", async () => {
    const gone =
      'failed to try resolving symlinks in path "/var/log/pods/x/agent/0.log": lstat /var/log/pods/x: no such file or directory';
    const says: Handler = (_request, response) => void response.end(gone);
    const opened = await scripted({ logs: [says, says, says, says] });
    await expect(read(opened)).rejects.toMatchObject({
      code: "logUnreadable",
      message: expect.stringContaining("never wrote any"),
    });
  });
});

describe("following", () => {
  const follow = () => {
    const { signal, abort } = patience();
    ends.push(abort);
    return { follow: signal };
  };

  test("tells what is there, then what comes, and ends when the container has", async () => {
    const logs = [
      log(line(1, "one")),
      log(line(1, "one"), line(2, "two")),
      log(line(1, "one"), line(2, "two"), line(3, "last")),
    ];
    const opened = await scripted({ logs, pods: [pod("running"), pod("running"), pod("ended")] });
    expect(await read(opened, follow())).toEqual(["one", "<caughtUp>", "two", "last"]);
    expect(asked(opened).map((query) => query.get("follow"))).toEqual([null, "true", null]);
  });

  test("goes on after a broken connection, and loses and doubles nothing", async () => {
    const logs = [
      log(line(1, "one")),
      broken(`${line(1, "one")}\n${line(2, "two")}\n${line(3, "thr")}`),
      failure(500, "InternalError", 'Get "https://10.0.0.1:10250/x": dial tcp: connect: connection refused'),
      log(line(1, "one"), line(2, "two"), line(3, "three")),
      log(line(2, "two"), line(3, "three"), line(3, "three")),
    ];
    const opened = await scripted({
      logs,
      pods: [pod("running"), pod("running"), pod("running"), pod("running"), pod("ended")],
    });
    expect(await read(opened, follow())).toEqual(["one", "<caughtUp>", "two", "three", "three"]);
    expect(asked(opened).at(-1)?.get("sinceTime")).toBe("2030-01-01T00:00:02.000Z");
  });

  test("tells where lines may be lost, because the node has put them away", async () => {
    const logs = [log(line(1, "one")), broken(`${line(1, "one")}\n`), log(line(9, "nine")), log(line(9, "nine"))];
    const opened = await scripted({ logs, pods: [pod("running"), pod("running"), pod("running"), pod("ended")] });
    expect(await read(opened, follow())).toEqual(["one", "<caughtUp>", "<gap>", "nine"]);
  });

  test("waits for a container that has not started", async () => {
    let looks = 0;
    const starting: Handler = (request, response) => {
      looks += 1;
      return pod(looks === 1 ? "waiting" : "running")(request, response);
    };
    const logs = [log(line(1, "one")), log(line(1, "one")), log(line(1, "one"))];
    const opened = await scripted({ logs, pods: [starting, pod("running"), pod("ended")] });
    expect(await read(opened, follow())).toEqual(["<caughtUp>", "one"]);
  });

  test("ends with its pod, and when another has its name", async () => {
    const gone = failure(404, "NotFound", `pods "${podName}" not found`);
    const logs = [log(line(1, "one")), log(line(1, "one"))];
    expect(await read(await scripted({ logs, pods: [pod("running"), pod("running"), gone] }), follow())).toEqual([
      "one",
      "<caughtUp>",
    ]);
    const looks = [pod("running"), pod("running"), pod("running", { uid: "u2" })];
    expect(await read(await scripted({ logs, pods: looks }), follow())).toEqual(["one", "<caughtUp>"]);
    const cut = [log(line(1, "one")), broken(`${line(1, "one")}\n`)];
    expect(await read(await scripted({ logs: cut, pods: [pod("running"), pod("running"), gone] }), follow())).toEqual([
      "one",
      "<caughtUp>",
      "<gap>",
    ]);
  });

  test("goes on with a container that was started anew in place", async () => {
    const logs = [log(line(5, "old")), log(line(5, "old")), log(line(1, "new")), log(line(1, "new"), line(2, "last"))];
    const looks = [
      pod("running"),
      pod("running"),
      pod("running", { container: "c2" }),
      pod("ended", { container: "c2" }),
    ];
    const opened = await scripted({ logs, pods: looks });
    expect(await read(opened, follow())).toEqual(["old", "<caughtUp>", "new", "last"]);
    expect(asked(opened)[2]?.get("sinceTime")).toBeNull();
  });

  test("with only the last lines, what came before them does not come after a break", async () => {
    const logs = [
      log(line(2, "last")),
      broken(`${line(1, "older")}\n${line(2, "last")}\n${line(3, "new")}\n`),
      log(line(1, "older"), line(2, "last"), line(3, "new")),
    ];
    const opened = await scripted({ logs, pods: [pod("running"), pod("running"), pod("ended")] });
    expect(await read(opened, { ...follow(), tail: 1 })).toEqual(["last", "<caughtUp>", "new"]);
    expect(asked(opened).map((query) => query.get("tailLines"))).toEqual(["1", null, null]);
  });

  test("is refused at once without the right, and without a pod", async () => {
    const message = `pods "${podName}" is forbidden: User "ada" cannot get resource "pods/log" in API group "" in the namespace "team"`;
    const refused = await scripted({ logs: [failure(403, "Forbidden", message)] });
    await expect(read(refused, follow())).rejects.toMatchObject({
      code: "forbidden",
      message: expect.stringContaining("pods/log"),
    });
    const gone = await scripted({ logs: [], pods: [failure(404, "NotFound", `pods "${podName}" not found`)] });
    await expect(read(gone, follow())).rejects.toMatchObject({ code: "logPodGone" });
  });

  test.each(["the signal aborts", "the cluster is closed", "the reader leaves"])("ends when %s", async (how) => {
    const silent: Handler = (_request, response) => response.writeHead(200).flushHeaders();
    const opened = await scripted({ logs: [log(line(1, "one")), silent] });
    const stop = patience();
    const events = opened.cluster.podLog({ pod: podName, follow: stop.signal });
    const told: string[] = [];
    for await (const event of events) {
      told.push(inShort(event));
      if (event.kind !== "caughtUp") continue;
      if (how === "the reader leaves") break;
      if (how === "the signal aborts") setImmediate(() => stop.abort());
      else setImmediate(() => opened.cluster.close());
    }
    expect(told).toEqual(["one", "<caughtUp>"]);
    stop.abort();
  });

  test("ends when the signal aborts before there is an answer", async () => {
    const stop = patience();
    const opened = await scripted({ logs: [log(line(1, "one")), () => void setImmediate(() => stop.abort())] });
    const told: string[] = [];
    for await (const event of opened.cluster.podLog({ pod: podName, follow: stop.signal })) told.push(inShort(event));
    expect(told).toEqual(["one", "<caughtUp>"]);
    expect(asked(opened)).toHaveLength(2);
  }, 5_000);
});
