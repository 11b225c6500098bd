/** An agent in a namespace that enforces Pod Security "restricted", and the pod of it that the API server has stored. */
import { enforceRestricted } from "../harness-scene.ts";
import type { Scene, SceneOptions } from "../scene.ts";
import { openScene } from "../scene.ts";

export interface StoredPod {
  readonly metadata: {
    readonly name: string;
    readonly uid: string;
    readonly labels: Readonly<Record<string, string>>;
    readonly annotations: Readonly<Record<string, string>>;
  };
  readonly spec: Readonly<Record<string, unknown>> & {
    readonly nodeName?: string;
    readonly containers: readonly [Readonly<Record<string, unknown>>];
    readonly volumes: readonly Readonly<Record<string, unknown>>[];
    readonly tolerations: readonly Readonly<Record<string, unknown>>[];
  };
  readonly status: { readonly phase: string; readonly reason?: string };
}

export async function openRestrictedScene(options: SceneOptions = {}): Promise<Scene> {
  const scene = await openScene(options);
  await enforceRestricted(scene);
  return scene;
}

export async function storedPod({ api, namespace, name }: Scene): Promise<StoredPod> {
  const { object } = await api.send("GET", namespace.path("pods", name));
  return object as StoredPod;
}

/** What the agent's container wrote so far, by the kubelet. */
export function logOf({ api, namespace, name }: Scene): Promise<string> {
  return api.text(`${namespace.path("pods", name)}/log`);
}
