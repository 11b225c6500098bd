/** Server-sent events to whoever listens: one `drain`, at once for those who come after it. */
import type { ServerResponse } from "node:http";

export interface Drain {
  /** ISO 8601. */
  readonly since: string;
  /** Milliseconds that turns in flight have, from `since`. */
  readonly drainMs: number;
}

const listenersAtMost = 32;

export class Events {
  readonly #listeners = new Set<ServerResponse>();
  #drain: Drain | null = null;

  /** False when too many listen. */
  add(response: ServerResponse): boolean {
    if (this.#listeners.size >= listenersAtMost) return false;
    this.#listeners.add(response);
    response.once("close", () => this.#listeners.delete(response));
    response.writeHead(200, { "Content-Type": "text/event-stream", "Cache-Control": "no-store" });
    // Something must be sent, or a client would wait for the headers.
    response.write(": listening\n\n");
    if (this.#drain !== null) response.write(encode("drain", this.#drain));
    return true;
  }

  drain(drain: Drain): void {
    this.#drain = drain;
    for (const response of this.#listeners) response.write(encode("drain", drain));
  }
}

function encode(event: string, data: object): string {
  return `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}
