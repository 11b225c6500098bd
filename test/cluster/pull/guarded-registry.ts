/** The cluster's registry once more, behind a password: the same images, for those who are in its htpasswd file. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { connect, createServer } from "node:net";
import { join } from "node:path";
import type { Layout } from "../up/layout.ts";
import { startPart, stopPart } from "../up/part.ts";
import { until } from "../up/run.ts";

export interface GuardedRegistry {
  /** Host and port, as nodes and image references call it. */
  readonly host: string;
  /** The content of a pull secret (`.dockerconfigjson`) for it. */
  credentials(password?: string): string;
  end(): Promise<void>;
}

const username = "puller";
/** Of `right`; registries take nothing but bcrypt. */
const right = "moorage-test";
const hash = "$2b$05$abcdefghijklmnopqrstuu5ghMZwqa31rdibEl4L5wLQvcQvpBAbq";

export async function openGuardedRegistry(layout: Layout): Promise<GuardedRegistry> {
  const dir = mkdtempSync(join(layout.dir, "guarded-"));
  const [config, htpasswd] = [join(dir, "config.json"), join(dir, "htpasswd")];
  const port = await freePort(layout.gateway);
  const host = `${layout.gateway}:${port}`;
  writeFileSync(htpasswd, `${username}:${hash}\n`);
  writeFileSync(
    config,
    JSON.stringify({
      version: "0.1",
      storage: { filesystem: { rootdirectory: join(layout.dir, "registry") } },
      http: { addr: host },
      auth: { htpasswd: { realm: "Registry Realm", path: htpasswd } },
    }),
  );
  startPart(layout.dir, "guarded-registry", ["docker-registry", "serve", config]);
  await until("the guarded registry listens", () => listens(layout.gateway, port));
  return {
    host,
    credentials(password = right) {
      const auth = Buffer.from(`${username}:${password}`).toString("base64");
      return JSON.stringify({ auths: { [host]: { username, password, auth } } });
    },
    async end() {
      await stopPart(layout.dir, "guarded-registry");
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

/** A port at which nobody listens at this moment. */
export function freePort(address: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, address, () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}

function listens(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, host);
    socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
    socket.once("connect", () => socket.destroy());
  });
}
