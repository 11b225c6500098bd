/** A node of a test file's own that may be broken: cut off, without its kubelet, or short of something. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { FurtherNode, FurtherNodeOptions } from "../further-node.ts";
import { openFurtherNode } from "../further-node.ts";
import type { Layout } from "../up/layout.ts";
import { setNodeLink, untilNodeReady } from "../up/node.ts";
import { restartPart, signalPart, stopPart } from "../up/part.ts";

export interface OwnNode extends FurtherNode {
  readonly name: string;
  link(state: "up" | "down"): void;
  ready(ready: boolean): Promise<void>;
  stopKubelet(): Promise<void>;
  startKubelet(): void;
  pauseKubelet(paused: boolean): void;
  /** Changes the kubelet's configuration; it holds from its next start on. */
  configure(change: Readonly<Record<string, unknown>>): void;
}

export async function openOwnNode(layout: Layout, number: number, options: FurtherNodeOptions = {}): Promise<OwnNode> {
  const further = await openFurtherNode(layout, number, options);
  const { name, dir } = further.node;
  const kubelet = `${name}-kubelet`;
  const config = join(dir, "kubelet.json");
  return {
    ...further,
    name,
    link: (state) => setNodeLink(layout, number, state),
    ready: (ready) => untilNodeReady(layout, number, ready, 120_000),
    stopKubelet: () => stopPart(layout.dir, kubelet),
    startKubelet: () => restartPart(layout.dir, kubelet),
    pauseKubelet: (paused) => void signalPart(layout.dir, kubelet, paused ? "SIGSTOP" : "SIGCONT"),
    configure: (change) =>
      writeFileSync(config, JSON.stringify({ ...(JSON.parse(readFileSync(config, "utf8")) as object), ...change })),
  };
}
