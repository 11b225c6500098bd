/** Runs an exec credential plugin: what it is told, what its answer means, and what is said when it fails. */
import { spawn } from "node:child_process";
import type { ClusterAccess, ExecPlugin } from "./cluster-access.ts";
import { ClusterError } from "./cluster-error.ts";
import { fieldsOf, parseFields, textOf } from "./json-fields.ts";

export interface PluginCredential {
  readonly token: string | null;
  readonly certificate: { readonly certificate: Uint8Array; readonly key: Uint8Array } | null;
  /** Milliseconds since 1970; null: for as long as this process lives, or the server accepts it. */
  readonly expiresAt: number | null;
}

export interface PluginLimits {
  /** Milliseconds that it may take. A sign-in through a browser takes a person's time. */
  readonly timeoutMs: number;
  readonly longestAnswer: number;
}

const pluginLimits: PluginLimits = { timeoutMs: 120_000, longestAnswer: 1 << 20 };

/**
 * One run. `env` is what it inherits. Throws a `ClusterError` that names the plugin; neither what it printed nor its
 * arguments are in it, since both may carry a credential.
 */
export async function runPlugin(
  plugin: ExecPlugin,
  access: ClusterAccess,
  authority: Uint8Array | null,
  env: Readonly<Record<string, string | undefined>>,
  limits: PluginLimits = pluginLimits,
): Promise<PluginCredential> {
  const info = JSON.stringify({
    apiVersion: plugin.apiVersion,
    kind: "ExecCredential",
    spec: { interactive: false, ...(plugin.provideClusterInfo ? { cluster: clusterInfo(access, authority) } : {}) },
  });
  const output = await run(plugin, { ...env, ...plugin.env, KUBERNETES_EXEC_INFO: info }, limits);
  return readAnswer(plugin, output);
}

function clusterInfo(access: ClusterAccess, authority: Uint8Array | null): Record<string, unknown> {
  return {
    server: access.server,
    ...(authority === null ? {} : { "certificate-authority-data": Buffer.from(authority).toString("base64") }),
    ...(access.insecure ? { "insecure-skip-tls-verify": true } : {}),
    ...(access.serverName === null ? {} : { "tls-server-name": access.serverName }),
  };
}

function run(plugin: ExecPlugin, env: NodeJS.ProcessEnv, limits: PluginLimits): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(plugin.command, plugin.args, { env, stdio: ["ignore", "pipe", "ignore"] });
    // Whoever ends meanwhile leaves nothing behind that waits for a person.
    const end = (): void => void child.kill("SIGKILL");
    process.once("exit", end);
    const pieces: Buffer[] = [];
    let size = 0;
    let stopped: string | null = null;
    const stop = (why: string): void => {
      stopped ??= why;
      child.kill("SIGKILL");
      // A child of its own may hold the pipe open: nobody waits for that one.
      child.stdout.destroy();
    };
    const timer = setTimeout(() => stop(`gave no answer within ${limits.timeoutMs / 1000} s`), limits.timeoutMs);
    child.stdout.on("data", (piece: Buffer) => {
      size += piece.length;
      if (size > limits.longestAnswer) stop("answered with more than a credential");
      else pieces.push(piece);
    });
    child.once("error", (error: NodeJS.ErrnoException) => {
      clearTimeout(timer);
      process.removeListener("exit", end);
      reject(error.code === "ENOENT" ? missing(plugin) : failed(plugin, `cannot be run (${error.code ?? "unknown"})`));
    });
    child.once("close", (code, signal) => {
      clearTimeout(timer);
      process.removeListener("exit", end);
      if (stopped !== null) reject(failed(plugin, stopped));
      else if (code !== 0) reject(failed(plugin, `ended with ${signal ?? `exit code ${code ?? "unknown"}`}`));
      else resolve(Buffer.concat(pieces).toString("utf8"));
    });
  });
}

function readAnswer(plugin: ExecPlugin, output: string): PluginCredential {
  const answer = parseFields(output);
  if (answer === null) throw failed(plugin, "answered with something else than JSON");
  if (answer["apiVersion"] !== plugin.apiVersion) {
    throw failed(plugin, `answered in another version than ${plugin.apiVersion}`);
  }
  const status = fieldsOf(answer["status"]);
  const token = textOf(status["token"]);
  const certificate = textOf(status["clientCertificateData"]);
  const key = textOf(status["clientKeyData"]);
  if ((certificate === null) !== (key === null)) throw failed(plugin, "gave only one of certificate and key");
  if (token === null && certificate === null) throw failed(plugin, "gave neither a token nor a certificate");
  const expires = textOf(status["expirationTimestamp"]);
  const expiresAt = expires === null ? null : Date.parse(expires);
  return {
    token,
    certificate:
      certificate === null || key === null ? null : { certificate: Buffer.from(certificate), key: Buffer.from(key) },
    expiresAt: Number.isNaN(expiresAt) ? null : expiresAt,
  };
}

function missing({ command, installHint }: ExecPlugin): ClusterError {
  const told = installHint === null ? "" : `: ${installHint.trim().replace(/\s+/g, " ")}`;
  return new ClusterError(
    "credentialPluginMissing",
    `the credential plugin "${command}" is not installed`,
    `install ${command} so that PATH finds it${told}`,
  );
}

function failed({ command }: ExecPlugin, what: string): ClusterError {
  return new ClusterError(
    "credentialPluginFailed",
    `the credential plugin "${command}" ${what}`,
    `sign in again with your provider's tool, or run \`kubectl get pods\` to see what ${command} says`,
  );
}
