/** A way to the API server on which its clock is another: times of creation and the `Date` of answers, each as far away as a test likes. */
import { readFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:http";
import { Agent, request } from "node:https";
import type { AddressInfo } from "node:net";
import type { ClusterAccess } from "@moorage/kubernetes";
import type { Layout } from "./up/layout.ts";
import { pkiPaths } from "./up/pki.ts";

export interface ClockProxy {
  /** Milliseconds that the cluster's clock is ahead of the true one. */
  ahead: number;
  /** Milliseconds that pass for the cluster before its next answer; or what its answers have instead of a time. */
  later: number | "noDate" | "noTime";
  /** What was asked, without watches, in its order. */
  readonly asked: readonly { readonly method: string; readonly path: string; readonly body: string }[];
  /** The same cluster, by way of this. */
  through(access: ClusterAccess): ClusterAccess;
  close(): Promise<void>;
}

export async function openClockProxy(layout: Layout): Promise<ClockProxy> {
  const agent = new Agent({ keepAlive: true, ca: readFileSync(pkiPaths(layout).authority) });
  const asked: { method: string; path: string; body: string }[] = [];

  async function serve(from: IncomingMessage, to: ServerResponse): Promise<void> {
    const { method = "GET", url: path = "/", headers } = from;
    const body = await read(from);
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      const sent = request({ host: "127.0.0.1", port: layout.apiPort, method, path, headers, agent }, resolve);
      sent.on("error", reject);
      to.on("close", () => sent.destroy());
      sent.end(body);
    });
    to.sendDate = false;
    const { date, "content-length": _, ...kept } = answer.headers;
    to.writeHead(answer.statusCode ?? 0, { ...kept, ...toldDate(date) });
    if (path.includes("watch=true")) {
      answer.pipe(to);
      return;
    }
    asked.push({ method, path, body: body.toString() });
    const text = (await read(answer)).toString();
    to.end(text.replaceAll(/(?<="creationTimestamp":")[^"]+/g, (time) => shifted(time, proxy.ahead)));
  }

  function toldDate(date: string | undefined): { readonly date?: string } {
    if (proxy.later === "noDate" || date === undefined) return {};
    if (proxy.later === "noTime") return { date: "some day" };
    return { date: new Date(Date.parse(date) + proxy.ahead + proxy.later).toUTCString() };
  }

  const server = createServer((from, to) => void serve(from, to).catch(() => to.destroy()));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const proxy: ClockProxy = {
    ahead: 0,
    later: 0,
    asked,
    through: (access) => ({ ...access, server: `http://127.0.0.1:${port}`, authority: null }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
        agent.destroy();
      }),
  };
  return proxy;
}

/** As the API server writes times: to the second. */
function shifted(time: string, ms: number): string {
  return new Date(Date.parse(time) + ms).toISOString().replace(/\.\d+Z$/, "Z");
}

async function read(stream: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of stream as AsyncIterable<Buffer>) pieces.push(piece);
  return Buffer.concat(pieces);
}
