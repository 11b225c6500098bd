/** A registry that misbehaves: it stands before the cluster's own, hands requests on, and does harm to those of the repositories that it was told to harm. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:http";
import { createServer as createSecureServer } from "node:https";
import type { AddressInfo } from "node:net";

/** What a request is for (OCI distribution specification), and the token of an authorization service beside it. */
export type Step = "ping" | "token" | "manifest" | "blob";

export interface Asked {
  readonly step: Step;
  /** The repository, which never has a slash here; empty for a ping. */
  readonly repository: string;
  readonly method: string;
  readonly headers: IncomingMessage["headers"];
  /** Of this front, as nodes call it. */
  readonly base: string;
  /** What the registry behind it answers. */
  behind(): Promise<Answer>;
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** Answers by itself, or leaves it (false) to the registry behind. */
export type Fault = (asked: Asked, response: ServerResponse) => boolean | Promise<boolean>;

export interface Front {
  /** Host and port, as nodes and image references call it. */
  readonly host: string;
  harm(repository: string, fault: Fault): void;
  heal(repository: string): void;
  end(): Promise<void>;
}

export interface FrontOptions {
  /** The registry behind it, host and port. */
  readonly upstream: string;
  readonly address: string;
  /** 0 or absent: any. */
  readonly port?: number;
  readonly tls?: { readonly certificate: Buffer; readonly key: Buffer };
}

export async function openFront({ upstream, address, port = 0, tls }: FrontOptions): Promise<Front> {
  const faults = new Map<string, Fault>();

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = "GET", url = "/", headers } = request;
    const behind = (): Promise<Answer> => askBehind(`http://${upstream}${url}`, method, headers);
    const asked: Asked = { ...readPath(url), method, headers, base: `${scheme}://${host}`, behind };
    const harmed = (await faults.get(asked.repository)?.(asked, response)) ?? false;
    if (!harmed) give(response, await behind());
  }

  const listener = (request: IncomingMessage, response: ServerResponse): void => {
    response.on("error", () => undefined);
    serve(request, response).catch(() => response.destroy());
  };
  const server =
    tls === undefined ? createServer(listener) : createSecureServer({ cert: tls.certificate, key: tls.key }, listener);
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, address, resolve);
  });
  const scheme = tls === undefined ? "http" : "https";
  const host = `${address}:${(server.address() as AddressInfo).port}`;
  return {
    host,
    harm: (repository, fault) => void faults.set(repository, fault),
    heal: (repository) => void faults.delete(repository),
    end: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

export function give(response: ServerResponse, { status, headers, body }: Answer): void {
  response.writeHead(status, headers).end(body);
}

function readPath(url: string): Pick<Asked, "step" | "repository"> {
  const [, first, second = "", third = ""] = url.replace(/\?.*$/, "").split("/");
  if (first === "token") return { step: "token", repository: second };
  if (third === "manifests" || third === "blobs")
    return { step: third === "blobs" ? "blob" : "manifest", repository: second };
  return { step: "ping", repository: "" };
}

const handedOn = ["content-type", "content-length", "content-range", "docker-content-digest", "www-authenticate"];

async function askBehind(url: string, method: string, headers: IncomingMessage["headers"]): Promise<Answer> {
  const { accept = "*/*", range } = headers;
  const answer = await fetch(url, { method, headers: { accept, ...(range === undefined ? {} : { range }) } });
  const given = handedOn.flatMap((name) => {
    const value = answer.headers.get(name);
    return value === null ? [] : [[name, value] as const];
  });
  return { status: answer.status, headers: Object.fromEntries(given), body: Buffer.from(await answer.arrayBuffer()) };
}
