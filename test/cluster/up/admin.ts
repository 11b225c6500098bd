/** Requests to the test cluster as its administrator, apart from the code that is under test. */
import { readFileSync } from "node:fs";
import { request } from "node:https";
import type { Layout } from "./layout.ts";
import { tokens } from "./layout.ts";
import { pkiPaths } from "./pki.ts";

export interface AdminAnswer {
  /** 0: there was none. */
  readonly status: number;
  readonly body: string;
}

export function adminRequest(
  layout: Layout,
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE",
  path: string,
  body?: unknown,
): Promise<AdminAnswer> {
  const text = body === undefined ? null : JSON.stringify(body);
  const type = method === "PATCH" ? "application/merge-patch+json" : "application/json";
  return new Promise((resolve) => {
    const sent = request(
      {
        host: "127.0.0.1",
        port: layout.apiPort,
        method,
        path,
        agent: false,
        ca: readFileSync(pkiPaths(layout).authority),
        timeout: 10_000,
        headers: {
          Authorization: `Bearer ${tokens.admin}`,
          ...(text === null ? {} : { "Content-Type": type, "Content-Length": Buffer.byteLength(text) }),
        },
      },
      (response) => {
        let received = "";
        response.setEncoding("utf8");
        response.on("data", (piece: string) => (received += piece));
        response.on("end", () => resolve({ status: response.statusCode ?? 0, body: received }));
        response.on("error", () => resolve({ status: 0, body: "" }));
      },
    );
    sent.on("timeout", () => sent.destroy());
    sent.on("error", () => resolve({ status: 0, body: "" }));
    sent.end(text ?? undefined);
  });
}
