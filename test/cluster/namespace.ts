/** A namespace of a test's own, taken away with everything in it. */
import { randomBytes } from "node:crypto";
import type { Api } from "./api.ts";
import { until } from "./up/run.ts";

export interface Namespace {
  readonly name: string;
  /** The path of its objects of one kind, or of one of them. */
  path(resource: string, name?: string): string;
  remove(): Promise<void>;
}

/** `made: false` only chooses its name. */
export async function ownNamespace(api: Api, made = true): Promise<Namespace> {
  const name = `moorage-test-${randomBytes(4).toString("hex")}`;
  const path = (resource: string, object?: string): string =>
    `/api/v1/namespaces/${name}/${resource}${object === undefined ? "" : `/${object}`}`;
  if (made) {
    await api.send("POST", "/api/v1/namespaces", { apiVersion: "v1", kind: "Namespace", metadata: { name } });
    await until(`${name} has its service account`, async () => {
      return (await api.send("GET", path("serviceaccounts", "default"))).status === 200;
    });
  }
  return {
    name,
    path,
    async remove() {
      const now = { apiVersion: "v1", kind: "DeleteOptions", gracePeriodSeconds: 0 };
      await api.send("DELETE", path("pods"), now);
      await api.send("DELETE", `/api/v1/namespaces/${name}`);
    },
  };
}
