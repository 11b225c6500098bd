/** A node: a network namespace with containerd, a kubelet and the way to Services in it, which can be cut off from everything else. */
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { adminRequest } from "./admin.ts";
import { makeCgroup, removeCgroup } from "./cgroups.ts";
import type { Images } from "./images.ts";
import type { Layout } from "./layout.ts";
import { nodeLayout, nodeToken } from "./layout.ts";
import { joinBridge, leaveBridge } from "./network.ts";
import type { NodeOptions } from "./node-config.ts";
import { writeNodeConfig } from "./node-config.ts";
import { endContainers, signalPart, startPart } from "./part.ts";
import { writeKubeconfig } from "./pki.ts";
import { run, until } from "./run.ts";
import { startServiceProxy } from "./service-proxy.ts";

/** Starts node number N (from 1). It is ready later: `untilNodeReady`. */
export async function startNode(
  layout: Layout,
  binary: string,
  number: number,
  images: Images,
  options: NodeOptions = {},
): Promise<void> {
  const node = nodeLayout(layout, number);
  mkdirSync(node.dir, { recursive: true });
  joinBridge(layout, node);
  run("ip", "route", "replace", node.podRange, "via", node.address);
  makeCgroup(node.cgroup);
  const config = writeNodeConfig(layout, node, images, options);
  startPart(layout.dir, `${node.name}-containerd`, ["containerd", "-c", config.containerd], node.netns);
  await until(`containerd of ${node.name} listens`, () => existsSync(node.socket));
  const kubeconfig = writeKubeconfig(layout, node.name, nodeToken(node.name), layout.gateway);
  startServiceProxy(layout, binary, node);
  startPart(
    layout.dir,
    `${node.name}-kubelet`,
    [
      binary,
      "kubelet",
      `--config=${config.kubelet}`,
      `--kubeconfig=${kubeconfig}`,
      `--root-dir=${join(node.dir, "kubelet")}`,
      `--cert-dir=${join(node.dir, "kubelet", "pki")}`,
      `--hostname-override=${node.name}`,
      `--node-ip=${node.address}`,
    ],
    node.netns,
  );
}

export async function untilNodeReady(layout: Layout, number: number, ready = true, limitMs = 60_000): Promise<void> {
  const { name } = nodeLayout(layout, number);
  await until(
    `${name} is ${ready ? "ready" : "not ready"}`,
    async () => (await nodeReady(layout, name)) === ready,
    limitMs,
  );
}

async function nodeReady(layout: Layout, name: string): Promise<boolean | null> {
  const { status, body } = await adminRequest(layout, "GET", `/api/v1/nodes/${name}`);
  if (status !== 200) return null;
  const node = JSON.parse(body) as { status: { conditions?: { type: string; status: string }[] } };
  return node.status.conditions?.find(({ type }) => type === "Ready")?.status === "True";
}

/** Its cable, so to say: pulled, nothing reaches the node and it reaches nothing; what runs on it goes on. */
export function setNodeLink(layout: Layout, number: number, state: "up" | "down"): void {
  run("ip", "link", "set", nodeLayout(layout, number).link, state);
}

/** Ends the node with everything on it. */
export async function removeNode(layout: Layout, number: number): Promise<void> {
  const node = nodeLayout(layout, number);
  signalPart(layout.dir, `${node.name}-kubelet`, "SIGKILL");
  await endContainers(node.socket);
  for (const part of ["containerd", "proxy"]) signalPart(layout.dir, `${node.name}-${part}`, "SIGKILL");
  leaveBridge(node);
  removeCgroup(node.cgroup);
}
