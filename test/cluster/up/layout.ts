/** Where the test cluster lives on this machine: its folder, its addresses and its ports, chosen so that they meet nobody else's. */
import { join } from "node:path";

const mostNodes = 9;

export interface Layout {
  /** Everything that the cluster writes is below it. */
  readonly dir: string;
  /** Of several clusters on one machine; 0 is the first. */
  readonly number: number;
  readonly bridge: string;
  /** The root namespace as nodes see it: API server and registry. */
  readonly gateway: string;
  readonly apiPort: number;
  readonly registryPort: number;
  readonly etcdPort: number;
  readonly etcdPeerPort: number;
  readonly controllersPort: number;
  readonly schedulerPort: number;
  readonly serviceRange: string;
  /** The API server's own address among the services: the first of their range. */
  readonly serviceAddress: string;
  /** Where names of the cluster are looked up. */
  readonly names: NamespaceLayout;
}

/** A network namespace that hangs on the bridge. */
export interface NamespaceLayout {
  readonly netns: string;
  readonly address: string;
  /** Its end of the pair of interfaces, in the root namespace; down, it is cut off. */
  readonly link: string;
}

/** Clusters with different folders and numbers (0 to 9) do not meet. */
export function layoutOf(dir: string, number = 0): Layout {
  const services = `10.${213 + number}.0`;
  const ports = number * 10;
  return {
    dir,
    number,
    bridge: `moorbr${number}`,
    gateway: `10.${213 + number}.64.1`,
    apiPort: 16_443 + ports,
    registryPort: 15_000 + ports,
    etcdPort: 12_379 + ports,
    etcdPeerPort: 12_380 + ports,
    controllersPort: 12_257 + ports,
    schedulerPort: 12_259 + ports,
    serviceRange: `${services}.0/24`,
    serviceAddress: `${services}.1`,
    names: { netns: `moor${number}-names`, address: `10.${213 + number}.64.2`, link: `moorv${number}-names` },
  };
}

export interface NodeLayout extends NamespaceLayout {
  readonly name: string;
  readonly number: number;
  readonly dir: string;
  readonly podRange: string;
  readonly socket: string;
  readonly cgroup: string;
}

export function nodeLayout({ dir, number: cluster }: Layout, number: number): NodeLayout {
  const name = `node${number}`;
  const network = `10.${213 + cluster}`;
  return {
    name,
    number,
    dir: join(dir, name),
    address: `${network}.64.${10 + number}`,
    netns: `moor${cluster}-${name}`,
    link: `moorv${cluster}-${number}`,
    podRange: `${network}.${100 + number}.0/24`,
    socket: join(dir, name, "containerd.sock"),
    cgroup: `moorage-${cluster}-${name}`,
  };
}

/** All nodes that a cluster may have. */
export function everyNode(layout: Layout): readonly NodeLayout[] {
  return Array.from({ length: mostNodes }, (_, index) => nodeLayout(layout, index + 1));
}

/** The registry as nodes and image references call it. */
export function registry({ gateway, registryPort }: Layout): string {
  return `${gateway}:${registryPort}`;
}

/** Who is known by a token: an administrator, somebody without any rights, and the nodes. */
export const tokens = { admin: "admin-token", nobody: "nobody-token" } as const;

export function nodeToken(node: string): string {
  return `${node}-token`;
}
