/** A harness as far as an agent can tell: answers on a Unix socket and remembers what it was asked. */
import { mkdtempSync, rmSync } from "node:fs";
import http from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface Answer {
  readonly status: number;
  readonly body: object;
}

export class FakeHarness {
  readonly directory: string = mkdtempSync(join(tmpdir(), "agent-"));
  readonly socket: string = join(this.directory, "socket");
  /** "METHOD path body", in order; the event stream is left out. */
  readonly asked: string[] = [];
  answers: { [request: string]: Answer } = {};
  catalog: string | null = null;
  #server: http.Server | null = null;
  #streams: http.ServerResponse[] = [];
  #turns = 0;

  async start(): Promise<void> {
    const server = http.createServer((request, response) => void this.#answer(request, response));
    this.#server = server;
    await new Promise<void>((resolve) => server.listen(this.socket, resolve));
  }

  drain(drainMs: number): void {
    for (const stream of this.#streams)
      stream.write(`event: drain\ndata: ${JSON.stringify({ since: "2026-01-31T12:00:00.000Z", drainMs })}\n\n`);
  }

  bundle(event: "staged" | "switched", bundle: object): void {
    for (const stream of this.#streams) stream.write(`event: ${event}\ndata: ${JSON.stringify(bundle)}\n\n`);
  }

  get listeners(): number {
    return this.#streams.length;
  }

  /** Goes away as a socket does that somebody cleaned up. */
  async stop(): Promise<void> {
    const server = this.#server;
    this.#server = null;
    this.#streams = [];
    server?.closeAllConnections();
    await new Promise<void>((resolve) => (server === null ? resolve() : server.close(() => resolve())));
  }

  async clear(): Promise<void> {
    await this.stop();
    rmSync(this.directory, { recursive: true });
  }

  async #answer(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    if (request.url === "/v1/events") {
      response.writeHead(200, { "Content-Type": "text/event-stream" });
      response.write(": listening\n\n");
      this.#streams.push(response);
      return;
    }
    const line = `${request.method ?? ""} ${request.url ?? ""}`;
    this.asked.push(`${line} ${Buffer.concat(chunks).toString("utf8")}`.trim());
    const { status, body } = this.answers[line] ?? this.#usual(line);
    response.writeHead(status, { "Content-Type": "application/json" });
    response.end(JSON.stringify(body));
  }

  #usual(line: string): Answer {
    if (line !== "POST /v1/turns") return { status: 200, body: {} };
    this.#turns += 1;
    return { status: 201, body: { id: `t${this.#turns}`, catalog: this.catalog } };
  }
}

const patienceMs = 5_000;

export async function until(holds: () => boolean): Promise<void> {
  const deadline = performance.now() + patienceMs;
  while (!holds()) {
    if (performance.now() > deadline) throw new Error(`it did not become so within ${patienceMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
