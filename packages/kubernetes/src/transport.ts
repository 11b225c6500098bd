/** Requests to one API server over kept connections: what was asked and what came back are values, and each failure says whether anything can have reached the server. */
import type { ClientRequest, Agent as HttpAgent, IncomingMessage, RequestOptions } from "node:http";
import type { Socket } from "node:net";
import type { Abort, Json } from "@moorage/core";
import { Agents } from "./agents.ts";
import { readBody, readChunks } from "./answer-body.ts";
import type { ClusterAccess } from "./cluster-access.ts";
import { ClusterError } from "./cluster-error.ts";
import type { Credential, Credentials } from "./credentials.ts";
import { codeOf } from "./error-code.ts";
import { describeFailure } from "./network-failure.ts";

export interface ApiRequest {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  /** With its query, from the slash on. */
  readonly path: string;
  readonly body?: Json;
  /** Default: whole objects as JSON. */
  readonly accept?: string;
}

export interface Answered {
  readonly kind: "answered";
  readonly status: number;
  readonly body: string;
  /** The server's `Date`, in milliseconds since 1970; null when absent or unreadable. */
  readonly serverTime: number | null;
  readonly retryAfterMs: number | null;
}

/** Nothing can have reached the server. */
export interface NotSent {
  readonly kind: "notSent";
  readonly detail: string;
  /** It will not heal by itself: a missing plugin, a certificate that is not trusted. */
  readonly lasting: boolean;
}

/** It was sent, and whether it had an effect nobody knows. */
export interface Lost {
  readonly kind: "lost";
  readonly detail: string;
}

export type Answer = Answered | NotSent | Lost;

export interface OpenStream {
  readonly kind: "open";
  /** Ends by returning in words why it is over; it never throws. */
  readonly chunks: AsyncGenerator<Uint8Array, string>;
}

export interface TransportLimits {
  /** Milliseconds until a connection must stand. */
  readonly connectMs: number;
  /** Milliseconds for a read, and for a change: an admission webhook may take 30 s of these. */
  readonly readMs: number;
  readonly changeMs: number;
  /** Milliseconds after which an unused connection is closed: before the server or something between does it. */
  readonly unusedMs: number;
}

export const transportLimits: TransportLimits = {
  connectMs: 10_000,
  readMs: 20_000,
  changeMs: 45_000,
  unusedMs: 30_000,
};

const json = "application/json";

type Started =
  | {
      readonly kind: "response";
      readonly response: IncomingMessage;
      readonly request: ClientRequest;
      readonly used: Credential;
    }
  | NotSent
  | Lost;

export class Transport {
  readonly #access: ClusterAccess;
  readonly #credentials: Credentials;
  readonly #limits: TransportLimits;
  readonly #secure: boolean;
  readonly #agents: Agents;

  constructor(access: ClusterAccess, credentials: Credentials, limits: TransportLimits = transportLimits) {
    this.#access = access;
    this.#credentials = credentials;
    this.#limits = limits;
    this.#secure = access.server.startsWith("https:");
    this.#agents = new Agents(access, limits.unusedMs);
  }

  /** One request, to its whole answer. It never rejects. */
  async send(request: ApiRequest): Promise<Answer> {
    const first = await this.#once(request);
    // A kept connection that the server closed at the same moment: a read may simply be asked again.
    const again = first.kind === "lost" && first.reused && request.method === "GET";
    const { reused: _, ...answer } = again ? await this.#once(request) : first;
    return answer;
  }

