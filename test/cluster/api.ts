/** Requests to the cluster of this run as its administrator, in JSON: what tests plant, break and look at. */
import type { Json } from "@moorage/core";
import type { ThisCluster } from "./this-cluster.ts";
import { transportFor } from "./this-cluster.ts";

export interface Api {
  send(
    method: "GET" | "POST" | "PUT" | "DELETE",
    path: string,
    body?: Json,
  ): Promise<{ status: number; object: unknown }>;
  /** What is no JSON, such as a log; empty when it cannot be had. */
  text(path: string): Promise<string>;
  close(): void;
}

export function apiOf(cluster: ThisCluster): Api {
  const transport = transportFor(cluster.access());
  return {
    async send(method, path, body) {
      const answer = await transport.send({ method, path, ...(body === undefined ? {} : { body }) });
      if (answer.kind !== "answered") return { status: 0, object: null };
      try {
        return { status: answer.status, object: JSON.parse(answer.body) as unknown };
      } catch {
        return { status: answer.status, object: null };
      }
    },
    async text(path) {
      const answer = await transport.send({ method: "GET", path });
      return answer.kind === "answered" && answer.status === 200 ? answer.body : "";
    },
    close: () => transport.close(),
  };
}
