// What a cluster refuses, as a client's user reads it: what is so, and the command of kubectl that helps.

import { rights } from "@moorage/kubernetes";
import { afterEach, describe, expect, test } from "vitest";
import { makeToken } from "../made-credentials.ts";
import type { Namespace } from "../namespace.ts";
import { ownNamespace } from "../namespace.ts";
import { somebody } from "../somebody.ts";
import { thisCluster } from "../this-cluster.ts";
import { until } from "../up/run.ts";
import type { Answered, ProviderScene } from "./provider-scene.ts";
import { openProviderScene, podName } from "./provider-scene.ts";

/** What a start needs in a namespace; to make namespaces is none of it. */
const needed = rights.filter(({ level, reach }) => level === "needed" && reach === "namespace");
const minuteMs = 60_000;

describe.skipIf(thisCluster().own === null)("a deploy through the provider is refused", () => {
  let scene: ProviderScene;
  const ends: (() => Promise<unknown>)[] = [];

  afterEach(async () => {
    for (const end of ends.splice(0).reverse()) await end();
    await scene.end();
  });

  function errorOf({ exit, answer }: Answered): string {
    expect({ exit, ok: answer?.ok }).toEqual({ exit: 0, ok: false });
    expect(answer?.error).not.toContain("moorage ");
    return answer?.error ?? "";
  }

  const kubectl = () => `kubectl --context test --namespace ${scene.namespace.name}`;

  test("an image that is not there is told at once, with what to do, and nothing is deleted; nor by the next start", async () => {
    scene = await openProviderScene();
    const image = scene.image.replace(/[0-9a-f]{64}$/, "0".repeat(64));
    const told = `${podName}: the image cannot be pulled (${image}): this tag, digest or repository does not exist; correct the image's name, or push it, then run \`${kubectl()} delete pod ${podName}\` and start the agent again`;
    const asked = await scene.asked(async () => expect(errorOf(await scene.deploy({ config: { image } }))).toBe(told));
    const { uid } = (await scene.pod()).metadata;
    const again = await scene.asked(async () => expect(errorOf(await scene.deploy())).toBe(told));
    for (const request of [...asked, ...again]) expect(request).not.toMatch(/^delete/);
    expect((await scene.pod()).metadata.uid).toBe(uid);
    expect(await scene.secrets()).toHaveLength(1);
  });

  /** A kubeconfig for a service account with those rights. */
  async function account(home: Namespace): Promise<string> {
    const made = await scene.api.send("POST", home.path("serviceaccounts"), { metadata: { name: "desktop" } });
    const { uid } = (made.object as { metadata: { uid: string } }).metadata;
    const who = somebody(scene.api, { kind: "ServiceAccount", name: "desktop", namespace: home.name });
    ends.push(() => who.end());
    await who.mayEverywhere(needed);
    const { name: namespace } = home;
    const token = makeToken(scene.layout, { namespace, name: "desktop", uid }, Date.now() + 10 * minuteMs);
    return scene.kubeconfig({ token });
  }

  test("to somebody who may not make namespaces: the command for whoever may is told; once it is there, the agent starts", async () => {
    scene = await openProviderScene({ namespaceMade: false });
    const home = await ownNamespace(scene.api);
    ends.push(() => home.remove());
    const kubeconfig = await account(home);
    let error = "";
    await until("its rights hold", async () => {
      error = errorOf(await scene.deploy({}, kubeconfig));
      return error.includes("create namespace");
    });
    expect(error).toContain(`\`kubectl --context test create namespace ${scene.namespace.name}\``);
    expect(await scene.api.send("GET", `/api/v1/namespaces/${scene.namespace.name}`)).toMatchObject({ status: 404 });
    const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name: scene.namespace.name } };
    expect(await scene.api.send("POST", "/api/v1/namespaces", namespace)).toMatchObject({ status: 201 });
    expect(await scene.deploy({}, kubeconfig)).toMatchObject({ exit: 0, answer: { ok: true, agent_id: podName } });
  });

  test("to somebody without any right: which one is wanting is told, and nothing is created", async () => {
    scene = await openProviderScene();
    const error = errorOf(await scene.deploy({}, thisCluster().kubeconfig("nobody")));
    expect(error).toMatch(/list pods/);
    expect(error).toContain("ask whoever runs the cluster for that right in the namespace");
    expect([...(await scene.pods()), ...(await scene.secrets())]).toEqual([]);
  });

  test("a service account that is not there is told by its name, and no Secret is left", async () => {
    scene = await openProviderScene();
    const error = errorOf(await scene.deploy({ config: { service_account: "unknown-here" } }));
    expect(error).toContain(`the service account unknown-here does not exist in the namespace ${scene.namespace.name}`);
    expect([...(await scene.pods()), ...(await scene.secrets())]).toEqual([]);
  });
});
