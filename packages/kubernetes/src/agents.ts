/** Which connections a credential goes over: one agent of Node's for as long as certificate and authority stay the same. */
import type { Agent as HttpAgent } from "node:http";
import type { ClusterAccess } from "./cluster-access.ts";
import type { Credential } from "./credentials.ts";
import { openProxyAgent } from "./rare-access.ts";

export class Agents {
  readonly #access: ClusterAccess;
  readonly #unusedMs: number;
  #current: { readonly agent: Promise<HttpAgent>; readonly credential: Credential } | null = null;
  readonly #retired = new Set<Promise<HttpAgent>>();

  /** An unused connection is closed after `unusedMs` milliseconds. */
  constructor(access: ClusterAccess, unusedMs: number) {
    this.#access = access;
    this.#unusedMs = unusedMs;
  }

  agentFor(credential: Credential): Promise<HttpAgent> {
    const held = this.#current;
    if (held !== null) {
      if (held.credential === credential || sameConnection(held.credential, credential)) return held.agent;
      // What it still carries, a watch for one, goes on.
      this.#retired.add(held.agent);
    }
    const agent = this.#open(credential);
    this.#current = { agent, credential };
    return agent;
  }

  /** What is under way fails. */
  close(): void {
    const opened = [...this.#retired, ...(this.#current === null ? [] : [this.#current.agent])];
    this.#current = null;
    this.#retired.clear();
    for (const opening of opened) {
      void opening.then(
        (agent) => agent.destroy(),
        () => {},
      );
    }
  }

  async #open(credential: Credential): Promise<HttpAgent> {
    const { server, insecure, proxy } = this.#access;
    if (proxy !== null) return openProxyAgent(this.#access, credential, this.#unusedMs);
    const kept = { keepAlive: true, timeout: this.#unusedMs, maxFreeSockets: 32 };
    if (!server.startsWith("https:")) return new (process.getBuiltinModule("node:http").Agent)(kept);
    const { authority, certificate } = credential;
    return new (process.getBuiltinModule("node:https").Agent)({
      ...kept,
      rejectUnauthorized: !insecure,
      ...(authority === null ? {} : { ca: Buffer.from(authority) }),
      ...(certificate === null
        ? {}
        : { cert: Buffer.from(certificate.certificate), key: Buffer.from(certificate.key) }),
    });
  }
}

function sameConnection(one: Credential, other: Credential): boolean {
  return (
    equal(one.certificate?.certificate, other.certificate?.certificate) &&
    equal(one.certificate?.key, other.certificate?.key) &&
    equal(one.authority, other.authority)
  );
}

function equal(one: Uint8Array | null | undefined, other: Uint8Array | null | undefined): boolean {
  if (one === null || one === undefined || other === null || other === undefined)
    return (one ?? null) === (other ?? null);
  return Buffer.compare(one, other) === 0;
}
