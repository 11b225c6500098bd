/** The user of a kubeconfig: with what it is told to the API server who asks. */
import { resolve } from "node:path";
import type { ExecPlugin, RareSignIn, Source, UserAccess } from "./cluster-access.ts";
import { ClusterError } from "./cluster-error.ts";
import type { Fields } from "./json-fields.ts";
import { fieldsOf, listOf, textOf } from "./json-fields.ts";
import type { Entry } from "./kubeconfig-fields.ts";
import { flag, invalid, source, texts } from "./kubeconfig-fields.ts";

export const anonymous: UserAccess = {
  name: "nobody",
  token: null,
  basic: null,
  certificate: null,
  exec: null,
  rare: null,
  impersonate: null,
};

/** The auth providers that @kubernetes/client-node knows. */
const libraryProviders: ReadonlySet<string> = new Set(["azure", "gcp", "oidc"]);

export function readUser({ fields, folder }: Entry, name: string, where: string): UserAccess {
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
    ...readSignIn(fields, folder, name, where),
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

/** Plugins of today are run by us; what Kubernetes has given up, auth providers and plugins of old, goes to the client library. */
function readSignIn(fields: Fields, folder: string, user: string, where: string): Pick<UserAccess, "exec" | "rare"> {
  const provider = fieldsOf(fields["auth-provider"]);
  const name = textOf(provider["name"]);
  if (name !== null) return { exec: null, rare: readProvider(name, provider, user, where) };
  if (fields["exec"] === undefined) return { exec: null, rare: null };
  const exec = fieldsOf(fields["exec"]);
  const command = commandOf(exec, folder, user, where);
  const apiVersion = textOf(exec["apiVersion"]);
  if (apiVersion === "client.authentication.k8s.io/v1alpha1") {
    const spoken = { command, args: texts(exec["args"]), env: listOf(exec["env"]).map(fieldsOf) };
    return {
      exec: null,
      rare: { what: `the credential plugin "${command}" of an old version`, user: { exec: spoken } },
    };
  }
  if (apiVersion !== "client.authentication.k8s.io/v1" && apiVersion !== "client.authentication.k8s.io/v1beta1") {
    throw new ClusterError(
      "clusterUnsupported",
      `${where}: the credential plugin "${command}" of the user "${user}" speaks ${apiVersion ?? "no version"}`,
      "let your provider's tool write the kubeconfig again, with client.authentication.k8s.io/v1",
    );
  }
  return { exec: readExec(exec, apiVersion, command), rare: null };
}

function readProvider(name: string, provider: Fields, user: string, where: string): RareSignIn {
  if (!libraryProviders.has(name)) {
    throw new ClusterError(
      "clusterUnsupported",
      `${where}: the user "${user}" signs in through the auth provider "${name}", which nobody supports any more`,
      "use a credential plugin (users[].user.exec), a token or a certificate; your provider's tool writes one",
    );
  }
  const config = { ...fieldsOf(provider["config"]) };
  return { what: `the auth provider "${name}"`, user: { authProvider: { name, config } } };
}

function commandOf(exec: Fields, folder: string, user: string, where: string): string {
  const command = textOf(exec["command"]);
  if (command === null) throw invalid(where, `the credential plugin of the user "${user}" has no command`);
  if (textOf(exec["interactiveMode"]) === "Always") {
    throw new ClusterError(
      "clusterUnsupported",
      `${where}: the credential plugin "${command}" of the user "${user}" wants to talk to a person each time`,
      "sign in with your provider's tool first, and let it write a plugin that needs nobody",
    );
  }
  // As kubectl has it: a command with a slash in it is relative to the file, a bare name is looked for in PATH.
  return command.includes("/") ? resolve(folder, command) : command;
}

function readExec(fields: Fields, apiVersion: ExecPlugin["apiVersion"], command: string): ExecPlugin {
  const env: Record<string, string> = {};
  for (const item of listOf(fields["env"]).map(fieldsOf)) {
    const name = textOf(item["name"]);
    if (name !== null) env[name] = textOf(item["value"]) ?? "";
  }
  return {
    apiVersion,
    command,
    args: texts(fields["args"]),
    env,
    installHint: textOf(fields["installHint"]),
    provideClusterInfo: flag(fields["provideClusterInfo"]),
  };
}
