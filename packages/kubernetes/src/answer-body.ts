/** The body of an answer: whole, or piece by piece for as long as it comes; every way in which it can end early is a value. */
import type { IncomingMessage } from "node:http";
import type { Abort } from "@moorage/core";
import { describeFailure } from "./network-failure.ts";

/** Bytes; a list of ten thousand pods has less. */
const longestBody = 256 << 20;

/** Why there are no more pieces, when the other side said so itself. */
export const serverEnded = "the server ended it";

export type Body =
  | { readonly kind: "whole"; readonly text: string }
  | { readonly kind: "cut"; readonly detail: string };

export async function readBody(response: IncomingMessage): Promise<Body> {
  const pieces: Buffer[] = [];
  let size = 0;
  try {
    for await (const piece of response as AsyncIterable<Buffer>) {
      size += piece.length;
      if (size > longestBody) return { kind: "cut", detail: "the answer is too long" };
      pieces.push(piece);
    }
  } catch (error) {
    return { kind: "cut", detail: describeFailure(error).detail };
  }
  return { kind: "whole", text: Buffer.concat(pieces).toString("utf8") };
}

/** The pieces as they come. Returns, in words, why there are no more; leaving the loop, or the signal, closes the connection. */
export async function* readChunks(
  response: IncomingMessage,
  idleMs: number,
  signal: Abort,
): AsyncGenerator<Uint8Array, string> {
  const pieces = (response as AsyncIterable<Buffer>)[Symbol.asyncIterator]();
  let silent = false;
  const abort = (): void => void response.destroy();
  if (signal.aborted) abort();
  signal.addEventListener("abort", abort);
  try {
    for (;;) {
      // It runs only while we wait: a reader that takes its time is not the server's silence.
      const timer = setTimeout(() => {
        silent = true;
        response.destroy();
      }, idleMs);
      const next = await pieces.next().finally(() => clearTimeout(timer));
      if (next.done === true) return silent ? silence(idleMs) : serverEnded;
      yield next.value;
    }
  } catch (error) {
    return silent ? silence(idleMs) : describeFailure(error).detail;
  } finally {
    signal.removeEventListener("abort", abort);
    response.destroy();
  }
}

function silence(idleMs: number): string {
  return `nothing came for ${idleMs / 1000} s`;
}
