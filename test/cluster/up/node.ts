/** A node: a network namespace with containerd and a kubelet in it, which can be cut off from everything else. */
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { adminRequest } from "./admin.ts";
import { makeCgroup, removeCgroup } from "./cgroups.ts";
import type { Images } from "./images.ts";
import type { Layout, NodeLayout } from "./layout.ts";
import { nodeLayout, nodeToken } from "./layout.ts";
import type { NodeOptions } from "./node-config.ts";
import { writeNodeConfig } from "./node-config.ts";
import { endContainers, signalPart, startPart } from "./part.ts";
import { writeKubeconfig } from "./pki.ts";
import { attempt, run, until } from "./run.ts";

/** The bridge in the root namespace that all nodes hang on. */
export function makeBridge({ bridge, gateway }: Layout): void {
  if (!attempt("ip", "link", "show", bridge)) {
    run("ip", "link", "add", bridge, "type", "bridge");
    run("ip", "addr", "add", `${gateway}/24`, "dev", bridge);
  }
  run("ip", "link", "set", bridge, "up");
  writeFileSync("/proc/sys/net/ipv4/ip_forward", "1");
}

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
  connect(layout, node);
  makeCgroup(node.cgroup);
  const config = writeNodeConfig(layout, node, images, options);
  startPart(layout.dir, `${node.name}-containerd`, ["containerd", "-c", config.containerd], node.netns);
  await until(`containerd of ${node.name} listens`, () => existsSync(node.socket));
  const kubeconfig = writeKubeconfig(layout, node.name, nodeToken(node.name), layout.gateway);
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
  signalPart(layout.dir, `${node.name}-containerd`, "SIGKILL");
  attempt("ip", "link", "del", node.link);
  attempt("ip", "netns", "del", node.netns);
  removeCgroup(node.cgroup);
}

function connect(layout: Layout, node: NodeLayout): void {
  const { link, netns, address } = node;
  run("ip", "netns", "add", netns);
  run("ip", "link", "add", link, "type", "veth", "peer", "name", "eth0", "netns", netns);
  run("ip", "link", "set", link, "master", layout.bridge, "up");
  for (const device of ["lo", "eth0"]) run("ip", "-n", netns, "link", "set", device, "up");
  run("ip", "-n", netns, "addr", "add", `${address}/24`, "dev", "eth0");
  run("ip", "-n", netns, "route", "add", "default", "via", layout.gateway);
  run("ip", "route", "replace", node.podRange, "via", address);
}
