/** The rare ways to a cluster: what a client library knows and we do not. It is loaded here alone, and only when a kubeconfig asks for one of them. */
import type { Agent as HttpAgent } from "node:http";
import type { RequestOptions } from "node:https";
import type { KubeConfig } from "@kubernetes/client-node";
import type { ClusterAccess, RareSignIn } from "./cluster-access.ts";
import { ClusterError } from "./cluster-error.ts";
import type { Credential } from "./credentials.ts";
import { codeOf } from "./error-code.ts";
import type { PluginCredential } from "./exec-plugin.ts";
import { fieldsOf, parseFields, textOf } from "./json-fields.ts";

/** The version that this code was tried with. */
const library = "@kubernetes/client-node@2.0.1";

/**
 * Signs in as the library does. The result asks for a credential: the one that is held as long as the library thinks
 * that it is good. Throws a `ClusterError` without any text of the library's, which may quote a token.
 */
export async function openRareSignIn(rare: RareSignIn, name: string): Promise<() => Promise<PluginCredential>> {
  const config = await loadKubeConfig(rare.what);
  // The library refuses to make an agent for plain HTTP; what it would talk to is not its business here.
  config.loadFromClusterAndUser(
    { name: "cluster", server: "https://localhost", skipTLSVerify: false },
    { name, ...rare.user },
  );
  return async () => {
    const options: RequestOptions = { headers: {} };
    try {
      await config.applyToHTTPSOptions(options);
    } catch {
      throw failed(`${name} cannot sign in through ${rare.what}`);
    }
    const token = bearer(fieldsOf(options.headers)["Authorization"]);
    const certificate = certificateOf(options);
    if (token === null && certificate === null) throw failed(`${rare.what} gave nothing to sign in with for ${name}`);
    return { token, certificate, expiresAt: token === null ? null : endOf(rare, token) };
  };
}

/** An agent that goes through the access's proxy, and keeps its connections for `unusedMs` milliseconds. */
export async function openProxyAgent(
  access: ClusterAccess,
  { authority, certificate }: Credential,
  unusedMs: number,
): Promise<HttpAgent> {
  const config = await loadKubeConfig("a proxy in the kubeconfig (proxy-url)");
  const encoded = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64");
  config.loadFromClusterAndUser(
    {
      name: "cluster",
      server: access.server,
      skipTLSVerify: access.insecure,
      proxyUrl: access.proxy ?? "",
      ...(access.serverName === null ? {} : { tlsServerName: access.serverName }),
      ...(authority === null ? {} : { caData: encoded(authority) }),
    },
    {
      name: "user",
      ...(certificate === null
        ? {}
        : { certData: encoded(certificate.certificate), keyData: encoded(certificate.key) }),
    },
  );
  const options: RequestOptions = { headers: {}, timeout: unusedMs };
  await config.applyToHTTPSOptions(options);
  // The library makes one that opens a connection for each request.
  return Object.assign(options.agent as HttpAgent, { keepAlive: true, maxFreeSockets: 32 });
}

async function loadKubeConfig(what: string): Promise<KubeConfig> {
  try {
    const { KubeConfig } = await import("@kubernetes/client-node");
    return new KubeConfig();
  } catch (error) {
    throw new ClusterError(
      "clientLibraryMissing",
      `${what} needs the package @kubernetes/client-node, which cannot be loaded (${codeOf(error)})`,
      `install it beside this program: \`npm install --global ${library}\`; or let your provider's tool write a credential plugin`,
    );
  }
}

function certificateOf({ cert, key }: RequestOptions): PluginCredential["certificate"] {
  const bytes = (value: unknown): Uint8Array | null =>
    typeof value === "string" || value instanceof Uint8Array ? Buffer.from(value as string) : null;
  const [certificate, secret] = [bytes(cert), bytes(key)];
  return certificate === null || secret === null ? null : { certificate, key: secret };
}

function bearer(header: unknown): string | null {
  return textOf(typeof header === "string" ? header.replace(/^Bearer /, "") : null);
}

/** When it is over, in milliseconds since 1970, by what the library wrote down or by the token itself; null: nobody says. */
function endOf(rare: RareSignIn, token: string): number | null {
  const { expiry } = fieldsOf(fieldsOf(rare.user["authProvider"])["config"]);
  const written = Date.parse(textOf(expiry) ?? "");
  if (!Number.isNaN(written)) return written;
  const claims = parseFields(Buffer.from(token.split(".")[1] ?? "", "base64url").toString("utf8"));
  const end = claims?.["exp"];
  return typeof end === "number" ? end * 1000 : null;
}

function failed(message: string): ClusterError {
  return new ClusterError(
    "signInFailed",
    message,
    "sign in again with your provider's tool; better, let it write a credential plugin (users[].user.exec)",
  );
}
