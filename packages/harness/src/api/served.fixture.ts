/** The API on a real socket in a folder of its own, over turns and a catalog that a test can see. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import http from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { BundleAtHand } from "../live-catalog.ts";
import type { TurnCatalog } from "../turns.ts";
import { Turns } from "../turns.ts";
import type { ApiServer } from "./server.ts";
import { serveApi } from "./server.ts";

export interface Reply {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: string;
}

export const at = "2026-01-31T12:00:00.000Z";

/** The bundle about which an answer is waited for. */
export const awaited: string = `sha256:${"a".repeat(64)}`;

export class Served {
  readonly directory: string = mkdtempSync(join(tmpdir(), "api-"));
  readonly path: string = join(this.directory, "run", "socket");
  readonly turns: Turns = new Turns(0);
  /** What reached the supervisor. */
  readonly told: unknown[] = [];
  catalogDir: string | null = join(this.directory, "catalog");
  /** What waits for the next turn. */
  staged: BundleAtHand | null = null;
  readonly #streams: http.ClientRequest[] = [];
  #server: ApiServer | null = null;

  async start(): Promise<void> {
    mkdirSync(join(this.directory, "catalog", "prompts"), { recursive: true });
    writeFileSync(join(this.directory, "catalog", "prompts", "sy stem.md"), "be kind");
    writeFileSync(join(this.directory, "catalog", "refers.md"), "with ${secret:NONE}");
    writeFileSync(join(this.directory, "secret"), "not yours");
    const catalogDir = (): string | null => this.catalogDir;
    this.#server = await serveApi(
      {
        get catalogDir() {
          return catalogDir();
        },
        variable: () => undefined,
        beginTurn: () => this.turns.begin(0, at, () => this.#catalog()),
        endTurn: (id, outcome) => this.turns.end(id, outcome, 1, at) !== null,
        findTurn: (id) => this.turns.find(id),
        answerBundle: (answer) => {
          this.told.push(answer);
          return answer.digest === awaited;
        },
        putHealth: (ok, detail) => {
          this.told.push({ ok, detail });
          return true;
        },
        poke: () => void this.told.push("poke"),
        onListener: () => {
          this.told.push("listener");
          return this.staged;
        },
      },
      this.path,
    );
  }

  #catalog(): TurnCatalog | null {
    return this.catalogDir === null ? null : { directory: this.catalogDir, hash: null };
  }

  get server(): ApiServer {
    if (this.#server === null) throw new Error("it was not started");
    return this.#server;
  }

  clear(): void {
    for (const stream of this.#streams) stream.destroy();
    this.#server?.close();
    rmSync(this.directory, { recursive: true });
  }

  async call(method: string, target: string, body?: string): Promise<Reply> {
    return await new Promise<Reply>((resolve, reject) => {
      // Node adds no length of its own to the body of a DELETE.
      const headers = body === undefined ? {} : { "Content-Length": Buffer.byteLength(body) };
      const options = { socketPath: this.path, method, path: target, headers, agent: false };
      const request = http.request(options, (response) => {
        let all = "";
        response.setEncoding("utf8").on("data", (text: string) => {
          all += text;
        });
        response.on("end", () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: all }));
      });
      request.on("error", reject);
      request.end(body);
    });
  }

  /** Listens to the events, and resolves with what came once `until` is in it. The stream stays open. */
  async listen(until: string): Promise<Reply> {
    return await new Promise<Reply>((resolve, reject) => {
      const request = http.request({ socketPath: this.path, path: "/v1/events", agent: false }, (response) => {
        let body = "";
        response.setEncoding("utf8").on("data", (text: string) => {
          body += text;
          if (body.includes(until)) resolve({ status: response.statusCode ?? 0, headers: response.headers, body });
        });
        response.on("error", () => undefined);
      });
      this.#streams.push(request);
      request.on("error", reject);
      request.end();
    });
  }
}

export function errorCode(body: string): unknown {
  return (JSON.parse(body) as { code?: unknown }).code;
}
