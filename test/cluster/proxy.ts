/** A way to the API server that fails on demand: it remembers each request, and delays, cuts, or swallows answers after their effect. */
import { readFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { Agent, createServer, request } from "node:https";
import type { AddressInfo } from "node:net";
import type { ClusterAccess } from "@moorage/kubernetes";
import type { Layout } from "./up/layout.ts";
import { pkiPaths } from "./up/pki.ts";

export interface Passing {
  readonly method: string;
  /** Without its query. */
  readonly path: string;
  readonly watch: boolean;
  /** By which labels it chooses. */
  readonly selector: string | null;
  /** What was sent, as text. */
  readonly body: string;
}

/** What becomes of one request. */
export type Fate =
  | { readonly kind: "pass" }
  /** It is sent on after this. */
  | { readonly kind: "after"; readonly wait: () => Promise<void> }
  /** It never arrives. */
  | { readonly kind: "cutBefore" }
  /** It takes effect, and its answer is lost with the connection: before its first byte, or in its middle. */
  | { readonly kind: "cutAfter" }
  | { readonly kind: "cutWithin" }
  /** It takes effect, and nothing ever comes back. */
  | { readonly kind: "swallow" }
  /** It takes effect only after whoever sent it has given up. */
  | { readonly kind: "late" }
  /** Something in between answers: instead of the server, or after the effect. */
  | { readonly kind: "answer"; readonly status: number; readonly effect: boolean };

export interface Proxy {
  /** Everything that was asked since the last `expect`. */
  readonly requests: readonly Passing[];
  /** How many watches are open: the server has answered them, and they are not over. */
  readonly watches: number;
  /** From now on; forgets what was asked before. `index` counts from 0. */
  decide(fate: (passing: Passing, index: number) => Fate): void;
  /** The same cluster, by way of this. */
  through(access: ClusterAccess): ClusterAccess;
  /** Cuts whatever is open now, watches above all. */
  cut(): void;
  close(): Promise<void>;
}

interface Answer {
  readonly status: number;
  readonly message: IncomingMessage;
}

/** The server's own certificate and key are ours to use: whoever trusts it trusts this. */
export async function openProxy(layout: Layout): Promise<Proxy> {
  const pki = pkiPaths(layout);
  const [cert, key] = [readFileSync(pki.certificate), readFileSync(pki.key)];
  const agent = new Agent({ keepAlive: true, ca: readFileSync(pki.authority) });
  let requests: Passing[] = [];
  let watches = 0;
  let fateOf: (passing: Passing, index: number) => Fate = () => ({ kind: "pass" });

  /** Null: the API server did not answer. */
  function forward(from: IncomingMessage, body: Buffer, gone: AbortSignal): Promise<Answer | null> {
    return new Promise((resolve) => {
      const { method = "GET", url: path = "/", headers } = from;
      const options = { host: "127.0.0.1", port: layout.apiPort, method, path, headers, agent, signal: gone };
      const sent = request(options, (message) => resolve({ status: message.statusCode ?? 0, message }));
      sent.on("error", () => resolve(null));
      sent.end(body);
    });
  }

  async function serve(from: IncomingMessage, to: ServerResponse): Promise<void> {
    const pieces: Buffer[] = [];
    for await (const piece of from as AsyncIterable<Buffer>) pieces.push(piece);
    const body = Buffer.concat(pieces);
    const url = new URL(from.url ?? "/", "https://proxy");
    const passing: Passing = {
      method: from.method ?? "GET",
      path: url.pathname,
      watch: url.searchParams.get("watch") === "true",
      selector: url.searchParams.get("labelSelector"),
      body: body.toString(),
    };
    const fate = fateOf(passing, requests.push(passing) - 1);
    const cut = (): void => void from.socket.destroy();
    const left = new Promise<void>((resolve) => to.once("close", resolve));
    const given = new AbortController();
    switch (fate.kind) {
      case "cutBefore":
        return cut();
      case "late": {
        await left;
        const answer = await forward(from, body, given.signal);
        answer?.message.destroy();
        return;
      }
      case "answer":
        if (fate.effect) await drained(await forward(from, body, given.signal));
        to.writeHead(fate.status, { "Content-Type": "text/plain" }).end("something in between");
        return;
      case "after":
        await fate.wait();
        break;
      case "pass":
      case "cutAfter":
      case "cutWithin":
      case "swallow":
        break;
      default:
        fate satisfies never;
    }
    void left.then(() => given.abort());
    // What takes effect does so whether or not anybody waits for it; a watch ends with its reader.
    const answer = await forward(from, body, passing.watch ? given.signal : new AbortController().signal);
    if (answer === null) return cut();
    if (passing.watch) watches += 1;
    await pass(fate.kind, answer, to, cut);
    if (passing.watch) watches -= 1;
  }

  async function pass(kind: Fate["kind"], { status, message }: Answer, to: ServerResponse, cut: () => void) {
    if (kind === "swallow") {
      message.resume();
      return;
    }
    if (kind === "cutAfter") {
      await drained({ status, message }, 1);
      return cut();
    }
    to.writeHead(status, message.headers);
    to.flushHeaders();
    try {
      for await (const piece of message as AsyncIterable<Buffer>) {
        if (kind === "cutWithin") {
          to.write(piece.subarray(0, Math.ceil(piece.length / 2)), cut);
          return;
        }
        to.write(piece);
      }
      to.end();
    } catch {
      cut();
    }
  }

  const server = createServer({ cert, key }, (from, to) => void serve(from, to).catch(() => from.socket.destroy()));
  // Those who sent something and gave up leave errors behind that nobody needs.
  server.on("secureConnection", (socket) => socket.on("error", () => undefined));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    get requests() {
      return requests;
    },
    get watches() {
      return watches;
    },
    decide(fate) {
      requests = [];
      fateOf = fate;
    },
    through: (access) => ({ ...access, server: `https://127.0.0.1:${port}` }),
    cut: () => server.closeAllConnections(),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
        agent.destroy();
      }),
  };
}

/** Reads an answer to its end, or only its first piece: then its effect is there. */
async function drained(answer: Answer | null, pieces: number = Number.POSITIVE_INFINITY): Promise<void> {
  if (answer === null) return;
  let left = pieces;
  for await (const _ of answer.message as AsyncIterable<Buffer>) {
    left -= 1;
    if (left <= 0) return;
  }
}
