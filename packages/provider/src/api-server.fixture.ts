/** A small API server for tests: pods and Secrets in memory, watches, fences, and everything that it was asked. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface StoredObject {
  readonly metadata: {
    readonly name: string;
    readonly uid?: string;
    readonly resourceVersion?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly [field: string]: unknown;
}

/** For what others on the same machine may hold up. */
export const patience = { timeout: 15_000 } as const;

/** What becomes of a pod once it is there: its status, or null while nothing is known of it. */
export type Fate = (pod: StoredObject) => object | null;

export const running: Fate = () => statusOf({ running: { startedAt: "2030-01-01T00:00:01Z" } });
export const ended: Fate = () => ({
  ...statusOf({ terminated: { exitCode: 3, reason: "Error", finishedAt: "2030-01-01T00:00:02Z" } }),
  phase: "Failed",
});
export const pulling: Fate = () => ({ ...statusOf({ waiting: { reason: "ContainerCreating" } }), phase: "Pending" });

function statusOf(state: object): object {
  return { phase: "Running", containerStatuses: [{ name: "agent", restartCount: 0, state }] };
}

export class ApiServer {
  /** `GET pods`, `POST secrets`, `WATCH pods`, in the order of their arrival. */
  readonly asked: string[] = [];
  /** What was sent to be created, as it was sent. */
  readonly sent: StoredObject[] = [];
  readonly pods = new Map<string, StoredObject>();
  readonly secrets = new Map<string, StoredObject>();
  namespaceExists = true;
  fate: Fate = running;
  log = "";
  /** Whether it answers at all. */
  silent = false;
  /** By what is asked, such as `POST pods`: the status and what is said. */
  readonly refusing = new Map<string, { readonly code: number; readonly reason: string; readonly message: string }>();
  /** Whether each answer is that it has a fault of its own. */
  failing = false;
  readonly #folder = mkdtempSync(join(tmpdir(), "api-"));
  readonly #watchers = new Set<ServerResponse>();
  readonly #server = createServer((request, response) => void this.#serve(request, response));
  readonly #events: { readonly version: number; readonly line: string }[] = [];
  #versions = 100;

