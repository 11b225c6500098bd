/** An agent on a cluster of ours whose loops go through a proxy: what they ask is on record, and their way can be made to fail. */
import type { Proxy } from "../proxy.ts";
import { openProxy } from "../proxy.ts";
import type { Scene, SceneOptions } from "../scene.ts";
import { openScene, patienceMs } from "../scene.ts";
import { thisCluster } from "../this-cluster.ts";
import type { Layout } from "../up/layout.ts";
import { until } from "../up/run.ts";

export interface FaultScene extends Scene {
  readonly layout: Layout;
  readonly proxy: Proxy;
  /** Waits until the loops tell a condition of this code, counted from the `told` of that length. */
  untilTold(code: string, from?: number): Promise<void>;
}

export async function openFaultScene(options: SceneOptions = {}): Promise<FaultScene> {
  const layout = thisCluster().own;
  if (layout === null) throw new Error("only a cluster of ours may be broken");
  const proxy = await openProxy(layout);
  const { access = (given) => given } = options;
  const scene = await openScene({ ...options, access: (admin) => access(proxy.through(admin)) });
  return {
    ...scene,
    layout,
    proxy,
    untilTold: (what, from = 0) =>
      until(`${what} is told`, () => scene.told.slice(from).some(({ code }) => code === what), patienceMs),
    async end() {
      await scene.end();
      await proxy.close();
    },
  };
}
