// The image with the harness on a real pod: turns, drain, idle limit, grace, crashes, settings, output, under Pod Security "restricted".
import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { join } from "node:path";
import { readFacts } from "@moorage/harness";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { HarnessScene, PodObject } from "./harness-scene.ts";
import { openHarnessScene, workspaceOf } from "./harness-scene.ts";
import { secretValue } from "./kubernetes-agent.ts";
import { openOnCluster } from "./on-cluster.ts";
import { patienceMs } from "./scene.ts";
import { thisCluster } from "./this-cluster.ts";
import { nodeLayout } from "./up/layout.ts";
import { until } from "./up/run.ts";

const prefix = "moorage: ";

// Somebody's cluster has a registry that we do not push to.
describe.skipIf(thisCluster().own === null)("an agent in the image with the harness", () => {
  let scene: HarnessScene;

  beforeEach(async () => {
    scene = await openHarnessScene();
  });
  afterEach(() => scene.end());

  const ending = async () => {
    const container = (await scene.instance())?.evidence.container;
    return container?.state === "terminated" ? container.ending : null;
  };

  test.each([
    ["the SDK", "sdk", ["asked to end", "turn t1 is done", "refused: draining"]],
    ["plain HTTP", "http", ["refused: 409", "turn t1 is done: 200"]],
  ])(
    "tells its turns by %s: a stop waits for the one in flight, refuses others, and is a good end",
    async (_, how, after) => {
      expect(await scene.startHarness([how])).toMatchObject({ outcome: "started", intent: "current" });
      await scene.says("in turn t1: ahoy");
      const output = await scene.output();
      const release = await scene.hold();
      const stopped = scene.stop();
      await scene.says(`${prefix}scribe is asked to end; a turn has up to 10 s`);
      expect(await scene.alive()).toBe(1);
      await scene.tell("finish");
      expect((await scene.untilEnded()).terminated).toMatchObject({ exitCode: 0, reason: "Completed" });
      expect(output.lines("stdout")).toEqual(["in turn t1: ahoy", ...after]);
      expect(await ending()).toMatchObject({ reason: "stopped", exitCode: 0, detail: null });
      await release();
      expect(await stopped).toMatchObject({ outcome: "stopped" });
      expect(await scene.alive()).toBe(0);
    },
  );

  test("P12: at its idle limit it ends well, is told as that, and nothing revives it", async () => {
    await scene.startHarness(["quiet"], { idleMs: 500 });
    expect((await scene.untilEnded()).terminated).toMatchObject({ exitCode: 0, reason: "Completed" });
    expect(await ending()).toMatchObject({ reason: "idle", exitCode: 0 });
    await until("the pod is over", async () => (await scene.pod()).status.phase === "Succeeded");
    expect((await scene.pod()).status.containerStatuses?.[0]?.restartCount).toBe(0);
    expect(await scene.alive()).toBe(0);
  });

  test("what ignores SIGTERM is killed before the kubelet would, and that is told", async () => {
    await scene.startHarness(["deaf"], { drainMs: 0, graceMs: 6_000 });
    await scene.says("ready");
    const output = await scene.output();
    const release = await scene.hold();
    const stopped = scene.stop();
    expect((await scene.untilEnded()).terminated).toMatchObject({ exitCode: 137 });
    // Only a harness that lived on can have left this.
    expect(await ending()).toMatchObject({
      reason: "stopped",
      signal: "SIGKILL",
      detail: "what was still there when its grace was over was killed",
    });
    expect(output.lines("stdout")).toEqual(["ready", "not yet"]);
    expect(output.lines("stderr")).toContain(`${prefix}scribe is killed: something of it did not end within its grace`);
    await release();
    expect(await stopped).toMatchObject({ outcome: "stopped" });
  });

  test("a crash in the middle of a turn ends it with its own code; the turn is told as lost, and nothing starts again", async () => {
    await scene.startHarness(["sdk"]);
    await scene.says("in turn t1: ahoy");
    await scene.tell("crash");
    expect((await scene.untilEnded()).terminated).toMatchObject({ exitCode: 9, reason: "Error" });
    expect(await ending()).toMatchObject({ reason: "exited", exitCode: 9, detail: "a turn was lost" });
    expect((await scene.log()).join("\n")).toMatch(/^moorage: turn t1 \(.* after it began\) was lost$/m);
    await until("the pod is over", async () => (await scene.pod()).status.phase === "Failed");
    expect((await scene.pod()).status.containerStatuses?.[0]?.restartCount).toBe(0);
    expect(await scene.alive()).toBe(0);
  });

  test("settings that are wrong start nothing: exit code 78, and the log and the ending say which", async () => {
    await scene.startHarness(["sdk"], {
      drainMs: 20_000,
      graceMs: 20_000,
      health: { kind: "file", path: "", maxAgeMs: 0 },
    });
    expect((await scene.untilEnded()).terminated).toMatchObject({ exitCode: 78 });
    expect(await ending()).toMatchObject({
      reason: "notStarted",
      exitCode: 78,
      detail: "its harness cannot go by MOORAGE_HEALTH, MOORAGE_GRACE_MS; its log says why",
    });
    const log = await scene.log();
    expect(log).toContain(`${prefix}MOORAGE_GRACE_MS is not more than MOORAGE_DRAIN_MS, which it contains`);
    expect(log.every((line) => line.startsWith(prefix))).toBe(true);
  });

  test("a command that the image does not have is told as that", async () => {
    await scene.startHarness([], { command: ["python3", "agent.py"] });
    expect((await scene.untilEnded()).terminated).toMatchObject({ exitCode: 78 });
    expect(await ending()).toMatchObject({ reason: "notStarted", detail: "its log says why" });
    expect((await scene.log()).join("\n")).toContain("the command python3 was not found in PATH");
  });

  test("its output is in the log as it wrote it, ours is beside it by its prefix, and no secret is in either", async () => {
    await scene.startHarness(["sdk"]);
    const output = await scene.output();
    await scene.tell("finish");
    expect((await scene.untilEnded()).terminated).toMatchObject({ exitCode: 0 });
    expect(output.lines("stdout")).toEqual(["in turn t1: ahoy", "turn t1 is done", "another turn"]);
    const ours = (line: string): boolean => line.startsWith(prefix);
    const errors = output.lines("stderr");
    expect(errors.filter((line) => !ours(line))).toEqual(["the agent's last words"]);
    expect(errors.filter(ours)).toEqual([
      expect.stringMatching(/^moorage: scribe runs as process \d+$/),
      "moorage: scribe has ended: exit code 0",
    ]);
    expect((await scene.log()).join("\n")).not.toContain(secretValue);
  });

  test("a child that outlives it, in a session of its own, is asked to end before the container is gone", async () => {
    await scene.startHarness(["leaves"]);
    expect((await scene.untilEnded()).terminated).toMatchObject({ exitCode: 0 });
    expect((await scene.output()).lines("stdout")).toEqual(["the leader ends", "the child is asked to end"]);
  });

  test("its health is known to the harness, by the socket and by a file", async () => {
    await scene.startHarness(["sdk"], { health: { kind: "socket" }, env: { TMPDIR: "/workspace" } });
    await scene.says("in turn t1: ahoy");
    const facts = async () => readFacts(join(workspaceOf(scene, await scene.pod()), ".moorage-10001", "facts"));
    expect(await facts()).toMatchObject({ health: { kind: "healthy", detail: "fine" }, inFlight: 1, connected: true });
    await scene.tell("finish");
    await scene.untilEnded();
    const health = { kind: "file", path: "/workspace/alive", maxAgeMs: 600_000 } as const;
    await scene.startHarness(["quiet"], { health, env: { TMPDIR: "/workspace" } });
    await until("the harness tells", async () => (await facts())?.health.kind === "unknown");
    await scene.tell("alive");
    await until("the file counts", async () => (await facts())?.health.kind === "healthy");
  });

  test("a root file system that is read-only is enough", async () => {
    await scene.startHarness(["quiet"]);
    const name = "read-only";
    const { spec } = await scene.pod();
    const containers = spec.containers.map((container) => ({
      ...container,
      env: (container["env"] as unknown as { name: string; value: string }[]).map((variable) =>
        variable.name === "MOORAGE_COMMAND" ? { ...variable, value: '["node","agent.mjs","sdk"]' } : variable,
      ),
      securityContext: { ...(container["securityContext"] as object), readOnlyRootFilesystem: true },
    }));
    const made = { apiVersion: "v1", kind: "Pod", metadata: { name }, spec: { ...spec, containers } };
    const { status } = await scene.api.send("POST", scene.namespace.path("pods"), made);
    expect(status).toBe(201);
    await scene.says("in turn t1: ahoy", name);
    await scene.tell("finish", name);
    expect((await scene.untilEnded(name)).terminated).toMatchObject({ exitCode: 0 });
  });

  test("a harness that is killed takes its agent along: nothing lives on without it", async () => {
    await scene.startHarness(["sdk"]);
    await scene.says("in turn t1: ahoy");
    // By its command line; the container's first process is tini, which no signal from within can kill.
    const killer = inContainer(
      await scene.pod(),
      `for (const pid of fs.readdirSync("/proc").filter((name) => Number(name) > 1 && Number(name) !== process.pid))
         if (fs.readFileSync("/proc/" + pid + "/cmdline", "latin1").endsWith("harness.cjs\\0")) process.kill(Number(pid), "SIGKILL")`,
    );
    try {
      expect((await scene.untilEnded()).terminated).toMatchObject({ exitCode: 137 });
      expect(await ending()).toMatchObject({ reason: "signaled", signal: "SIGKILL", detail: null });
      expect(await scene.alive()).toBe(0);
    } finally {
      killer.child.kill("SIGKILL");
    }
  });

  test(
    "what a person runs in its container holds nothing up, and is no part of it",
    async () => {
      await scene.startHarness(["sdk"]);
      await scene.says("in turn t1: ahoy");
      const stubborn = inContainer(
        await scene.pod(),
        "process.on('SIGTERM', () => {}); console.log('in'); setInterval(() => {}, 1e6)",
      );
      try {
        await until("it is in", () => stubborn.said().includes("in"));
        await scene.tell("finish");
        expect((await scene.untilEnded()).terminated).toMatchObject({ exitCode: 0 });
        expect(await ending()).toMatchObject({ reason: "exited", detail: null });
      } finally {
        stubborn.child.kill("SIGKILL");
      }
    },
    patienceMs,
  );

  test("the command starts it from a declaration, and explains its end", async () => {
    const on = await openOnCluster();
    try {
      const run = `{ image: "${scene.image}", harness: true, command: [node, agent.mjs, quiet] }`;
      on.place.declare("scribe", `run: ${run}\ndrain: 1s\ngrace: 5s\nidle: 1s`);
      expect(await on.askOne(["deploy", "--settle", "0"])).toMatchObject({ exit: 0, outcome: "started" });
      await until("it has ended", async () => (await on.status("scribe")).state !== "running");
      expect((await on.run(["explain", "scribe"])).stdout).toContain("ended at its idle limit");
      expect((await on.run(["logs", "scribe"])).stdout).toContain("moorage: scribe is idle for too long");
    } finally {
      await on.end();
    }
  });

  /** As `kubectl exec` does it: beside the container's own processes, with its environment. */
  function inContainer({ spec, status }: PodObject, script: string): { child: ChildProcess; said: () => string } {
    const { own } = scene.here;
    const id = status.containerStatuses?.[0]?.containerID.replace(/^containerd:\/\//, "");
    if (own === null || id === undefined) throw new Error("there is no container to go into");
    const { socket } = nodeLayout(own, Number(spec.nodeName.replace("node", "")));
    const words = ["-a", socket, "-n", "k8s.io", "tasks", "exec", "--exec-id", "person", id, "node", "-e", script];
    const child = spawn("ctr", words, { stdio: ["ignore", "pipe", "inherit"] });
    let said = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => (said += text));
    return { child, said: () => said };
  }
});
