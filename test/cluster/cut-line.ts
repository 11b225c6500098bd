/** A line to the API server of this run that a test can cut: every connection breaks, and new ones are let through again. */
import type { Socket } from "node:net";
import { connect, createServer, isIP } from "node:net";
import type { ClusterAccess } from "@moorage/kubernetes";

export interface CutLine {
  /** The same cluster, over this line. */
  readonly access: ClusterAccess;
  /** How many connections were ever made. */
  readonly connections: () => number;
  cut(): void;
  end(): Promise<void>;
}

export async function openCutLine(access: ClusterAccess): Promise<CutLine> {
  const { hostname, port } = new URL(access.server);
  const open = new Set<Socket>();
  let connections = 0;
  const server = createServer((near) => {
    connections += 1;
    const far = connect(Number(port || 443), hostname);
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(one);
      one.on("error", () => one.destroy());
      one.once("close", () => {
        open.delete(one);
        other.destroy();
      });
      one.pipe(other);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("it has no port");
  const cut = (): void => {
    for (const socket of open) socket.destroy();
  };
  return {
    access: {
      ...access,
      server: `https://127.0.0.1:${address.port}`,
      serverName: access.serverName ?? (isIP(hostname) === 0 ? hostname : null),
    },
    connections: () => connections,
    cut,
    end: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        cut();
      }),
  };
}
