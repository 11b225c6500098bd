import { moorageProfile } from "@moorage/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodePod, decodeSecret } from "./decode.ts";
import type { Fields } from "./json-fields.ts";
import { agent, evidence, made, pods, recorded, startup } from "./pod.fixture.ts";

describe("a recorded pod", () => {
  it.each<[string, object]>([
    ["running", { kind: "started", nodeUnreachable: null }],
    ["side-car", { kind: "started" }],
    ["deleting", { kind: "started" }],
    ["completed", { kind: "terminated", ending: { reason: "exited", exitCode: 0, detail: null } }],
    ["exit-3", { kind: "terminated", ending: { reason: "exited", exitCode: 3, detail: null } }],
    ["oom", { kind: "terminated", ending: { reason: "outOfMemory", exitCode: 137 } }],
    [
      "deadline",
      { kind: "terminated", ending: { reason: "stopped", exitCode: 137, detail: "its active deadline was over" } },
    ],
    ["changed-image", { kind: "terminated", ending: { reason: "signaled", signal: "SIGKILL", exitCode: 137 } }],
    [
      "bad-command",
      { kind: "terminated", ending: { reason: "notStarted", detail: "its command is not in the image" } },
    ],
    [
      "init-failed",
      {
        kind: "terminated",
        ending: { reason: "notStarted", detail: "the init container prepare ended with exit code 128" },
      },
    ],
    [
      "node-name",
      { kind: "terminated", ending: { reason: "notStarted", detail: "its node turned it down (NodeAffinity)" } },
    ],
    [
      "init-running",
      {
        kind: "recoverable",
        cause: { code: "initializing", message: "the init container prepare runs, and has to end first" },
      },
    ],
    [
      "init-pull",
      {
        kind: "recoverable",
        cause: {
          message: expect.stringContaining("the init container prepare comes first: its image cannot be pulled"),
        },
      },
    ],
    [
      "unschedulable",
      {
        kind: "recoverable",
        cause: {
          code: "unschedulable",
          message: expect.stringContaining("the only one does not match the node selector"),
        },
      },
    ],
    [
      "too-big",
      {
        kind: "recoverable",
        cause: { code: "unschedulable", message: expect.stringContaining("too little CPU free") },
      },
    ],
    [
      "claim-missing",
      {
        kind: "recoverable",
        cause: { code: "unschedulable", message: expect.stringContaining('persistentvolumeclaim "nothing" not found') },
      },
    ],
    ["gated", { kind: "recoverable", cause: { code: "schedulingGated" } }],
    [
      "node-gone",
      { kind: "recoverable", cause: { code: "scheduled", message: "the node node77 has not begun with it yet" } },
    ],
    ["volume-secret-missing", { kind: "recoverable", cause: { code: "containerCreating" } }],
    [
      "configmap-missing",
      { kind: "recoverable", cause: { code: "configError", message: "the ConfigMap nothing is not there" } },
    ],
    ["key-missing", { kind: "recoverable", cause: { message: "the Secret agents/s has no key nokey" } }],
    ["run-as-root", { kind: "recoverable", cause: { message: "its image runs as root, which the pod forbids" } }],
    [
      "refused",
      {
        kind: "recoverable",
        cause: { code: "imagePull", message: "its image cannot be pulled yet: the connection is refused" },
      },
    ],
    [
      "unknown-host",
      {
        kind: "recoverable",
        cause: { code: "imagePull", message: "its image cannot be pulled yet: the registry's name is not found" },
      },
    ],
    [
      "unknown-tag",
      { kind: "pullFailing", failure: { kind: "manifestUnknown", image: "registry.example:5000/agent:nope" } },
    ],
    ["unknown-repository", { kind: "pullFailing", failure: { kind: "manifestUnknown" } }],
    ["two-containers", { kind: "pullFailing", failure: { kind: "manifestUnknown" } }],
    ["never-pull", { kind: "pullFailing", failure: { kind: "neverPull" } }],
    ["invalid-name", { kind: "provablyBroken", proof: { kind: "invalidImage", image: "Registry.example/Agent:1" } }],
  ])("%s", (name, expected) => {
    expect(startup(recorded(name))).toMatchObject(expected);
  });

  it("is provably broken by a missing Secret only when it is of its own attempt, and a read has confirmed that", () => {
    const secret = "secret-missing-0123456789abcdef";
    const pod = recorded("secret-missing");
    expect(decodePod(pod, moorageProfile)?.attempt).toBe("0123456789abcdef");
    expect(startup(pod)).toMatchObject({
      kind: "recoverable",
      cause: { message: `the Secret ${secret} is not there` },
    });
    expect(startup(pod, [secret])).toEqual({ kind: "provablyBroken", proof: { kind: "secretAbsent", secret } });
    expect(startup(recorded("configmap-missing"), [secret])).toMatchObject({ kind: "recoverable" });
    expect(decodePod(recorded("configmap-missing"), moorageProfile)?.attempt).toBeNull();
  });

  it("tells the attempt whose Secret a copy under another name references, and proves nothing by its absence", () => {
    const secret = "secret-missing-0123456789abcdef";
    const pod = recorded("secret-missing");
    const copy = { ...pod, metadata: { ...(pod["metadata"] as Fields), name: "copy" } };
    expect(decodePod(copy, moorageProfile)?.attempt).toBe("0123456789abcdef");
    expect(startup(copy, [secret])).toMatchObject({ kind: "recoverable" });
  });

  it("tells since when its deletion is asked for, and what holds it up", () => {
    const { deletion, startedAt } = decodePod(recorded("deleting"), moorageProfile) ?? {};
    expect(deletion).toEqual({ since: "2026-11-30T17:19:17.000Z", finalizers: ["example.com/keep"] });
    expect(startedAt).toBe("2026-11-30T17:19:10Z");
    expect(decodePod(recorded("running"), moorageProfile)?.deletion).toBeNull();
    expect(decodePod(recorded("bad-command"), moorageProfile)?.startedAt).toBeNull();
  });

  it("never shows the raw text of a kubelet or a runtime", () => {
    for (const pod of Object.values(pods))
      expect(JSON.stringify(evidence(pod))).not.toMatch(/rpc error|failed to|Back-off|runc|dial tcp|desc =/);
  });
});