  /**
   * A stream of bytes for as long as both sides like; silent for `idleMs`, it counts as dead. Some begin their answer with
   * the first byte, whenever that comes: `answerMs` is how long they may take. It never rejects.
   */
  async open(
    path: string,
    idleMs: number,
    signal: Abort,
    answerMs: number = this.#limits.readMs,
  ): Promise<OpenStream | Answer> {
    const timer = new Limit(answerMs);
    const abort = (): void => timer.cut();
    signal.addEventListener("abort", abort);
    const started = await this.#authorized({ method: "GET", path }, timer).finally(() =>
      signal.removeEventListener("abort", abort),
    );
    if (started.kind !== "response") {
      timer.clear();
      return started;
    }
    const { response, request } = started;
    if (response.statusCode !== 200) return this.#whole(started, timer);
    timer.clear();
    request.socket?.setKeepAlive(true, idleMs / 4);
    return { kind: "open", chunks: readChunks(response, idleMs, signal) };
  }

  /** Closes every connection; what is under way fails. */
  close(): void {
    this.#agents.close();
  }

  async #once(request: ApiRequest): Promise<Answer & { readonly reused: boolean }> {
    const timer = new Limit(request.method === "GET" ? this.#limits.readMs : this.#limits.changeMs);
    const started = await this.#authorized(request, timer);
    if (started.kind === "response") return { ...(await this.#whole(started, timer)), reused: false };
    timer.clear();
    return { ...started, reused: timer.reused };
  }

  async #whole({ response }: { readonly response: IncomingMessage }, timer: Limit): Promise<Answered | Lost> {
    const body = await readBody(response);
    timer.clear();
    if (body.kind === "cut") return { kind: "lost", detail: this.#told(timer.over ? timer.words : body.detail) };
    return {
      kind: "answered",
      status: response.statusCode ?? 0,
      body: body.text,
      serverTime: readTime(response.headers.date),
      retryAfterMs: readRetryAfter(response.headers["retry-after"]),
    };
  }

  /** A 401 is certain to have had no effect: with a credential that is new, the same request is sent once more. */
  async #authorized(request: ApiRequest, timer: Limit): Promise<Started> {
    const first = await this.#start(request, timer);
    if (first.kind !== "response" || first.response.statusCode !== 401) return first;
    try {
      if (!(await this.#credentials.renew(first.used))) return first;
    } catch (error) {
      first.response.destroy();
      return this.#notSent(error);
    }
    first.response.resume();
    return this.#start(request, timer);
  }

  async #start(request: ApiRequest, timer: Limit): Promise<Started> {
    let used: Credential;
    try {
      used = await this.#credentials.current();
      return await this.#exchange(request, used, await this.#agents.agentFor(used), timer);
    } catch (error) {
      return this.#notSent(error);
    }
  }

  #exchange(request: ApiRequest, used: Credential, agent: HttpAgent, timer: Limit): Promise<Started> {
    const body = request.body === undefined ? null : Buffer.from(JSON.stringify(request.body));
    const options: RequestOptions & { servername?: string } = {
      method: request.method,
      agent,
      headers: {
        ...used.headers,
        Accept: request.accept ?? json,
        "User-Agent": "moorage",
        ...(body === null ? {} : { "Content-Type": json, "Content-Length": body.length }),
      },
    };
    if (this.#access.serverName !== null) options.servername = this.#access.serverName;
    const module = this.#secure ? process.getBuiltinModule("node:https") : process.getBuiltinModule("node:http");
    return new Promise((resolve) => {
      const sent = module.request(`${this.#access.server}${request.path}`, options);
      let connected = false;
      const connecting = setTimeout(() => sent.destroy(timeout()), this.#limits.connectMs);
      const stands = (): void => {
        connected = true;
        clearTimeout(connecting);
      };
      timer.start(() => sent.destroy(timeout()));
      sent.once("socket", (socket: Socket) => {
        timer.reused = sent.reusedSocket;
        if (sent.reusedSocket) stands();
        else socket.once(this.#secure ? "secureConnect" : "connect", stands);
      });
      sent.once("response", (response) => resolve({ kind: "response", response, request: sent, used }));
      // It stays for the life of the request: an error may come after the answer began.
      sent.on("error", (error) => {
        clearTimeout(connecting);
        const failure = timer.over ? { detail: timer.words, lasting: false } : describeFailure(error);
        const detail = this.#told(failure.detail);
        resolve(connected ? { kind: "lost", detail } : { kind: "notSent", detail, lasting: failure.lasting });
      });
      sent.end(body ?? undefined);
    });
  }

  #notSent(error: unknown): NotSent {
    if (error instanceof ClusterError) {
      return { kind: "notSent", detail: `${error.message}; ${error.hint}`, lasting: true };
    }
    // What Node refuses before it connects: a certificate or a key that is none.
    return {
      kind: "notSent",
      detail: this.#told(`its user's certificate or headers cannot be used (${codeOf(error)})`),
      lasting: true,
    };
  }

  #told(what: string): string {
    const { server, proxy } = this.#access;
    const through = proxy === null ? "" : ` through the proxy ${URL.parse(proxy)?.host ?? ""}`;
    return `${URL.parse(server)?.host ?? "the API server"}${through}: ${what}`;
  }
}

/** The time limit of one request, whatever it is busy with. */
class Limit {
  over = false;
  /** Whether the connection had carried a request before. */
  reused = false;
  readonly words: string;
  readonly #ms: number;
  #timer: NodeJS.Timeout | undefined;
  #expire: () => void = () => undefined;

  constructor(ms: number) {
    this.#ms = ms;
    this.words = `no answer within ${ms / 1000} s`;
  }

  start(expire: () => void): void {
    this.clear();
    this.#expire = expire;
    this.#timer = setTimeout(() => {
      this.over = true;
      expire();
    }, this.#ms);
  }

  /** Nobody waits any more. */
  cut(): void {
    this.#expire();
  }

  clear(): void {
    clearTimeout(this.#timer);
  }
}

function timeout(): Error {
  return Object.assign(new Error("time is over"), { code: "ETIMEDOUT" });
}

function readTime(header: string | undefined): number | null {
  const time = header === undefined ? Number.NaN : Date.parse(header);
  return Number.isNaN(time) ? null : time;
}

/** Seconds (RFC 9110, 10.2.3), which is what API servers send; a date is passed over. */
function readRetryAfter(header: string | undefined): number | null {
  return header !== undefined && /^\d{1,5}$/.test(header) ? Number(header) * 1000 : null;
}
