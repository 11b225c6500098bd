/** Which containers truly run on the nodes of our own cluster, by the word of their runtimes. */
import { existsSync } from "node:fs";
import type { Layout } from "./up/layout.ts";
import { everyNode } from "./up/layout.ts";
import { run } from "./up/run.ts";

/** How many containers with this name run in the pods of a namespace; without a name, all, with the sandboxes that hold the pods. */
export function runningContainers(layout: Layout, namespace: string, container: string | null): number {
  return everyNode(layout)
    .filter(({ socket }) => existsSync(socket))
    .reduce((count, { socket }) => count + runningOn(socket, namespace, container), 0);
}

function runningOn(socket: string, namespace: string, container: string | null): number {
  const ctr = (...args: readonly string[]): string => run("ctr", "-a", socket, "-n", "k8s.io", ...args);
  const label = (key: string, value: string): string => `labels."io.kubernetes.${key}"==${value}`;
  const ofPods = label("pod.namespace", namespace);
  const filter = container === null ? ofPods : `${ofPods},${label("container.name", container)}`;
  const ours = new Set(ctr("containers", "ls", "-q", filter).split("\n").filter(Boolean));
  const tasks = ctr("tasks", "ls")
    .split("\n")
    .slice(1)
    .map((line) => line.trim().split(/\s+/));
  return tasks.filter(([id = "", , status]) => ours.has(id) && status === "RUNNING").length;
}