describe("a pod", () => {
  const running = { running: { startedAt: "2026-01-01T00:00:00Z" } };
  const lost = [
    { type: "Ready", status: "False", lastTransitionTime: "2026-01-02T00:00:00Z" },
    { type: "ContainersReady", status: "True" },
  ];

  it("whose node is lost stays started, and says so", () => {
    expect(startup(made({ phase: "Running", ...agent(running), conditions: lost }))).toEqual({
      kind: "started",
      nodeUnreachable: { node: "node1", since: "2026-01-02T00:00:00Z" },
    });
    const notReady = [
      { type: "Ready", status: "False", reason: "ContainersNotReady" },
      { type: "ContainersReady", status: "False" },
    ];
    expect(startup(made({ phase: "Running", ...agent(running), conditions: notReady }))).toMatchObject({
      nodeUnreachable: null,
    });
    const gates = [
      { type: "Ready", status: "False", reason: "ReadinessGatesNotReady" },
      { type: "ContainersReady", status: "True" },
    ];
    expect(startup(made({ phase: "Running", ...agent(running), conditions: gates }))).toMatchObject({
      nodeUnreachable: null,
    });
  });

  it("is not started by its phase, nor by another container", () => {
    const other = { containerStatuses: [{ name: "proxy", state: running }] };
    expect(startup(made({ phase: "Running", ...other }))).toMatchObject({ kind: "recoverable" });
    expect(startup(made({ phase: "Running" }))).toMatchObject({ kind: "recoverable" });
    expect(
      startup(made({ phase: "Running", initContainerStatuses: [{ name: "agent", state: running }] })),
    ).toMatchObject({
      kind: "recoverable",
    });
  });

  it("that has run before is interrupted while it waits, whatever it waits for", () => {
    const waiting = { waiting: { reason: "ErrImagePull", message: "manifest unknown" } };
    const last = { lastState: { terminated: { exitCode: 1 } } };
    expect(startup(made({ phase: "Running", ...agent(waiting, last) }))).toMatchObject({ kind: "interrupted" });
    expect(startup(made({ phase: "Running", ...agent(waiting, { restartCount: 1 }) }))).toMatchObject({
      kind: "interrupted",
    });
    expect(startup(made({ phase: "Pending", ...agent(waiting, { restartCount: 0 }) }))).toMatchObject({
      kind: "pullFailing",
    });
    expect(startup(made({ phase: "Running", ...agent(running, { restartCount: 3 }) }))).toMatchObject({
      kind: "started",
    });
  });

  it("in a phase that nobody knows is only observed", () => {
    for (const phase of ["Unknown", "Paused", 7, {}]) {
      expect(startup(made({ phase }))).toMatchObject({ kind: "interrupted" });
      expect(startup(made({ phase, ...agent(running) }))).toMatchObject({ kind: "started" });
    }
  });

  it("with a valid name that its node cannot resolve fails to be pulled, and is not broken", () => {
    const short = { containers: [{ name: "agent", image: "app:1" }] };
    const waiting = agent({ waiting: { reason: "InvalidImageName", message: "whatever" } });
    expect(startup(made({ phase: "Pending", ...waiting }, short))).toMatchObject({
      kind: "pullFailing",
      failure: { kind: "unresolvableName", image: "app:1" },
    });
    expect(
      startup(made({ phase: "Pending", ...waiting }, { containers: [{ name: "agent", image: "App:1" }] })),
    ).toMatchObject({
      kind: "provablyBroken",
    });
  });

  it("without name, UID or version is not decoded: it could not be fenced", () => {
    for (const part of ["name", "uid", "resourceVersion"]) {
      const pod = made({});
      expect(
        decodePod({ ...pod, metadata: { ...(pod["metadata"] as object), [part]: "" } }, moorageProfile),
      ).toBeNull();
    }
    expect(decodePod({}, moorageProfile)).toBeNull();
  });

  it("with anything at all in its status never becomes removable by it, unless it says that it ended", () => {
    const word = fc.constantFrom("Failed", "Evicted", "Terminating", "InvalidImageName", "CrashLoopBackOff", "x");
    const key = fc.constantFrom(
      "waiting",
      "running",
      "terminating",
      "reason",
      "message",
      "state",
      "lastState",
      "phase",
      "name",
      "exitCode",
    );
    const { any } = fc.letrec((tie) => ({
      any: fc.oneof(
        { depthSize: "small" },
        word,
        fc.constant(null),
        fc.integer(),
        fc.boolean(),
        fc.array(tie("any")),
        fc.dictionary(key, tie("any")),
      ),
    }));
    fc.assert(
      fc.property(any, any, any, (phase, state, conditions) => {
        const status = { phase, conditions, containerStatuses: [{ name: "agent", state }] };
        const { kind } = startup(made(status));
        if (phase !== "Failed") expect(["terminated", "provablyBroken"]).not.toContain(kind);
      }),
    );
  });
});

describe("a Secret", () => {
  it("is decoded without its data", () => {
    const metadata = {
      name: "s",
      uid: "u",
      resourceVersion: "3",
      creationTimestamp: "2026-01-01T00:00:00Z",
      labels: { a: "b" },
    };
    expect(decodeSecret({ metadata, data: { KEY: "c2VjcmV0" } })).toEqual({
      name: "s",
      fence: { uid: "u", resourceVersion: "3" },
      labels: { a: "b" },
      annotations: {},
      createdAt: Date.UTC(2026, 0, 1),
    });
    expect(decodeSecret({ metadata: { ...metadata, creationTimestamp: "soon" } })?.createdAt).toBeNull();
    expect(decodeSecret({ metadata: { name: "s" } })).toBeNull();
  });
});
