/** What a node's container runtime, network plugin and kubelet are told. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { unifiedCgroups } from "./cgroups.ts";
import type { Images } from "./images.ts";
import type { Layout, NodeLayout } from "./layout.ts";
import { registry } from "./layout.ts";
import { clusterDomain } from "./names.ts";

const networkPlugins = "/usr/lib/cni";
/** Where a node keeps what its pods write, in its own folder. */
export const podLogs = "pod-logs";

export interface NodeConfig {
  readonly containerd: string;
  readonly kubelet: string;
}

export interface NodeOptions {
  /** Lines for the kubelet's configuration, instead of those that are here. */
  readonly kubelet?: Readonly<Record<string, unknown>>;
}

export function writeNodeConfig(layout: Layout, node: NodeLayout, images: Images, options: NodeOptions): NodeConfig {
  const at = (...parts: readonly string[]): string => join(node.dir, ...parts);
  const hosts = at("registries", registry(layout));
  for (const folder of [at("network"), at("kubelet"), at(podLogs), hosts]) mkdirSync(folder, { recursive: true });
  const server = `http://${registry(layout)}`;
  writeFileSync(
    join(hosts, "hosts.toml"),
    `server = "${server}"\n[host."${server}"]\ncapabilities = ["pull", "resolve"]\n`,
  );
  writeFileSync(at("network", "10-pods.conflist"), JSON.stringify(podNetwork(node)));
  writeFileSync(at("containerd.toml"), containerdConfig(node, images));
  writeFileSync(at("kubelet.json"), JSON.stringify({ ...kubeletConfig(layout, node), ...options.kubelet }));
  return { containerd: at("containerd.toml"), kubelet: at("kubelet.json") };
}

function podNetwork(node: NodeLayout): unknown {
  const ipam = {
    type: "host-local",
    dataDir: join(node.dir, "addresses"),
    ranges: [[{ subnet: node.podRange }]],
    routes: [{ dst: "0.0.0.0/0" }],
  };
  return {
    cniVersion: "0.4.0",
    name: "pods",
    plugins: [{ type: "bridge", bridge: "pods0", isGateway: true, ipMasq: false, hairpinMode: true, ipam }],
  };
}

function containerdConfig(node: NodeLayout, images: Images): string {
  const cri = 'plugins."io.containerd.grpc.v1.cri"';
  return `version = 2
root = "${node.dir}/containerd/root"
state = "${node.dir}/containerd/state"
[grpc]
address = "${node.socket}"
[${cri}]
# Where the score of a process may not be lowered, each sandbox would fail without it.
restrict_oom_score_adj = true
sandbox_image = "${images.pause}"
[${cri}.cni]
bin_dir = "${networkPlugins}"
conf_dir = "${node.dir}/network"
[${cri}.containerd.runtimes.runc]
runtime_type = "io.containerd.runc.v2"
[${cri}.registry]
config_path = "${node.dir}/registries"
`;
}

function kubeletConfig({ names }: Layout, node: NodeLayout): Record<string, unknown> {
  return {
    apiVersion: "kubelet.config.k8s.io/v1beta1",
    kind: "KubeletConfiguration",
    // Logs are read through the API server, which has no certificate for kubelets here.
    authentication: { anonymous: { enabled: true }, webhook: { enabled: false } },
    authorization: { mode: "AlwaysAllow" },
    address: node.address,
    containerRuntimeEndpoint: `unix://${node.socket}`,
    cgroupDriver: "cgroupfs",
    cgroupRoot: `/${node.cgroup}`,
    // A kubelet removes the logs of pods that it does not know: those of another node on this machine too.
    podLogsDir: join(node.dir, podLogs),
    // This release refuses the older layout of control groups unless told otherwise.
    ...(unifiedCgroups() ? {} : { failCgroupV1: false }),
    failSwapOn: false,
    clusterDNS: [names.address],
    clusterDomain,
    resolvConf: "",
    nodeStatusUpdateFrequency: "4s",
    nodeLeaseDurationSeconds: 10,
    // The disk is shared with everything else on this machine.
    evictionHard: { "memory.available": "50Mi", "nodefs.available": "0%", "imagefs.available": "0%" },
    enforceNodeAllocatable: [],
    localStorageCapacityIsolation: false,
    imageGCHighThresholdPercent: 100,
    serializeImagePulls: false,
  };
}
