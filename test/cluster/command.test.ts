// The command on a cluster as a person runs it: the same two minutes, and what it says when something is in the way.
import { afterEach, expect, test } from "vitest";
import type { OnCluster } from "./on-cluster.ts";
import { obedient, openOnCluster } from "./on-cluster.ts";
import { patienceMs } from "./scene.ts";
import { until } from "./up/run.ts";

let on: OnCluster;

afterEach(() => on.end());

test("deploy, deploy, status, logs, explain, journal, stop: the same file, the same words", async () => {
  on = await openOnCluster();
  on.declare("scribe", obedient, "secretEnv: { API_KEY: { env: API_KEY } }");
  const env = { API_KEY: "a-secret-of-this-test" };
  const first = await on.askOne(["deploy"], { env });
  expect(first).toMatchObject({ exit: 0, outcome: "started", intent: "current", condition: null });
  expect(first.startedAt).not.toBeNull();
  const pods = await on.pods();
  expect(pods).toMatchObject([{ name: first.agentId }]);
  expect(await on.secrets()).toEqual([`${first.agentId}-${first.attempt}`]);

  const again = await on.run(["deploy", "scribe"], { env });
  expect(again).toMatchObject({ exit: 0 });
  expect(again.stdout).toMatch(/^scribe: already running since .*; nothing touched$/m);
  expect(await on.pods()).toEqual(pods);

  expect(await on.status("scribe")).toMatchObject({ state: "running", agentId: first.agentId, image: on.here.image });
  expect((await on.run(["status"])).stdout).toMatch(/^AGENT +STATE +SINCE +NODE +MEMORY +REVIVES\nscribe +running /);
  // That it runs is known a moment before it has written anything.
  await until("its output is there", async () => (await on.run(["logs", "scribe"])).stdout === "begun\n", patienceMs);
  const explained = await on.run(["explain", "scribe"], { env });
  expect(explained).toMatchObject({ exit: 0 });
  expect(explained.stdout).toContain("would change nothing");
  expect(explained.stdout).toContain(`moorage logs scribe -f --on kubernetes --namespace ${on.namespace.name}`);
  const journal = await on.run(["journal", "scribe"]);
  expect(journal.stdout).toMatch(/scribe decide create \(rule 1\)/);
  expect(journal.stdout).toMatch(new RegExp(`${first.agentId} Scheduled`));

  const lines = (await on.run(["journal", "--json"])).stdout.trim().split("\n");
  const event = lines.map((line) => JSON.parse(line) as object).find((line) => "reason" in line) ?? {};
  const schema = JSON.parse((await on.place.run(["schema", "ClusterEvent"], { state: false })).stdout) as {
    required: string[];
  };
  expect(Object.keys(event).sort()).toEqual([...schema.required].sort());

  const stopped = await on.run(["stop", "scribe"]);
  expect(stopped).toMatchObject({ exit: 0 });
  expect(stopped.stdout).toMatch(/^scribe: stopped/m);
  expect(await on.pods()).toEqual([]);
  expect(await on.secrets()).toEqual([]);
  expect(await on.status("scribe")).toMatchObject({ state: "absent" });
  expect((await on.run(["stop", "scribe"])).exit).toBe(0);
  for (const { stdout, stderr } of [again, explained, journal, stopped])
    expect(stdout + stderr).not.toContain(env.API_KEY);
});

test("a dry run and a refused declaration change nothing, and a tag is refused with its place", async () => {
  on = await openOnCluster();
  on.declare("scribe", obedient);
  const dry = await on.run(["deploy", "--dry-run"]);
  expect(dry).toMatchObject({ exit: 0 });
  expect(dry.stdout).toContain("would create it");
  on.place.declare("scribe", "run: { image: registry.example/scribe:latest }");
  const tag = await on.run(["deploy"]);
  expect(tag).toMatchObject({ exit: 2, stdout: "" });
  expect(tag.stderr).toMatch(/agent\.yaml:5:\d+.*not pinned by digest/);
  on.place.declare("scribe", "run: { command: [node, agent.ts] }");
  expect((await on.run(["deploy"])).stderr).toContain("has no image, which is what runs on Kubernetes");
  expect(await on.run(["deploy", "scribe"])).toMatchObject({ exit: 2 });
  expect(await on.pods()).toEqual([]);
  expect(await on.secrets()).toEqual([]);
});

