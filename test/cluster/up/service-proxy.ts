/** The way from a node to Services: kube-proxy, which writes their addresses into the node's packet filter. */
import type { Layout, NodeLayout } from "./layout.ts";
import { tokens } from "./layout.ts";
import { startPart } from "./part.ts";
import { writeKubeconfig } from "./pki.ts";

export function startServiceProxy(layout: Layout, binary: string, node: NodeLayout): void {
  const kubeconfig = writeKubeconfig(layout, "service-proxy", tokens.admin, layout.gateway);
  startPart(
    layout.dir,
    `${node.name}-proxy`,
    [
      binary,
      "kube-proxy",
      `--kubeconfig=${kubeconfig}`,
      "--proxy-mode=nftables",
      `--hostname-override=${node.name}`,
      "--healthz-bind-address=",
      "--metrics-bind-address=127.0.0.1:10249",
      // The limits of the machine's table of connections are not a namespace's to set.
      "--conntrack-max-per-core=0",
      "--conntrack-tcp-timeout-established=0",
      "--conntrack-tcp-timeout-close-wait=0",
    ],
    node.netns,
  );
}
