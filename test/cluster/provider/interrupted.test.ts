// Several deploys of one agent, and such as are killed on the way: one agent runs in the end, and nothing of anybody else is left.
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Fate, Proxy } from "../proxy.ts";
import { openProxy } from "../proxy.ts";
import { patienceMs } from "../scene.ts";
import { thisCluster } from "../this-cluster.ts";
import { until } from "../up/run.ts";
import type { Changes, ProviderScene } from "./provider-scene.ts";
import { openProviderScene, ownLayout, podName, untilPod } from "./provider-scene.ts";

const ok = { exit: 0, answer: { ok: true, agent_id: podName } };

describe.skipIf(thisCluster().own === null)("deploys through the provider", () => {
  let scene: ProviderScene;
  let proxy: Proxy;

  beforeEach(async () => {
    proxy = await openProxy(ownLayout());
    scene = await openProviderScene();
  });
  afterEach(async () => {
    await scene.end();
    await proxy.close();
  });

  /** By way of the proxy, which knows what becomes of each create of a pod. */
  function throughProxy(ofCreate: (index: number) => Fate): string {
    let creates = 0;
    proxy.decide(({ method, path }) => {
      if (method !== "POST" || !path.endsWith("/pods")) return { kind: "pass" };
      creates += 1;
      return ofCreate(creates - 1);
    });
    return scene.kubeconfig({ server: proxy.through(thisCluster().access()).server });
  }

  /** One pod, one Secret, which is its own, and one container. */
  async function expectOne(): Promise<void> {
    const [pod, ...more] = await scene.pods();
    expect(more).toEqual([]);
    const secrets = (await scene.secrets()).map(({ metadata }) => metadata.name);
    expect(secrets).toEqual([pod?.spec.containers[0].envFrom[0].secretRef.name]);
    expect(scene.alive()).toBe(1);
  }

  test.each<[string, Changes]>([
    ["values", { env: { GOOSE_MODEL: "of-the-second" } }],
    ["settings", { config: { cpu_request: "20m" }, env: { MORE: "1" } }],
  ])(
    "two that create at once, with different %s: one pod, the same answer, and the loser's Secret is gone",
    async (_, second) => {
      let both: () => void = () => undefined;
      const met = new Promise<void>((resolve) => (both = resolve));
      const kubeconfig = throughProxy((index) => {
        if (index === 1) both();
        return { kind: "after", wait: () => met };
      });
      const answers = await Promise.all([scene.deploy({}, kubeconfig), scene.deploy(second, kubeconfig)]);
      for (const answered of answers) expect(answered).toMatchObject(ok);
      await expectOne();
    },
  );

  test("of one that waits and one with newer settings, the newer wins, and the other is told", async () => {
    const { config } = scene.nowhereYet();
    const older = scene.begin({ config });
    await untilPod(scene, "waits", ({ status }) => status.phase === "Pending");
    expect(await scene.deploy()).toMatchObject(ok);
    const { exit, answer } = await older.answered;
    expect({ exit, ok: answer?.ok }).toEqual({ exit: 0, ok: false });
    expect(answer?.error).toMatch(/ that this call created; start the agent again$/);
    await expectOne();
  });

  test("killed between the Secret and the pod: the next start is not kept from anything", async () => {
    const deploys: ReturnType<ProviderScene["begin"]>[] = [];
    const kubeconfig = throughProxy(() => ({
      kind: "after",
      wait: async () => {
        deploys[0]?.child.kill("SIGKILL");
        await deploys[0]?.answered;
        throw new Error("whoever asked is gone, so nothing is sent on");
      },
    }));
    const killed = scene.begin({}, kubeconfig);
    deploys.push(killed);
    expect(await killed.answered).toMatchObject({ exit: "SIGKILL", answer: null });
    expect(await scene.pods()).toEqual([]);
    const [left] = await scene.secrets();
    expect(left?.metadata.name).toMatch(new RegExp(`^${podName}-`));
    expect(await scene.deploy()).toMatchObject(ok);
    const pod = await scene.pod();
    expect(pod.spec.containers[0].envFrom[0].secretRef.name).not.toBe(left?.metadata.name);
    expect(scene.alive()).toBe(1);
  });

  test("asked to end while it waits: it says that it is interrupted, leaves everything as it is, and the next start goes on", async () => {
    const { config, comes } = scene.nowhereYet();
    const waiting = scene.begin({ config });
    await until("it waits", () => /^wait: .*node/m.test(waiting.stderr()), patienceMs);
    const { metadata } = await scene.pod();
    waiting.child.kill("SIGTERM");
    const { exit, answer } = await waiting.answered;
    expect({ exit, answer }).toEqual({
      exit: 0,
      answer: { ok: false, error: `${podName}: interrupted; what was started goes on; start the agent again` },
    });
    expect((await scene.pod()).metadata).toMatchObject({ uid: metadata.uid });
    expect(await scene.secrets()).toHaveLength(1);
    const asked = await scene.asked(async () => {
      const next = scene.begin({ config });
      await until("it waits", () => /^wait: /m.test(next.stderr()), patienceMs);
      await comes();
      expect(await next.answered).toMatchObject(ok);
    });
    for (const request of asked) expect(["list pods", "watch pods"]).toContain(request);
    expect((await scene.pod()).metadata.uid).toBe(metadata.uid);
    await expectOne();
  });
});
