/** Kubeconfig files to how a cluster is reached: several are merged as kubectl does it, and what is not supported is refused by its name. */
import { dirname, resolve } from "node:path";
import { parse } from "yaml";
import type { ClusterAccess, ExecPlugin, Source, UserAccess } from "./cluster-access.ts";
import { ClusterError } from "./cluster-error.ts";
import type { Fields } from "./json-fields.ts";
import { fieldsOf, isFields, listOf, textOf } from "./json-fields.ts";

/** One file as it was read. */
export interface KubeconfigFile {
  readonly path: string;
  readonly text: string;
}

/** An entry, and the folder that its relative paths start from. */
interface Entry {
  readonly fields: Fields;
  readonly folder: string;
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
    context: name,
    ...readCluster(cluster, clusterName, where),
    namespace: choice.namespace ?? textOf(context.fields["namespace"]) ?? "default",
    user: user === undefined ? anonymous : readUser(user, userName ?? "", where),
  };
}

const anonymous: UserAccess = {
  name: "nobody",
  token: null,
  basic: null,
  certificate: null,
  exec: null,
  impersonate: null,
};

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
): Pick<ClusterAccess, "server" | "authority" | "insecure" | "serverName"> {
  if (textOf(fields["proxy-url"]) !== null) {
    throw new ClusterError(
      "clusterUnsupported",
      `${where}: the cluster "${name}" is reached through a proxy (proxy-url), which is not supported`,
      "use a context that reaches the API server directly, for instance through a tunnel",
    );
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
  };
}

function readUser({ fields, folder }: Entry, name: string, where: string): UserAccess {
  const provider = textOf(fieldsOf(fields["auth-provider"])["name"]);
  if (provider !== null) {
    throw new ClusterError(
      "clusterUnsupported",
      `${where}: the user "${name}" signs in through the auth provider "${provider}", which Kubernetes has given up`,
      "use a credential plugin (users[].user.exec), a token or a certificate; your provider's tool writes one",
    );
  }
  const certificate = source(fields, "client-certificate", folder, where);
  const key = source(fields, "client-key", folder, where);
  if ((certificate === null) !== (key === null)) {
    throw invalid(where, `the user "${name}" has only one of client certificate and client key`);
  }
  const username = textOf(fields["username"]);
  return {
    name,
    token: tokenSource(fields, folder),
    basic: username === null ? null : { username, password: textOf(fields["password"]) ?? "" },
    certificate: certificate === null || key === null ? null : { certificate, key },
    exec: fields["exec"] === undefined ? null : readExec(fieldsOf(fields["exec"]), folder, name, where),
    impersonate: readImpersonation(fields),
  };
}

/** A token file wins over the token beside it: the token may be an old copy. */
function tokenSource(fields: Fields, folder: string): Source | null {
  const file = textOf(fields["tokenFile"]);
  if (file !== null) return { kind: "file", path: resolve(folder, file) };
  const token = textOf(fields["token"]);
  return token === null ? null : { kind: "data", bytes: Buffer.from(token) };
}

function readImpersonation(fields: Fields): UserAccess["impersonate"] {
  const user = textOf(fields["as"]);
  if (user === null) return null;
  const extra: Record<string, readonly string[]> = {};
  for (const [key, values] of Object.entries(fieldsOf(fields["as-user-extra"]))) extra[key] = texts(values);
  return { user, uid: textOf(fields["as-uid"]), groups: texts(fields["as-groups"]), extra };
}

function readExec(fields: Fields, folder: string, user: string, where: string): ExecPlugin {
  const command = textOf(fields["command"]);
  if (command === null) throw invalid(where, `the credential plugin of the user "${user}" has no command`);
  const apiVersion = textOf(fields["apiVersion"]);
  if (apiVersion !== "client.authentication.k8s.io/v1" && apiVersion !== "client.authentication.k8s.io/v1beta1") {
    throw new ClusterError(
      "clusterUnsupported",
      `${where}: the credential plugin "${command}" of the user "${user}" speaks ${apiVersion ?? "no version"}`,
      "let your provider's tool write the kubeconfig again, with client.authentication.k8s.io/v1",
    );
  }
  if (textOf(fields["interactiveMode"]) === "Always") {
    throw new ClusterError(
      "clusterUnsupported",
      `${where}: the credential plugin "${command}" of the user "${user}" wants to talk to a person each time`,
      "sign in with your provider's tool first, and let it write a plugin that needs nobody",
    );
  }
  const env: Record<string, string> = {};
  for (const item of listOf(fields["env"]).map(fieldsOf)) {
    const name = textOf(item["name"]);
    if (name !== null) env[name] = textOf(item["value"]) ?? "";
  }
  return {
    apiVersion,
    // As kubectl has it: a command with a slash in it is relative to the file, a bare name is looked for in PATH.
    command: command.includes("/") ? resolve(folder, command) : command,
    args: texts(fields["args"]),
    env,
    installHint: textOf(fields["installHint"]),
    provideClusterInfo: flag(fields["provideClusterInfo"]),
  };
}

function source(fields: Fields, key: string, folder: string, where: string): Source | null {
  const data = textOf(fields[`${key}-data`]);
  if (data !== null) {
    const compact = data.replace(/\s+/g, "");
    if (!/^[A-Za-z0-9+/]+={0,2}$/.test(compact)) throw invalid(where, `${key}-data is no base64`);
    return { kind: "data", bytes: Buffer.from(compact, "base64") };
  }
  const file = textOf(fields[key]);
  return file === null ? null : { kind: "file", path: resolve(folder, file) };
}

function texts(value: unknown): string[] {
  return listOf(value).filter((item) => typeof item === "string");
}

function flag(value: unknown): boolean {
  return typeof value === "string" && value.toLowerCase() === "true";
}

function contextsHint({ contexts }: Kubeconfig): string {
  const names = [...contexts.keys()];
  return names.length === 0
    ? "add a context, or name another file with KUBECONFIG"
    : `choose one with \`--context\`: ${names.join(", ")}`;
}

function invalid(where: string, what: string): ClusterError {
  return new ClusterError(
    "kubeconfigInvalid",
    `${where}: ${what}`,
    "correct the kubeconfig, or name another with KUBECONFIG",
  );
}
