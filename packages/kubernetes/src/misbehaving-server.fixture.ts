/** A small HTTP(S) server on this machine for tests, whose every answer a test writes; ended with all its connections. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:http";
import { createServer as createSecureServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Clock, Random } from "@moorage/core";
import type { ClusterAccess, UserAccess } from "./cluster-access.ts";
import { anonymous } from "./kubeconfig-user.ts";

export type Handler = (request: Received, response: ServerResponse) => void | Promise<void>;

interface Received {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

export interface MisbehavingServer {
  readonly server: string;
  /** In the order of their arrival. */
  readonly received: Received[];
  /** How many connections were ever made. */
  readonly connections: () => number;
  handler: Handler;
  end(): Promise<void>;
}

export interface Pki {
  readonly authority: Buffer;
  readonly certificate: Buffer;
  readonly key: Buffer;
}

/** A certificate for 127.0.0.1 that signs itself. */
export function makePki(): Pki {
  const dir = mkdtempSync(join(tmpdir(), "pki-"));
  const at = (name: string): string => join(dir, name);
  try {
    execFileSync(
      "openssl",
      ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"].concat(
        ["-subj", "/CN=test", "-addext", "subjectAltName=IP:127.0.0.1"],
        ["-keyout", at("key"), "-out", at("crt")],
      ),
      { stdio: "ignore" },
    );
    const certificate = readFileSync(at("crt"));
    return { authority: certificate, certificate, key: readFileSync(at("key")) };
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

export async function startServer(handler: Handler, pki?: Pki, wantsCertificate = false): Promise<MisbehavingServer> {
  const received: Received[] = [];
  let connections = 0;
  const listener = (request: IncomingMessage, response: ServerResponse): void => {
    const pieces: Buffer[] = [];
    request.on("data", (piece: Buffer) => pieces.push(piece));
    request.on("end", () => {
      const { method = "", url = "", headers } = request;
      const one = { method, url, headers, body: Buffer.concat(pieces).toString("utf8") };
      received.push(one);
      void made.handler(one, response);
    });
  };
  const options = { requestCert: wantsCertificate, rejectUnauthorized: false };
  const server =
    pki === undefined
      ? createServer(listener)
      : createSecureServer({ ...options, cert: pki.certificate, key: pki.key, ca: pki.authority }, listener);
  server.on("connection", () => {
    connections += 1;
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const made: MisbehavingServer = {
    server: `${pki === undefined ? "http" : "https"}://127.0.0.1:${port}`,
    received,
    connections: () => connections,
    handler,
    end: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return made;
}

export function answerJson(response: ServerResponse, status: number, body: unknown, headers: object = {}): void {
  response.writeHead(status, { "Content-Type": "application/json", ...headers }).end(JSON.stringify(body));
}

export function accessTo(
  server: string,
  user: Partial<UserAccess> = {},
  authority: Buffer | null = null,
): ClusterAccess {
  return {
    files: [],
    context: "test",
    server,
    authority: authority === null ? null : { kind: "data", bytes: authority },
    insecure: false,
    serverName: null,
    proxy: null,
    namespace: "team",
    user: { ...anonymous, name: "ada", ...user },
  };
}

/** Real time, monotonic. */
export const realClock: Clock = {
  now: () => performance.now(),
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      signal?.addEventListener("abort", () => {
        clearTimeout(timer);
        resolve();
      });
      if (signal?.aborted === true) {
        clearTimeout(timer);
        resolve();
      }
    }),
};

export const evenRandom: Random = { token: (digits) => "0".repeat(digits), fraction: () => 0.5 };
