// A bare watch in a process of its own, asked for the moment at which it saw a pod run.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { tokens } from "../../test/cluster/up/layout.ts";
import { pkiPaths } from "../../test/cluster/up/pki.ts";
import type { Ground } from "./ground.ts";

const program = fileURLToPath(new URL("bare-watch.ts", import.meta.url));

export interface Observer {
  /** Nanoseconds of the monotonic clock, once it has seen the pod with this UID run. */
  ran(uid: string): Promise<bigint>;
  end(): void;
}

/** Resolves when it watches. */
export async function observe({ layout }: Ground, namespace: string, signal: AbortSignal): Promise<Observer> {
  const path = `/api/v1/namespaces/${namespace}/pods?watch=1&timeoutSeconds=3600`;
  const args = [program, `127.0.0.1:${layout.apiPort}`, pkiPaths(layout).authority, tokens.admin, path];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"], signal });
  child.on("error", () => undefined);
  const moments = new Map<string, PromiseWithResolvers<bigint>>();
  const momentOf = (uid: string): PromiseWithResolvers<bigint> => {
    const moment = moments.get(uid) ?? Promise.withResolvers<bigint>();
    moments.set(uid, moment);
    return moment;
  };
  const lines = createInterface({ input: child.stdout });
  await once(lines, "line", { signal });
  lines.on("line", (line) => {
    const { uid, at } = JSON.parse(line) as { readonly uid: string; readonly at: string };
    momentOf(uid).resolve(BigInt(at));
  });
  return {
    ran: (uid) => momentOf(uid).promise,
    end: () => void child.kill("SIGKILL"),
  };
}
