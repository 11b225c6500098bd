/** Where a kubeconfig is looked for: the files of KUBECONFIG, else the one of the home folder, else the inside of a pod. */
import { readFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import type { ClusterAccess } from "./cluster-access.ts";
import { ClusterError } from "./cluster-error.ts";
import { codeOf } from "./error-code.ts";
import type { Choice, KubeconfigFile } from "./kubeconfig.ts";
import { accessOf } from "./kubeconfig.ts";

export interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The user's home folder, or null. */
  readonly home: string | null;
  /** Where a pod's service account is mounted. Default: where the kubelet mounts it. */
  readonly serviceAccountDir?: string;
}

const serviceAccount = "/var/run/secrets/kubernetes.io/serviceaccount";

/** Throws a `ClusterError` when no cluster is described anywhere, or what describes it cannot be used. */
export function findAccess(surroundings: Surroundings, choice: Choice): ClusterAccess {
  const named = (surroundings.env["KUBECONFIG"] ?? "").split(delimiter).filter((path) => path !== "");
  const places =
    named.length > 0 ? named : surroundings.home === null ? [] : [join(surroundings.home, ".kube", "config")];
  const files = places.map(readIfThere).filter((file) => file !== null);
  if (files.length > 0) return accessOf(files, choice);
  const inside = named.length === 0 && choice.context === null ? insidePod(surroundings, choice) : null;
  if (inside !== null) return inside;
  throw new ClusterError(
    "kubeconfigMissing",
    places.length === 0 ? "no kubeconfig is known" : `there is no kubeconfig at ${places.join(", ")}`,
    "name one with KUBECONFIG; your cluster's provider or administrator writes it",
  );
}

/** A file of a list that is not there is passed over, as kubectl does it. */
function readIfThere(path: string): KubeconfigFile | null {
  try {
    return { path, text: readFileSync(path, "utf8") };
  } catch (error) {
    const code = codeOf(error);
    if (code === "ENOENT" || code === "ENOTDIR") return null;
    throw new ClusterError("kubeconfigUnreadable", `${path} cannot be read (${code})`, "check who may read the file");
  }
}

/** The cluster that we run in, by the service account that is mounted; null when we run in none. */
function insidePod({ env, serviceAccountDir = serviceAccount }: Surroundings, choice: Choice): ClusterAccess | null {
  const host = env["KUBERNETES_SERVICE_HOST"];
  const port = env["KUBERNETES_SERVICE_PORT"];
  if (host === undefined || host === "" || port === undefined || port === "") return null;
  const namespace = readIfThere(join(serviceAccountDir, "namespace"))?.text.trim();
  return {
    files: [],
    context: null,
    server: `https://${host.includes(":") ? `[${host}]` : host}:${port}`,
    authority: { kind: "file", path: join(serviceAccountDir, "ca.crt") },
    insecure: false,
    serverName: null,
    proxy: null,
    namespace: choice.namespace ?? (namespace === undefined || namespace === "" ? "default" : namespace),
    user: {
      name: "the pod's service account",
      token: { kind: "file", path: join(serviceAccountDir, "token") },
      basic: null,
      certificate: null,
      exec: null,
      rare: null,
      impersonate: null,
    },
  };
}
