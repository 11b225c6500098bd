/** An API server that a test writes the answers of, and the kubeconfig that leads to it. */
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";

export interface ApiServer {
  readonly address: string;
  /** Method and path of each request, in the order of their arrival. */
  readonly asked: string[];
  /** The bodies beside them. */
  readonly bodies: string[];
  /** The headers beside them. */
  readonly authorizations: (string | undefined)[];
  close(): Promise<void>;
}

/** null: it accepts and never answers. */
type Answers = ((request: IncomingMessage, body: string, response: ServerResponse) => void) | null;

export async function openApiServer(answer: Answers): Promise<ApiServer> {
  const [asked, bodies]: [string[], string[]] = [[], []];
  const authorizations: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on("data", (piece: Buffer) => pieces.push(piece));
    request.on("end", () => {
      const body = Buffer.concat(pieces).toString("utf8");
      asked.push(`${request.method} ${new URL(request.url ?? "/", "http://server").pathname}`);
      bodies.push(body);
      authorizations.push(request.headers.authorization);
      answer?.(request, body, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    bodies,
    authorizations,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

export function answerJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(body));
}

/** Puts a kubeconfig where a user has it. `user` is as it stands in such a file. */
export function writeKubeconfig(home: string, server: string, user: object = {}): void {
  mkdirSync(join(home, ".kube"), { recursive: true });
  const config = {
    apiVersion: "v1",
    kind: "Config",
    "current-context": "there",
    contexts: [{ name: "there", context: { cluster: "there", user: "ada" } }],
    clusters: [{ name: "there", cluster: { server } }],
    users: [{ name: "ada", user }],
  };
  writeFileSync(join(home, ".kube", "config"), JSON.stringify(config));
}
