/** Reads single fields of a kubeconfig's entries: files and bytes, flags, lists of texts; what is wrong is told with its place. */
import { resolve } from "node:path";
import type { Source } from "./cluster-access.ts";
import { ClusterError } from "./cluster-error.ts";
import type { Fields } from "./json-fields.ts";
import { listOf, textOf } from "./json-fields.ts";

/** An entry, and the folder that its relative paths start from. */
export interface Entry {
  readonly fields: Fields;
  readonly folder: string;
}

export function source(fields: Fields, key: string, folder: string, where: string): Source | null {
  const data = textOf(fields[`${key}-data`]);
  if (data !== null) {
    const compact = data.replace(/\s+/g, "");
    if (!/^[A-Za-z0-9+/]+={0,2}$/.test(compact)) throw invalid(where, `${key}-data is no base64`);
    return { kind: "data", bytes: Buffer.from(compact, "base64") };
  }
  const file = textOf(fields[key]);
  return file === null ? null : { kind: "file", path: resolve(folder, file) };
}

export function texts(value: unknown): string[] {
  return listOf(value).filter((item) => typeof item === "string");
}

export function flag(value: unknown): boolean {
  return typeof value === "string" && value.toLowerCase() === "true";
}

export function invalid(where: string, what: string): ClusterError {
  return new ClusterError(
    "kubeconfigInvalid",
    `${where}: ${what}`,
    "correct the kubeconfig, or name another with KUBECONFIG",
  );
}
