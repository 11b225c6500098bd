/** A node more in the cluster of this run, for one test file: set up as that needs it, and empty but for what asks for it. */
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { PodTemplate } from "@moorage/core";
import { adminRequest } from "./up/admin.ts";
import { unmountBelow } from "./up/cluster.ts";
import { readImages } from "./up/images.ts";
import type { Layout, NodeLayout } from "./up/layout.ts";
import { nodeLayout } from "./up/layout.ts";
import { removeNode, startNode, untilNodeReady } from "./up/node.ts";
import { partLives, programOf } from "./up/part.ts";
import { run, until } from "./up/run.ts";

export interface FurtherNode {
  readonly node: NodeLayout;
  /** Brings a pod to it, and only such a pod comes. */
  readonly declared: Pick<PodTemplate, "nodeSelector" | "tolerations">;
  end(): Promise<void>;
}

export interface FurtherNodeOptions {
  /** Lines for the kubelet's configuration. */
  readonly kubelet?: Readonly<Record<string, unknown>>;
  /** Megabytes of a disk of its own for images; default: the machine's. */
  readonly imageDisk?: number;
}

const taint = { key: "moorage.test/further", effect: "NoSchedule" } as const;

/** `number` is one of 2 to 9 that no other file of tests uses. */
export async function openFurtherNode(
  layout: Layout,
  number: number,
  { kubelet, imageDisk }: FurtherNodeOptions,
): Promise<FurtherNode> {
  const node = nodeLayout(layout, number);
  const images = imageFolder(node);
  mkdirSync(images, { recursive: true });
  if (imageDisk !== undefined) run("mount", "-t", "tmpfs", "-o", `size=${imageDisk}m`, "images", images);
  const end = async (): Promise<void> => {
    await removeNode(layout, number);
    await adminRequest(layout, "DELETE", `/api/v1/nodes/${node.name}`);
    const parts = ["kubelet", "containerd", "proxy"].map((part) => `${node.name}-${part}`);
    await until(`${node.name} has ended`, () => parts.every((part) => !partLives(layout.dir, part)));
    unmountBelow(node.dir);
    rmSync(node.dir, { recursive: true, force: true });
  };
  try {
    // Each part of the cluster is the same program.
    const binary = programOf(layout.dir, "apiserver");
    const options = { kubelet: { ...kubelet, registerWithTaints: [taint] } };
    await startNode(layout, binary, number, readImages(layout), options);
    await untilNodeReady(layout, number);
  } catch (error) {
    await end();
    throw error;
  }
  const tolerations = [{ key: taint.key, operator: "Exists" }] as const;
  return { node, declared: { nodeSelector: { "kubernetes.io/hostname": node.name }, tolerations }, end };
}

/** Where the runtime of a node keeps images. */
export function imageFolder({ dir }: NodeLayout): string {
  return join(dir, "containerd", "root");
}