test("an allowed tag starts, and is warned of at every start", async () => {
  on = await openOnCluster();
  const tag = on.here.image.replace(/@sha256:.*$/, ":1");
  on.place.declare("scribe", `run: { image: "${tag}", command: [/bin/sh, -c, "sleep 600"] }\nallowTag: true`);
  for (const outcome of ["started", "already running"]) {
    const ran = await on.run(["deploy"]);
    expect(ran).toMatchObject({ exit: 0 });
    expect(ran.stdout).toContain(outcome);
    expect(ran.stderr).toMatch(/warning: scribe: .*is not pinned by digest/);
  }
});

test("a changed declaration is told, a restart takes it over, and --require-current is exit 4", async () => {
  on = await openOnCluster();
  on.declare("scribe", obedient);
  await on.askOne(["deploy"]);
  const [before] = await on.pods();
  on.declare("scribe", obedient, "env: { LOG_LEVEL: debug }");
  expect(await on.askOne(["deploy"])).toMatchObject({ exit: 0, outcome: "alreadyRunning", intent: "diverged" });
  expect(await on.askOne(["deploy", "--require-current"])).toMatchObject({ exit: 4, condition: { code: "diverged" } });
  expect(await on.pods()).toEqual([before]);
  expect(await on.run(["restart", "scribe"])).toMatchObject({ exit: 0 });
  expect(await on.pods()).toMatchObject([{ name: before?.name }]);
  expect((await on.pods())[0]?.uid).not.toBe(before?.uid);
  expect(await on.askOne(["deploy"])).toMatchObject({ outcome: "alreadyRunning", intent: "current" });
});

test("an image that cannot be had is exit 4 at once, with the stop to run, and the stop is the way out", async () => {
  on = await openOnCluster();
  const image = on.here.image.replace(/@sha256:.*$/, `@sha256:${"0".repeat(64)}`);
  on.place.declare("scribe", `run: { image: "${image}" }`);
  const failed = await on.run(["deploy"]);
  expect(failed).toMatchObject({ exit: 4 });
  expect(failed.stdout).toContain("the image cannot be pulled");
  expect(failed.stdout).toContain(`moorage stop scribe --on kubernetes --namespace ${on.namespace.name}`);
  expect(await on.status("scribe")).toMatchObject({ state: "broken" });
  expect(await on.run(["stop", "scribe"])).toMatchObject({ exit: 0 });
  on.declare("scribe", obedient);
  expect(await on.askOne(["deploy"])).toMatchObject({ exit: 0, outcome: "started" });
});

test("what no node can take is exit 3 with the scheduler's reason in words, and goes on", async () => {
  on = await openOnCluster();
  on.place.declare(
    "scribe",
    `run: { image: "${on.here.image}", command: [/bin/sh, -c, "sleep 600"] }
kubernetes: { nodeSelector: { disk: none } }`,
  );
  const waited = await on.run(["deploy", "--deadline", "4s"]);
  expect(waited).toMatchObject({ exit: 3 });
  expect(waited.stdout).toMatch(/not confirmed/);
  expect(waited.stdout).toMatch(/label|selector/);
  expect(await on.status("scribe")).toMatchObject({ state: "starting" });
  expect((await on.run(["explain", "scribe"])).stdout).toMatch(/FailedScheduling|no node takes it/);
  expect(await on.run(["stop", "scribe"])).toMatchObject({ exit: 0 });
});

test("an agent that ends at once is told with its exit code and its last words", async () => {
  on = await openOnCluster();
  on.declare("scribe", "echo 'no model is configured'; exit 7");
  const ended = await on.run(["deploy", "--settle", "20s"]);
  expect(ended.exit).not.toBe(0);
  expect(ended.stdout).toMatch(/exit code 7/);
  expect(ended.stdout).toContain("no model is configured");
  // As long as the ended pod is there, it is the run before.
  expect((await on.run(["logs", "scribe", "--previous"])).stdout).toBe("no model is configured\n");
});

