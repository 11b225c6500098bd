import { describe, expect, test } from "vitest";
import type { Fields } from "./json-fields.ts";
import { made } from "./pod.fixture.ts";
import type { World } from "./waiting.fixture.ts";
import { ofOurs, recordedWorld, waiting, why } from "./waiting.fixture.ts";

/** What a recorded pod waits for: code, words, and what helps. */
const told: readonly (readonly [string, string, RegExp, RegExp])[] = [
  [
    "too-big",
    "unschedulable",
    /too little CPU free and too little memory free; it asks for cpu 500, memory 2000Gi$/,
    /resources\.requests.*moorage deploy scribe.*--context near describe nodes/,
  ],
  [
    "selector",
    "unschedulable",
    /does not match the node selector/,
    /nodeSelector` \(disk=ssd\).*get nodes --show-labels/,
  ],
  ["port-taken", "unschedulable", /another pod on that port/, /describe pod moorage-/],
  ["gated", "schedulingGated", /example\.com\/wait/, /describe pod/],
  [
    "claim-missing",
    "claimMissing",
    /the claim none, which its workspace is on, does not exist in the namespace agents/,
    /--namespace agents get persistentvolumeclaims/,
  ],
  [
    "claim-without-class",
    "claimPending",
    /the claim pending.*no volume fits, and it names no storage class/,
    /describe persistentvolumeclaim pending`.*get storageclasses/,
  ],
  [
    "claim-with-unknown-class",
    "claimPending",
    /its storage class nowhere does not exist/,
    /describe persistentvolumeclaim noclass/,
  ],
  [
    "claim-not-provisioned",
    "claimPending",
    /the provisioner example\.com\/none has not made one \(storage class prov\)/,
    /describe persistentvolumeclaim prov/,
  ],
  ["claim-waits-for-pod", "unschedulable", /no volume for the claim/, /get persistentvolumes`/],
  [
    "volume-secret-missing",
    "volumeSourceMissing",
    /needs the Secret nope, which is not there, since 2026-\d\d-\d\dT\d\d:\d\d:\d\dZ$/,
    /get secrets/,
  ],
  ["volume-configmap-missing", "volumeSourceMissing", /needs the ConfigMap nope/, /get configmaps/],
  ["volume-key-missing", "volumeSourceMissing", /needs the key nokey/, /add the key/],
  ["volume-fails", "volumeFails", /node1 cannot mount a volume: .*is not a directory/, /describe pod/],
  ["secret-missing", "configError", /the Secret nope is not there/, /describe pod/],
  ["key-missing", "configError", /has no key zz/, /describe pod/],
  ["pull-refused", "imagePull", /the connection is refused \(127\.0\.0\.1:1\/nowhere:1, since 2026-/, /by itself/],
  [
    "unknown-tag",
    "manifestUnknown",
    /does not exist \(registry\.example:5000\/agent:missing/,
    /moorage stop scribe` and `moorage deploy scribe/,
  ],
  ["no-runtime", "sandboxFails", /node1 does not have the runtime/, /runtimeClass/],
];

test.each(told)("recorded: %s", async (name, code, message, hint) => {
  const { told: condition } = await why(recordedWorld(name));
  expect(condition).toMatchObject({
    code,
    message: expect.stringMatching(message),
    hint: expect.stringMatching(hint),
  });
});

test("without Events and without the claim there are fewer words, and no error", async () => {
  const untold: string[] = [];
  for (const name of Object.keys(waiting)) {
    const world = { ...recordedWorld(name), events: null, claim: "forbidden" as const, node: "forbidden" as const };
    const { told: condition } = await why(world);
    if (condition === null) untold.push(name);
    else expect(condition.message).toMatch(/\S/);
  }
  // What a node is busy with before it begins is told by Events alone.
  const byEvents = ["volume-secret-missing", "volume-configmap-missing", "volume-key-missing", "volume-fails"];
  expect(untold).toEqual([...byEvents, "no-runtime"]);
  const { told: claim } = await why({ ...recordedWorld("claim-without-class"), events: null, claim: "forbidden" });
  expect(claim).toMatchObject({ code: "claimPending", message: expect.stringMatching(/has no volume yet$/) });
});

test("a claim that has just been removed is missing", async () => {
  const { told: claim } = await why({ ...recordedWorld("claim-without-class"), claim: "absent" });
  expect(claim).toMatchObject({ code: "claimMissing" });
});

test("a name that nobody wrote down is the pod's", async () => {
  const { pod } = waiting["selector"] as { pod: Fields };
  const { told: condition } = await why({ pod: ofOurs(pod, null), events: [] });
  expect(condition?.hint).toContain("moorage deploy moorage-0123456789ab");
});

describe("nothing is said", () => {
  test.each<[string, World]>([
    ["of a pod that is not there", { pod: null }],
    ["of somebody else's", { pod: (waiting["selector"] as { pod: Fields }).pod }],
    [
      "of one that runs",
      { pod: pod({ phase: "Running", containerStatuses: [{ name: "agent", state: { running: {} } }] }) },
    ],
    [
      "of one that ended by itself",
      { pod: pod({ phase: "Failed", containerStatuses: [{ name: "agent", state: { terminated: { exitCode: 1 } } }] }) },
    ],
    ["of one that no scheduler has looked at", { pod: pod({ phase: "Pending" }, { nodeName: undefined }), events: [] }],
    [
      "of a reason that nobody knows",
      {
        pod: pod({ phase: "Pending", containerStatuses: [{ name: "agent", state: { waiting: { reason: "Novel" } } }] }),
        events: [],
        node: {},
      },
    ],
  ])("%s", async (_what, world) => {
    expect((await why(world)).told).toBeNull();
  });
});

/** A pod of ours on node1 with this status. */
function pod(status: object, spec: object = {}): Fields {
  return ofOurs(made(status, spec));
}

const creating = pod({
  phase: "Pending",
  containerStatuses: [{ name: "agent", state: { waiting: { reason: "ContainerCreating" } } }],
});

function event(second: number, reason: string, message: string, count = 1): Fields {
  const at = `2030-01-01T00:00:${String(second).padStart(2, "0")}Z`;
  return {
    metadata: { uid: `${second}`, resourceVersion: `${second}` },
    involvedObject: { kind: "Pod", name: "moorage-0123456789ab", uid: "u" },
    reason,
    message,
    count,
    firstTimestamp: at,
    lastTimestamp: at,
  };
}

describe("what its node is busy with", () => {
  const scheduled = event(1, "Scheduled", "Successfully assigned");
  const pulling = event(2, "Pulling", 'Pulling image "registry.example/app:1"');

  test("pulling, since when, which image", async () => {
    expect((await why({ pod: creating, events: [scheduled, pulling] })).told).toEqual({
      code: "imagePulling",
      message: "its node node1 pulls the image registry.example/app:1 since 2030-01-01T00:00:02Z",
      hint: "`moorage deploy scribe` waits for it; a large image may take minutes",
    });
  });

  test("pulled already: nothing but the node is in question", async () => {
    const events = [scheduled, pulling, event(3, "Pulled", "Successfully pulled image")];
    const { told: condition, asked } = await why({ pod: creating, events, node: {} });
    expect(condition).toMatchObject({
      code: "containerCreating",
      message: expect.stringContaining("node1 prepares it"),
    });
    expect(asked).toContain("get nodes");
  });

  test.each([
    [
      event(
        5,
        "FailedCreatePodSandBox",
        'Failed to create pod sandbox: rpc error: code = Unknown desc = failed to setup network for sandbox "abc": plugin type="calico" failed (add): connection is unauthorized, password=verysecret',
      ),
      "sandboxFails",
      /node1 cannot give it a network: .*unauthorized, password=\*\*\*, since 2030/,
    ],
    [
      event(
        5,
        "FailedCreatePodSandBox",
        'Failed to create pod sandbox: rpc error: code = Unknown desc = failed to get sandbox image "pause:1": failed to pull image: password=verysecret',
      ),
      "sandboxFails",
      /the image that every sandbox needs/,
    ],
    [
      event(
        5,
        "FailedCreatePodSandBox",
        "Failed to create pod sandbox: rpc error: code = DeadlineExceeded desc = context deadline exceeded, password=verysecret",
      ),
      "sandboxFails",
      /cannot make its sandbox: context deadline exceeded, password=\*\*\*/,
    ],
    [
      event(5, "NetworkNotReady", "network is not ready: container runtime network not ready"),
      "networkNotReady",
      /no network yet/,
    ],
    [
      event(
        5,
        "FailedAttachVolume",
        'Multi-Attach error for volume "pvc-1" Volume is already exclusively attached to one node and can\'t be attached to another',
      ),
      "volumeInUse",
      /still attached to another node/,
    ],
  ])("%#", async (one, code, message) => {
    const { told: condition } = await why({ pod: creating, events: [scheduled, one] });
    expect(condition).toMatchObject({ code, message: expect.stringMatching(message) });
    expect(JSON.stringify(condition)).not.toContain("verysecret");
  });

  test("the cause of a mount that fails, not that it is waited for", async () => {
    const events = [
      event(2, "FailedMount", 'MountVolume.SetUp failed for volume "x" : secret "nope" not found'),
      event(
        9,
        "FailedMount",
        "Unable to attach or mount volumes: unmounted volumes=[x], unattached volumes=[]: timed out waiting for the condition",
      ),
    ];
    expect((await why({ pod: creating, events })).told).toMatchObject({ code: "volumeSourceMissing" });
  });

  test("a pull secret that cannot be read", async () => {
    const waits = { reason: "ImagePullBackOff", message: 'Back-off pulling image "registry.example/app:1"' };
    const status = { phase: "Pending", containerStatuses: [{ name: "agent", state: { waiting: waits } }] };
    const events = [
      event(
        2,
        "FailedToRetrieveImagePullSecret",
        "Unable to retrieve some image pull secrets (regcred); attempting to pull the image may not succeed.",
      ),
      event(
        3,
        "Failed",
        'Failed to pull image "registry.example/app:1": pull access denied, repository does not exist or may require authorization: server message: insufficient_scope: authorization failed',
      ),
    ];
    const { told: condition } = await why({ pod: pod(status), events });
    expect(condition).toMatchObject({
      message: expect.stringMatching(/private or absent.*the image pull secret regcred cannot be read/),
      hint: expect.stringContaining("create secret docker-registry regcred"),
    });
  });

  test("a container that cannot be created", async () => {
    const waits = { reason: "CreateContainerError", message: 'exec: "/nope": stat /nope: no such file or directory' };
    const status = { phase: "Pending", containerStatuses: [{ name: "agent", state: { waiting: waits } }] };
    expect((await why({ pod: pod(status), events: [] })).told).toMatchObject({
      code: "createError",
      message: expect.stringContaining("its command is not in the image"),
    });
  });
});

describe("its node", () => {
  const running = [{ name: "agent", state: { running: {} } }];
  const lost = pod({
    phase: "Running",
    containerStatuses: running,
    conditions: [
      { type: "Ready", status: "False", lastTransitionTime: "2030-01-01T00:05:00Z" },
      { type: "ContainersReady", status: "True" },
    ],
  });
  const node = (status: string): Fields => ({
    status: { conditions: [{ type: "Ready", status, lastTransitionTime: "2030-01-01T00:04:00Z" }] },
  });

  test.each<[string, World, object]>([
    [
      "lost, as it says itself",
      { pod: lost, node: node("Unknown") },
      { code: "nodeLost", message: "its node node1 does not answer since 2030-01-01T00:04:00Z" },
    ],
    [
      "lost, as the pod says",
      { pod: lost, node: "forbidden" },
      { code: "nodeLost", message: "its node node1 does not answer since 2030-01-01T00:05:00Z" },
    ],
    ["lost before it began", { pod: creating, events: [], node: node("Unknown") }, { code: "nodeLost" }],
    ["not ready", { pod: creating, events: [], node: node("False") }, { code: "nodeNotReady" }],
    ["gone", { pod: creating, events: [], node: "absent" }, { code: "nodeGone" }],
  ])("%s", async (_what, world, condition) => {
    const { told: said } = await why(world);
    expect(said).toMatchObject(condition);
    expect(said?.hint).not.toMatch(/--force|--grace-period/);
  });
});

describe("taken away", () => {
  test("evicted, with its node's reason", async () => {
    const status = {
      phase: "Failed",
      reason: "Evicted",
      message: "The node was low on resource: memory. Container agent was using 900Mi",
    };
    expect((await why({ pod: pod(status), events: [] })).told).toMatchObject({
      code: "evicted",
      message: expect.stringMatching(/short of something \(Evicted\): The node was low on resource: memory/),
      hint: expect.stringContaining("moorage deploy scribe"),
    });
  });

  test("turned down by its node", async () => {
    const status = {
      phase: "Failed",
      reason: "OutOfcpu",
      message: "Pod was rejected: Node didn't have enough resource: cpu",
    };
    expect((await why({ pod: pod(status), events: [] })).told).toMatchObject({ code: "turnedDown" });
  });

  test("something more urgent takes its place", async () => {
    const status = {
      phase: "Pending",
      conditions: [{ type: "DisruptionTarget", status: "True", reason: "PreemptionByScheduler" }],
      containerStatuses: [{ name: "agent", state: { waiting: { reason: "ContainerCreating" } } }],
    };
    expect((await why({ pod: pod(status), events: [] })).told).toMatchObject({
      code: "evicted",
      message: expect.stringMatching(/being taken off its node: something more urgent/),
    });
  });
});
