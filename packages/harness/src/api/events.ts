/** Server-sent events to whoever listens: `drain` and a bundle that waits are told at once to those who come later. */
import type { ServerResponse } from "node:http";
import type { BundleAtHand } from "../live-catalog.ts";

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

  /** False when too many listen. `staged`: what waits for the next turn, if anything does. */
  add(response: ServerResponse, staged: BundleAtHand | null): boolean {
    if (this.#listeners.size >= listenersAtMost) return false;
    this.#listeners.add(response);
    response.once("close", () => this.#listeners.delete(response));
    response.writeHead(200, { "Content-Type": "text/event-stream", "Cache-Control": "no-store" });
    // Something must be sent, or a client would wait for the headers.
    response.write(": listening\n\n");
    if (this.#drain !== null) response.write(encode("drain", this.#drain));
    if (staged !== null) response.write(encode("staged", staged));
    return true;
  }

  drain(drain: Drain): void {
    this.#drain = drain;
    this.#send("drain", drain);
  }

  bundle(event: "staged" | "switched", bundle: BundleAtHand): void {
    this.#send(event, bundle);
  }

  #send(event: string, data: object): void {
    for (const response of this.#listeners) response.write(encode(event, data));
  }
}

function encode(event: string, data: object): string {
  return `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}