test("stop --now does not wait for a turn that would go on, and stop --all means the namespace alone", async () => {
  on = await openOnCluster();
  // A stop that waited for its grace would outlast the test.
  on.declare("stubborn", "trap '' TERM; while :; do sleep 1; done", "", "1h");
  await on.askOne(["deploy"]);
  expect(await on.run(["stop", "--all", "--now"])).toMatchObject({ exit: 0 });
  expect(await on.pods()).toEqual([]);
});

test("a namespace that is not there is made by a start, and by nothing else", async () => {
  on = await openOnCluster({ namespaceMade: false });
  on.declare("scribe", obedient);
  expect(await on.status("scribe")).toMatchObject({ state: "absent" });
  expect(await on.run(["stop", "scribe"])).toMatchObject({ exit: 0 });
  expect((await on.api.send("GET", `/api/v1/namespaces/${on.namespace.name}`)).status).toBe(404);
  expect(await on.askOne(["deploy"])).toMatchObject({ exit: 0, outcome: "started" });
});

test("without a kubeconfig, without its context, and without rights it says what is missing and what to run", async () => {
  on = await openOnCluster();
  on.declare("scribe", obedient);
  const none = await on.ask(["deploy"], { env: { KUBECONFIG: "/nowhere/config" } });
  expect(none).toMatchObject({ exit: 2, kind: "Error", code: "kubeconfigMissing" });
  const context = await on.ask(["status", "--context", "nowhere"]);
  expect(context).toMatchObject({ exit: 2, code: "contextUnknown" });
  if (on.here.own === null) return;
  const env = { KUBECONFIG: on.here.kubeconfig("nobody") };
  const forbidden = await on.askOne(["deploy"], { env });
  expect(forbidden).toMatchObject({ exit: 4, outcome: "refused", condition: { code: "forbidden" } });
  expect(await on.ask(["status"], { env })).toMatchObject({ exit: 4, kind: "Error", code: "forbidden" });
  expect(await on.pods()).toEqual([]);
});

test("a program that reads along gets one object a line, and Ctrl-C ends it", async () => {
  on = await openOnCluster();
  on.declare("scribe", "while :; do echo tick; sleep 0.2; done");
  await on.askOne(["deploy"]);
  const call = on.place.start(["logs", "scribe", "-f", "--json", ...on.flags], { env: on.env });
  const line = await new Promise<string>((resolve) =>
    call.child.stdout?.once("data", (bytes: Buffer) => resolve(bytes.toString())),
  );
  expect(JSON.parse(line.split("\n")[0] ?? "")).toMatchObject({
    kind: "LogLine",
    agent: "scribe",
    stream: null,
    text: "tick",
  });
  call.child.kill("SIGINT");
  expect(await call.done).toMatchObject({ exit: 130 });
});

test("doctor tells the way to the cluster and each right, and is exit 4 where one is missing", async () => {
  on = await openOnCluster();
  const well = await on.run(["doctor"]);
  expect(well).toMatchObject({ exit: 0 });
  for (const what of ["kubeconfig", "API server", "rights", "namespace"]) expect(well.stdout).toContain(`✓ ${what}: `);
  if (on.here.own === null) return;
  const poor = await on.run(["doctor"], { env: { KUBECONFIG: on.here.kubeconfig("nobody") } });
  expect(poor).toMatchObject({ exit: 4 });
  expect(poor.stdout).toMatch(/✗ rights: /);
});

test("keep revives what crashed, and lets alone what ended by itself or was stopped", async () => {
  on = await openOnCluster();
  on.declare("crasher", "sleep 1; exit 3", "revive: onFailure");
  await on.askOne(["deploy"]);
  const [first] = await on.pods();
  const kept = on.place.start(["keep", "--json", ...on.flags], { env: on.env });
  const told: string[] = [];
  kept.child.stdout?.on("data", (bytes: Buffer) => told.push(bytes.toString()));
  await until("it is revived", () => told.join("").includes('"code":"revived"'), patienceMs);
  expect((await on.pods())[0]?.uid).not.toBe(first?.uid);
  await on.run(["stop", "crasher"]);
  await until("the stop is seen", () => told.join("").includes('"code":"absent"'), patienceMs);
  kept.child.kill("SIGINT");
  expect(await kept.done).toMatchObject({ exit: 130 });
  expect(await on.pods()).toEqual([]);
});
