// Pods that another provider of the same protocol has made under the same marks, and pods that only look like it.
import type { Json } from "@moorage/core";
import { afterEach, describe, expect, test } from "vitest";
import { patienceMs } from "../scene.ts";
import { thisCluster } from "../this-cluster.ts";
import { until } from "../up/run.ts";
import type { ProviderScene } from "./provider-scene.ts";
import { obedient, openProviderScene, podName, publicKey, untilPod } from "./provider-scene.ts";

const ok = { exit: 0, answer: { ok: true, agent_id: podName } };

describe.skipIf(thisCluster().own === null)("a pod that is there already", () => {
  let scene: ProviderScene;

  afterEach(() => scene.end());

  interface Planted {
    readonly script?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly spec?: object;
  }

  /** A pod as another implementation makes it: its intent is hashed in its own way. Its Secret is not there. */
  async function plant({ script = obedient, labels, annotations, spec }: Planted): Promise<void> {
    const pod = {
      apiVersion: "v1",
      kind: "Pod",
      metadata: {
        name: podName,
        labels: {
          "app.kubernetes.io/managed-by": "buzz-backend-kubernetes",
          "buzz.block.xyz/agent-pubkey": publicKey.slice(0, 32),
          "buzz.block.xyz/binding-version": "1",
          ...labels,
        },
        annotations: {
          "buzz.block.xyz/agent-pubkey-full": publicKey,
          "buzz.block.xyz/create-intent": "5".repeat(64),
          "buzz.block.xyz/image": scene.image,
          ...annotations,
        },
      },
      spec: {
        restartPolicy: "Never",
        terminationGracePeriodSeconds: 1,
        automountServiceAccountToken: false,
        containers: [{ name: "agent", image: scene.image, env: [{ name: "SCRIPT", value: script }] }],
        ...spec,
      },
    };
    expect(await scene.api.send("POST", scene.namespace.path("pods"), pod as Json)).toMatchObject({ status: 201 });
  }

  const uid = async (): Promise<string> => (await scene.pod()).metadata.uid;

  test("by another provider, and it runs: it is the agent, and one request tells", async () => {
    scene = await openProviderScene();
    await plant({});
    await untilPod(scene, "runs", ({ status }) => status.phase === "Running");
    const before = (await scene.pod()).metadata.resourceVersion;
    const asked = await scene.asked(async () => expect(await scene.deploy()).toMatchObject(ok));
    expect(asked).toEqual(["list pods"]);
    expect((await scene.pod()).metadata.resourceVersion).toBe(before);
    expect(await scene.secrets()).toEqual([]);
  });

  test("by another provider, and it has ended: it is replaced", async () => {
    scene = await openProviderScene();
    await plant({ script: "exit 3" });
    await untilPod(scene, "has ended", ({ status }) => status.phase === "Failed");
    const ended = await uid();
    expect(await scene.deploy()).toMatchObject(ok);
    const { metadata } = await scene.pod();
    expect(metadata.uid).not.toBe(ended);
    expect(metadata.annotations?.["buzz.block.xyz/create-intent"]).toMatch(/^m1:/);
    expect(scene.alive()).toBe(1);
  });

  test("by another provider, and it waits: it is waited for and never removed, and how to remove it is told", async () => {
    scene = await openProviderScene();
    const { config, comes } = scene.nowhereYet();
    const { node_selector: nodeSelector } = config["pod_options"] as { node_selector: object };
    await plant({ spec: { nodeSelector } });
    await untilPod(scene, "waits", ({ status }) => status.phase === "Pending");
    const waiting = await uid();
    const asked = await scene.asked(async () => {
      const deploy = scene.begin();
      const told = "another version created it, so whether it is what you declared cannot be told";
      await until("it is told", () => deploy.stderr().includes(told), patienceMs);
      await comes();
      expect(await deploy.answered).toMatchObject(ok);
    });
    for (const request of asked) expect(["list pods", "watch pods"]).toContain(request);
    expect(await uid()).toBe(waiting);
    expect(await scene.secrets()).toEqual([]);
  });

  test.each<[string, Planted, string]>([
    [
      "another manager's",
      { labels: { "app.kubernetes.io/managed-by": "somebody-else" } },
      'its label app.kubernetes.io/managed-by is not "buzz-backend-kubernetes"',
    ],
    [
      "another agent's, whose key begins alike",
      { annotations: { "buzz.block.xyz/agent-pubkey-full": `${publicKey.slice(0, 32)}${"0".repeat(32)}` } },
      "its annotation buzz.block.xyz/agent-pubkey-full is not this agent's identity",
    ],
  ])("%s: it is named and never touched, whether it runs or has ended", async (_, planted, reason) => {
    scene = await openProviderScene();
    for (const [script, phase] of [
      [obedient, "Running"],
      ["exit 0", "Succeeded"],
    ] as const) {
      await plant({ ...planted, script });
      await untilPod(scene, `is ${phase}`, ({ status }) => status.phase === phase);
      const before = (await scene.pod()).metadata.resourceVersion;
      const { exit, answer } = await scene.deploy();
      expect({ exit, ok: answer?.ok }).toEqual({ exit: 0, ok: false });
      expect(answer?.error).toContain(`${podName} exists and is not ours: ${reason}. It is never touched`);
      expect((await scene.pod()).metadata.resourceVersion).toBe(before);
      expect(await scene.secrets()).toEqual([]);
      const now = { apiVersion: "v1", kind: "DeleteOptions", gracePeriodSeconds: 0 };
      await scene.api.send("DELETE", scene.namespace.path("pods", podName), now);
    }
  });
});
