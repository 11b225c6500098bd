/** Where the test cluster lives on this machine: its folder, its addresses and its ports, chosen so that they meet nobody else's. */
import { join } from "node:path";

export interface Layout {
  /** Everything that the cluster writes is below it. */
  readonly dir: string;
  readonly bridge: string;
  /** The root namespace as nodes see it: API server and registry. */
  readonly gateway: string;
  readonly apiPort: number;
  readonly registryPort: number;
  readonly etcdPort: number;
  readonly etcdPeerPort: number;
  readonly serviceRange: string;
  /** The API server's own address among the services: the first of their range. */
  readonly serviceAddress: string;
}

export function layoutOf(dir: string): Layout {
  return {
    dir,
    bridge: "moorbr",
    gateway: "10.213.64.1",
    apiPort: 16_443,
    registryPort: 15_000,
    etcdPort: 12_379,
    etcdPeerPort: 12_380,
    serviceRange: "10.213.0.0/24",
    serviceAddress: "10.213.0.1",
  };
}

export interface NodeLayout {
  readonly name: string;
  readonly number: number;
  readonly dir: string;
  readonly address: string;
  /** Its end of the pair of interfaces, in the root namespace; down, the node is cut off. */
  readonly link: string;
  readonly podRange: string;
  readonly socket: string;
  readonly cgroup: string;
}

export function nodeLayout({ dir }: Layout, number: number): NodeLayout {
  const name = `node${number}`;
  return {
    name,
    number,
    dir: join(dir, name),
    address: `10.213.64.${10 + number}`,
    link: `moorv${number}`,
    podRange: `10.213.${100 + number}.0/24`,
    socket: join(dir, name, "containerd.sock"),
    cgroup: `moorage-${name}`,
  };
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
