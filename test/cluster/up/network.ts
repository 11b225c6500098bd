/** The bridge in the root namespace, and the network namespaces that hang on it. */
import { writeFileSync } from "node:fs";
import type { Layout, NamespaceLayout } from "./layout.ts";
import { attempt, run } from "./run.ts";

export function makeBridge({ bridge, gateway }: Layout): void {
  if (!attempt("ip", "link", "show", bridge)) {
    run("ip", "link", "add", bridge, "type", "bridge");
    run("ip", "addr", "add", `${gateway}/24`, "dev", bridge);
  }
  run("ip", "link", "set", bridge, "up");
  writeFileSync("/proc/sys/net/ipv4/ip_forward", "1");
}

/** Makes the namespace; everything that is not in it is reached through the bridge. */
export function joinBridge({ bridge, gateway }: Layout, { link, netns, address }: NamespaceLayout): void {
  run("ip", "netns", "add", netns);
  run("ip", "link", "add", link, "type", "veth", "peer", "name", "eth0", "netns", netns);
  run("ip", "link", "set", link, "master", bridge, "up");
  for (const device of ["lo", "eth0"]) run("ip", "-n", netns, "link", "set", device, "up");
  run("ip", "-n", netns, "addr", "add", `${address}/24`, "dev", "eth0");
  run("ip", "-n", netns, "route", "add", "default", "via", gateway);
}

export function leaveBridge({ link, netns }: NamespaceLayout): void {
  attempt("ip", "link", "del", link);
  attempt("ip", "netns", "del", netns);
}
