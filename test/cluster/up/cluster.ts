/** A small real Kubernetes on one Linux machine, as root and without Docker: brought up, looked at, taken down. */

import { rmSync } from "node:fs";
import { connect } from "node:net";
import { adminRequest } from "./admin.ts";
import { auditFlags } from "./audit.ts";
import type { BinaryPlaces } from "./binary.ts";
import { findBinary } from "./binary.ts";
import { startControlPlane } from "./control-plane.ts";
import { pushImages } from "./images.ts";
import type { Layout } from "./layout.ts";
import { everyNode } from "./layout.ts";
import { startNames } from "./names.ts";
import { leaveBridge, makeBridge } from "./network.ts";
import { removeNode, startNode, untilNodeReady } from "./node.ts";
import { installPackages } from "./packages.ts";
import { partLives, partNames, signalPart } from "./part.ts";
import { attempt, until } from "./run.ts";

export interface UpOptions {
  readonly nodes: number;
  readonly binaries: BinaryPlaces;
  /** Further flags of the API server. */
  readonly apiFlags: readonly string[];
  readonly say: (line: string) => void;
}

export async function up(layout: Layout, options: UpOptions): Promise<void> {
  installPackages();
  const binary = findBinary(options.binaries, "testcluster", options.say);
  await down(layout);
  for (const port of [layout.apiPort, layout.etcdPort, layout.registryPort]) {
    if (await listens(port)) throw new Error(`port ${port} is in use by something else`);
  }
  makeBridge(layout);
  await startControlPlane(layout, binary, [...auditFlags(layout), ...options.apiFlags]);
  startNames(layout, binary);
  await until("the registry answers", () => listens(layout.registryPort));
  const images = await pushImages(layout);
  const numbers = Array.from({ length: options.nodes }, (_, index) => index + 1);
  for (const number of numbers) await startNode(layout, binary, number, images);
  await until("the default service account exists", async () => {
    const path = "/api/v1/namespaces/default/serviceaccounts/default";
    return (await adminRequest(layout, "GET", path)).status === 200;
  });
  for (const number of numbers) await untilNodeReady(layout, number);
}

/** Ends everything and removes what was written, also after half an `up`. */
export async function down(layout: Layout): Promise<void> {
  for (const name of partNames(layout.dir)) signalPart(layout.dir, name, "SIGCONT");
  for (const { netns, number } of everyNode(layout))
    if (attempt("ip", "netns", "pids", netns)) await removeNode(layout, number);
  for (const name of partNames(layout.dir)) signalPart(layout.dir, name, "SIGKILL");
  await until("everything has ended", () => partNames(layout.dir).every((name) => !partLives(layout.dir, name)));
  leaveBridge(layout.names);
  attempt("ip", "link", "del", layout.bridge);
  unmountBelow(layout.dir);
  rmSync(layout.dir, { recursive: true, force: true });
}

export async function answers(layout: Layout): Promise<boolean> {
  return partLives(layout.dir, "apiserver") && (await adminRequest(layout, "GET", "/readyz")).status === 200;
}

export function status(layout: Layout): string[] {
  return partNames(layout.dir).map((name) => `${name} ${partLives(layout.dir, name) ? "runs" : "is stopped"}`);
}

/** What kubelets and runtimes have mounted in a folder of theirs. */
export function unmountBelow(dir: string): void {
  attempt(
    "sh",
    "-c",
    "awk -v d=\"$1/\" 'index($2, d) == 1 { print $2 }' /proc/mounts | sort -r | xargs -r umount -l",
    "sh",
    dir,
  );
}

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
    socket.once("connect", () => socket.destroy());
  });
}
