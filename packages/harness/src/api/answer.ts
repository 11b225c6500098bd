/** Answers of the socket's API: JSON, bytes, and errors with code, message and hint. */
import type { IncomingMessage, ServerResponse } from "node:http";

export type Answer =
  | { readonly kind: "json"; readonly status: 200 | 201 | 202; readonly body: object }
  | { readonly kind: "bytes"; readonly body: Buffer }
  /** The answer goes on as an event stream, which the route has taken over. */
  | { readonly kind: "stream" }
  | ErrorAnswer;

export interface ErrorAnswer {
  readonly kind: "error";
  readonly status: 400 | 404 | 405 | 409 | 413 | 429 | 431 | 500;
  readonly code: string;
  readonly message: string;
  readonly hint: string;
  readonly allow?: readonly string[];
}

export function refuse(status: ErrorAnswer["status"], code: string, message: string, hint: string): ErrorAnswer {
  return { kind: "error", status, code, message, hint };
}

export function send(response: ServerResponse, answer: Answer): void {
  if (answer.kind === "stream") return;
  const bytes = answer.kind === "bytes" ? answer.body : Buffer.from(JSON.stringify(bodyOf(answer)));
  response.writeHead(answer.kind === "bytes" ? 200 : answer.status, {
    "Content-Type": answer.kind === "bytes" ? "application/octet-stream" : "application/json",
    "Content-Length": bytes.length,
    ...(answer.kind === "error" && answer.allow !== undefined ? { Allow: answer.allow.join(", ") } : {}),
    // The rest of a body that is too long is never read.
    ...(answer.kind === "error" && answer.status === 413 ? { Connection: "close" } : {}),
  });
  response.end(bytes);
}

function bodyOf(answer: Extract<Answer, { kind: "json" | "error" }>): object {
  if (answer.kind === "json") return answer.body;
  return { kind: "Error", code: answer.code, message: answer.message, hint: answer.hint };
}

/** For what is not even a request: the whole answer as text for the bare socket. */
export function rawError(answer: ErrorAnswer, reason: string): string {
  const body = JSON.stringify(bodyOf(answer));
  return [
    `HTTP/1.1 ${answer.status} ${reason}`,
    "Content-Type: application/json",
    `Content-Length: ${Buffer.byteLength(body)}`,
    "Connection: close",
    "",
    body,
  ].join("\r\n");
}

/** Bytes of a request's body at most. */
const bodyAtMost = 65_536;

export type Body = { readonly kind: "body"; readonly value: unknown } | ErrorAnswer;

/** The JSON body of a request; undefined when it is empty. */
export async function readBody(request: IncomingMessage): Promise<Body> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > bodyAtMost)
      return refuse(413, "bodyTooLarge", `a body may have ${bodyAtMost} bytes at most`, "send less");
    chunks.push(chunk);
  }
  if (length === 0) return { kind: "body", value: undefined };
  try {
    return { kind: "body", value: JSON.parse(Buffer.concat(chunks).toString("utf8")) };
  } catch {
    return refuse(400, "notJson", "the body is not JSON", "send a JSON object, or no body");
  }
}
