// A client's deploy on a real cluster: what is created, how often it asks, and what a second one leaves alone.
import { afterEach, describe, expect, test } from "vitest";
import { thisCluster } from "../this-cluster.ts";
import type { ProviderScene } from "./provider-scene.ts";
import { isRunning, openProviderScene, podName, privateKey } from "./provider-scene.ts";

const ok = { ok: true, agent_id: podName };

describe.skipIf(thisCluster().own === null)("a deploy through the provider", () => {
  let scene: ProviderScene;

  afterEach(() => scene.end());

  test("where there is no namespace yet, it is made, and the answer comes when the agent runs", async () => {
    scene = await openProviderScene({ namespaceMade: false });
    const { exit, stdout } = await scene.deploy();
    expect({ exit, stdout }).toEqual({ exit: 0, stdout: `${JSON.stringify(ok)}\n` });
    expect(scene.alive()).toBe(1);
    expect(isRunning(await scene.pod())).toBe(true);
    expect(await scene.secrets()).toHaveLength(1);
  });

  test("a fresh start asks six times, the last of them a watch; one of a running agent asks once and changes nothing", async () => {
    scene = await openProviderScene();
    const fresh = await scene.asked(async () => expect(await scene.deploy()).toMatchObject({ answer: ok }));
    expect(fresh.slice(0, fresh.indexOf("watch pods") + 1)).toHaveLength(6);
    // Each 30 s of waiting, on a busy machine, reads once more.
    expect(fresh.length).toBeLessThanOrEqual(8);
    const versions = async () =>
      [...(await scene.pods()), ...(await scene.secrets())].map(({ metadata }) => metadata.resourceVersion);
    const before = await versions();
    const again = await scene.asked(async () => {
      const changed = { script: "exit 1", env: { GOOSE_MODEL: "another", MORE: "1" }, config: { cpu_request: "20m" } };
      expect(await scene.deploy(changed)).toMatchObject({ exit: 0, answer: ok });
    });
    expect(again).toEqual(["list pods"]);
    expect(await versions()).toEqual(before);
    expect(scene.alive()).toBe(1);
  });

  test("an agent that ends at once: its exit code and its last lines are in the answer, its secrets are not; the next start replaces it", async () => {
    scene = await openProviderScene();
    const script = 'echo "the key is $BUZZ_PRIVATE_KEY and $TOKEN"; echo "cannot reach the relay" >&2; exit 7';
    const token = "a-token-of-the-user";
    const ended = await scene.deploy({ script, env: { TOKEN: token } });
    expect(ended).toMatchObject({ exit: 0, answer: { ok: false } });
    const error = ended.answer?.error ?? "";
    expect(error).toMatch(new RegExp(`^${podName}: .*exit code 7`));
    expect(error).toContain(`kubectl --context test --namespace ${scene.namespace.name} logs ${podName}`);
    expect(error).toMatch(/; its last lines:\nthe key is \*\*\* and \*\*\*\ncannot reach the relay$/);
    for (const secret of [token, privateKey]) expect(ended.stdout + ended.stderr).not.toContain(secret);
    const [first] = await scene.pods();
    expect(await scene.secrets()).toHaveLength(1);

    expect(await scene.deploy()).toMatchObject({ exit: 0, answer: ok });
    const [second, ...more] = await scene.pods();
    expect(more).toEqual([]);
    expect(second?.metadata.uid).not.toBe(first?.metadata.uid);
    const secrets = (await scene.secrets()).map(({ metadata }) => metadata.name);
    expect(secrets).toEqual([second?.spec.containers[0].envFrom[0].secretRef.name]);
    expect(scene.alive()).toBe(1);
  });
});
