/** The cluster that the tests of this run are on: ours, whose parts may be stopped and cut off, or somebody's, where only objects are made. */
import type { ClusterAccess } from "@moorage/kubernetes";
import { Credentials, findAccess, Transport } from "@moorage/kubernetes";
import { layoutIn } from "./places.ts";
import type { Images } from "./up/images.ts";
import { readImages } from "./up/images.ts";
import type { Layout } from "./up/layout.ts";

export interface ThisCluster {
  /** Null: it is somebody else's. */
  readonly own: Layout | null;
  /** A pinned reference with a shell, `sleep` and `cat` in it; its entrypoint is the agent's to choose. */
  readonly image: string;
  access(user?: "admin" | "nobody"): ClusterAccess;
  /** The path of a kubeconfig. */
  kubeconfig(user?: "admin" | "nobody"): string;
}

export function thisCluster(): ThisCluster {
  const own = layoutIn(process.env);
  if (own !== null) {
    const images: Images = readImages(own);
    const path = (user = "admin"): string => `${own.dir}/${user}.kubeconfig`;
    return { own, image: images.agent, access: (user) => accessBy(path(user)), kubeconfig: path };
  }
  const [kubeconfig, image] = [process.env["KUBECONFIG"], process.env["MOORAGE_CLUSTER_IMAGE"]];
  if (process.env["MOORAGE_CLUSTER"] !== "yes" || kubeconfig === undefined || image === undefined) {
    throw new Error("these tests are run with `npm run test:cluster`");
  }
  return { own: null, image, access: () => accessBy(kubeconfig), kubeconfig: () => kubeconfig };
}

export function transportFor(access: ClusterAccess): Transport {
  return new Transport(access, new Credentials(access, { env: process.env, now: () => Date.now() }));
}

/** `namespace` null: the one of its current context. */
export function accessBy(kubeconfig: string, namespace: string | null = null): ClusterAccess {
  return findAccess({ env: { KUBECONFIG: kubeconfig }, home: null }, { context: null, namespace });
}
