/** Names of Services and pods: CoreDNS in a network namespace of its own, where port 53 is nobody else's. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Layout } from "./layout.ts";
import { tokens } from "./layout.ts";
import { joinBridge } from "./network.ts";
import { startPart } from "./part.ts";
import { writeKubeconfig } from "./pki.ts";

export const clusterDomain = "cluster.local";

export function startNames(layout: Layout, binary: string): void {
  const { dir, names, gateway } = layout;
  joinBridge(layout, names);
  const kubeconfig = writeKubeconfig(layout, "names", tokens.admin, gateway);
  const config = join(dir, "Corefile");
  // Nothing is asked of the world outside: other names do not exist.
  writeFileSync(
    config,
    `.:53 {
  errors
  cache 5
  kubernetes ${clusterDomain} in-addr.arpa {
    kubeconfig ${kubeconfig}
  }
}
`,
  );
  startPart(dir, "names", [binary, "coredns", "-conf", config], names.netns);
}