  static async start(): Promise<ApiServer> {
    const server = new ApiServer();
    await new Promise<void>((resolve) => server.#server.listen(0, "127.0.0.1", resolve));
    server.writeKubeconfig(server.kubeconfig);
    return server;
  }

  get kubeconfig(): string {
    return join(this.#folder, "config");
  }

  async end(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
    rmSync(this.#folder, { recursive: true });
  }

  /** As if another one had made it. */
  putPod(pod: StoredObject, fate: Fate): StoredObject {
    const stored = { ...this.#stamped(pod), status: fate(pod) ?? {} };
    this.pods.set(pod.metadata.name, stored);
    return stored;
  }

  /** One that leads here. `user` as such files have it. */
  writeKubeconfig(path: string, user: object = {}): void {
    const { port } = this.#server.address() as AddressInfo;
    const config = {
      apiVersion: "v1",
      kind: "Config",
      "current-context": "test",
      contexts: [{ name: "test", context: { cluster: "test", user: "test" } }],
      clusters: [{ name: "test", cluster: { server: `http://127.0.0.1:${port}` } }],
      users: [{ name: "test", user }],
    };
    writeFileSync(path, JSON.stringify(config));
  }

  #stamped(object: StoredObject): StoredObject {
    this.#versions += 1;
    const version = String(this.#versions);
    const metadata = {
      creationTimestamp: "2030-01-01T00:00:00Z",
      ...object.metadata,
      uid: `u${version}`,
      resourceVersion: version,
    };
    return { ...object, metadata };
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "", "http://test");
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece as Buffer);
    const body = Buffer.concat(pieces).toString("utf8");
    const [, resource = "namespaces", name, part] =
      /\/(pods|secrets|events)(?:\/([^/]+))?(?:\/(log))?$/.exec(url.pathname) ?? [];
    const watches = url.searchParams.get("watch") !== null;
    this.asked.push(`${watches ? "WATCH" : (request.method ?? "")} ${part ?? resource}`);
    if (this.silent) return;
    const refusal = this.refusing.get(this.asked.at(-1) ?? "");
    if (refusal !== undefined) return answer(response, refusal.code, { kind: "Status", status: "Failure", ...refusal });
    if (this.failing) return failure(response, 503, "ServiceUnavailable", {});
    if (part === "log") return void response.writeHead(200, { "content-type": "text/plain" }).end(this.log);
    if (resource === "namespaces") return this.#makeNamespace(response, body);
    if (resource === "events")
      return answer(response, 200, { kind: "EventList", metadata: { resourceVersion: "1" }, items: [] });
    const objects = resource === "pods" ? this.pods : this.secrets;
    if (watches) return this.#watch(response, Number(url.searchParams.get("resourceVersion")));
    if (request.method === "POST") return this.#create(response, objects, JSON.parse(body) as StoredObject);
    if (request.method === "DELETE")
      return this.#remove(response, objects, name ?? "", JSON.parse(body) as { preconditions: object });
    if (name !== undefined) {
      const found = objects.get(name);
      return found === undefined
        ? failure(response, 404, "NotFound", { kind: resource, name })
        : answer(response, 200, found);
    }
    const wanted = new URLSearchParams((url.searchParams.get("labelSelector") ?? "").replaceAll(",", "&"));
    const items = [...objects.values()].filter((one) =>
      [...wanted].every(([key, value]) => one.metadata.labels?.[key] === value),
    );
    answer(response, 200, { kind: "List", metadata: { resourceVersion: String(this.#versions) }, items });
  }

  #makeNamespace(response: ServerResponse, body: string): void {
    this.namespaceExists = true;
    answer(response, 201, JSON.parse(body) as object);
  }

  #watch(response: ServerResponse, from: number): void {
    response.writeHead(200, { "content-type": "application/json" }).flushHeaders();
    for (const { version, line } of this.#events) if (version > from) response.write(line);
    this.#watchers.add(response);
    response.once("close", () => this.#watchers.delete(response));
    for (const pod of this.pods.values()) this.#become(pod);
  }

  #become(pod: StoredObject): void {
    const status = this.fate(pod);
    if (status === null) return;
    const stored = { ...this.#stamped(pod), status };
    const { uid = "" } = pod.metadata;
    const object = { ...stored, metadata: { ...stored.metadata, uid } };
    this.pods.set(pod.metadata.name, object);
    this.#tell("MODIFIED", object);
  }

  #tell(type: string, object: object): void {
    this.#versions += 1;
    const line = `${JSON.stringify({ type, object })}\n`;
    this.#events.push({ version: this.#versions, line });
    for (const watcher of this.#watchers) watcher.write(line);
  }

  #create(response: ServerResponse, objects: Map<string, StoredObject>, object: StoredObject): void {
    const { name } = object.metadata;
    if (!this.namespaceExists) return failure(response, 404, "NotFound", { kind: "namespaces", name: "team" });
    if (objects.has(name)) return failure(response, 409, "AlreadyExists", { name });
    this.sent.push(object);
    const stored = this.#stamped(object);
    objects.set(name, objects === this.pods ? { ...stored, status: pulling(stored) ?? {} } : stored);
    answer(response, 201, { kind: "PartialObjectMetadata", apiVersion: "meta.k8s.io/v1", metadata: stored.metadata });
  }

  #remove(
    response: ServerResponse,
    objects: Map<string, StoredObject>,
    name: string,
    { preconditions }: { preconditions: object },
  ): void {
    const found = objects.get(name);
    if (found === undefined) return failure(response, 404, "NotFound", { name });
    const { uid, resourceVersion } = found.metadata;
    if (JSON.stringify(preconditions) !== JSON.stringify({ uid, resourceVersion }))
      return failure(response, 409, "Conflict", { name });
    objects.delete(name);
    answer(response, 200, { kind: "Status", status: "Success" });
    this.#tell("DELETED", found);
  }
}

function answer(response: ServerResponse, code: number, body: object): void {
  response
    .writeHead(code, { "content-type": "application/json", date: "Tue, 01 Jan 2030 00:00:05 GMT" })
    .end(JSON.stringify(body));
}

function failure(response: ServerResponse, code: number, reason: string, details: object): void {
  answer(response, code, { kind: "Status", status: "Failure", code, reason, message: reason, details });
}
