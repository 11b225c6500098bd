/** Kubeconfig files to how a cluster is reached: several are merged as kubectl does it, and what is not supported is refused by its name. */
import { dirname } from "node:path";
import { parse } from "yaml";
import type { ClusterAccess } from "./cluster-access.ts";
import { ClusterError } from "./cluster-error.ts";
import type { Fields } from "./json-fields.ts";
import { fieldsOf, isFields, listOf, textOf } from "./json-fields.ts";
import type { Entry } from "./kubeconfig-fields.ts";
import { flag, invalid, source } from "./kubeconfig-fields.ts";
import { anonymous, readUser } from "./kubeconfig-user.ts";

/** One file as it was read. */
export interface KubeconfigFile {
  readonly path: string;
  readonly text: string;
}

interface Kubeconfig {
  readonly currentContext: string | null;
  readonly clusters: ReadonlyMap<string, Entry>;
  readonly contexts: ReadonlyMap<string, Entry>;
  readonly users: ReadonlyMap<string, Entry>;
}

export interface Choice {
  /** null: the current one. */
  readonly context: string | null;
  /** null: the context's, else `default`. */
  readonly namespace: string | null;
}

/** The access that the files describe. Throws a `ClusterError` that names the file, the context or the field. */
export function accessOf(files: readonly KubeconfigFile[], choice: Choice): ClusterAccess {
  const config = merge(files);
  const where = files.map(({ path }) => path).join(", ");
  const name = choice.context ?? config.currentContext;
  if (name === null) {
    throw new ClusterError("contextUnknown", `${where}: no context is the current one`, contextsHint(config));
  }
  const context = config.contexts.get(name);
  if (context === undefined) {
    throw new ClusterError("contextUnknown", `${where}: there is no context "${name}"`, contextsHint(config));
  }
  const clusterName = textOf(context.fields["cluster"]) ?? "";
  const cluster = config.clusters.get(clusterName);
  if (cluster === undefined)
    throw invalid(where, `the context "${name}" names the cluster "${clusterName}", which is not there`);
  const userName = textOf(context.fields["user"]);
  const user = userName === null ? undefined : config.users.get(userName);
  if (userName !== null && user === undefined) {
    throw invalid(where, `the context "${name}" names the user "${userName}", which is not there`);
  }
  return {
    files: files.map(({ path }) => path),
    context: name,
    ...readCluster(cluster, clusterName, where),
    namespace: choice.namespace ?? textOf(context.fields["namespace"]) ?? "default",
    user: user === undefined ? anonymous : readUser(user, userName ?? "", where),
  };
}

/** The first file that says something wins, entry by entry. */
function merge(files: readonly KubeconfigFile[]): Kubeconfig {
  const merged = {
    clusters: new Map<string, Entry>(),
    contexts: new Map<string, Entry>(),
    users: new Map<string, Entry>(),
  };
  let currentContext: string | null = null;
  for (const { path, text } of files) {
    const document = read(path, text);
    currentContext ??= textOf(document["current-context"]);
    for (const [list, field] of [
      ["clusters", "cluster"],
      ["contexts", "context"],
      ["users", "user"],
    ] as const) {
      for (const item of listOf(document[list])) {
        const name = textOf(fieldsOf(item)["name"]);
        if (name === null || merged[list].has(name)) continue;
        merged[list].set(name, { fields: fieldsOf(fieldsOf(item)[field]), folder: dirname(path) });
      }
    }
  }
  return { currentContext, ...merged };
}

function read(path: string, text: string): Fields {
  let value: unknown;
  try {
    // Every plain value stays a text: a context may be called `on`, a user `1e3`.
    value = parse(text, { schema: "failsafe", prettyErrors: true });
  } catch (error) {
    const line = error instanceof Error ? /at line (\d+)/.exec(error.message)?.[1] : undefined;
    throw invalid(path, `it is no YAML${line === undefined ? "" : ` (line ${line})`}`);
  }
  if (value === null || value === "") return {};
  if (!isFields(value)) throw invalid(path, "it is no mapping");
  return value;
}

function readCluster(
  { fields, folder }: Entry,
  name: string,
  where: string,
): Pick<ClusterAccess, "server" | "authority" | "insecure" | "serverName" | "proxy"> {
  const proxy = textOf(fields["proxy-url"]);
  if (proxy !== null && !/^(?:https?|socks[45]?[ah]?):$/.test(URL.parse(proxy)?.protocol ?? "")) {
    throw invalid(where, `the cluster "${name}" has a proxy-url that is no address of an HTTP or SOCKS proxy`);
  }
  const server = textOf(fields["server"]);
  if (server === null || !/^https?:$/.test(URL.parse(server)?.protocol ?? "")) {
    throw invalid(where, `the cluster "${name}" has no server address that begins with https:// or http://`);
  }
  return {
    server: server.replace(/\/+$/, ""),
    authority: source(fields, "certificate-authority", folder, where),
    insecure: flag(fields["insecure-skip-tls-verify"]),
    serverName: textOf(fields["tls-server-name"]),
    proxy,
  };
}

function contextsHint({ contexts }: Kubeconfig): string {
  const names = [...contexts.keys()];
  return names.length === 0
    ? "add a context, or name another file with KUBECONFIG"
    : `choose one with \`--context\`: ${names.join(", ")}`;
}
