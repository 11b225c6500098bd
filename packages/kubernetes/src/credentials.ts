/** Who we are to the API server, always as fresh as it has to be: files are read again, plugins run again when their credential is over. */
import { readFile } from "node:fs/promises";
import type { ClusterAccess, Source } from "./cluster-access.ts";
import { ClusterError } from "./cluster-error.ts";
import { codeOf } from "./error-code.ts";
import type { PluginCredential } from "./exec-plugin.ts";
import { runPlugin } from "./exec-plugin.ts";
import { openRareSignIn } from "./rare-access.ts";

export interface Certificate {
  readonly certificate: Uint8Array;
  readonly key: Uint8Array;
}

/** What a request carries. Never to be logged, nor put into an error. */
export interface Credential {
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly certificate: Certificate | null;
  /** What the server's certificate is checked against; null: what the system trusts. */
  readonly authority: Uint8Array | null;
}

export interface CredentialsOptions {
  /** What a plugin inherits. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** Milliseconds for which the content of a file is believed. A kubelet renews a pod's token long before it is over. */
const fileAgeMs = 10_000;
/** Milliseconds before its end from which a plugin's credential is not used any more. */
const marginMs = 5_000;

export class Credentials {
  readonly #access: ClusterAccess;
  readonly #options: CredentialsOptions;
  readonly #files = new Map<string, { readonly bytes: Buffer; readonly readAt: number }>();
  #plugin: PluginCredential | null = null;
  #running: Promise<PluginCredential> | null = null;
  #rare: Promise<() => Promise<PluginCredential>> | null = null;
  #last: Credential | null = null;

  constructor(access: ClusterAccess, options: CredentialsOptions) {
    this.#access = access;
    this.#options = options;
  }

  /** The same object as long as nothing has changed. Throws a `ClusterError` that names what is missing. */
  async current(): Promise<Credential> {
    const { user, authority } = this.#access;
    const trusted = authority === null ? null : await this.#bytes(authority);
    const plugin = user.exec === null && user.rare === null ? null : await this.#fromPlugin(trusted);
    const token = plugin?.token ?? (user.token === null ? null : (await this.#bytes(user.token)).toString("utf8"));
    const made: Credential = {
      headers: { ...this.#authorization(token), ...impersonation(this.#access) },
      certificate: plugin?.certificate ?? (await this.#certificate()),
      authority: trusted,
    };
    if (this.#last === null || !same(this.#last, made)) this.#last = made;
    return this.#last;
  }

  /** The server did not accept this one (401). True when a fresh look has found another: worth one more try. */
  async renew(refused: Credential): Promise<boolean> {
    if (this.#last === refused) {
      this.#files.clear();
      this.#plugin = null;
    }
    return (await this.current()) !== refused;
  }

  #authorization(token: string | null): Record<string, string> {
    const { basic, name } = this.#access.user;
    if (token !== null) {
      const text = token.trim();
      // Node would name the header in its error, and with a line break the text could end it.
      if (!/^[\x21-\x7e]+$/.test(text))
        throw unreadable(`the token of ${name} is empty or has characters that no token has`);
      return { Authorization: `Bearer ${text}` };
    }
    if (basic === null) return {};
    return { Authorization: `Basic ${Buffer.from(`${basic.username}:${basic.password}`).toString("base64")}` };
  }

  async #certificate(): Promise<Certificate | null> {
    const { certificate } = this.#access.user;
    if (certificate === null) return null;
    return { certificate: await this.#bytes(certificate.certificate), key: await this.#bytes(certificate.key) };
  }

  async #fromPlugin(authority: Uint8Array | null): Promise<PluginCredential> {
    const held = this.#plugin;
    if (held !== null && (held.expiresAt === null || held.expiresAt - marginMs > this.#options.now())) return held;
    // However many requests wait for it, one run serves them all.
    this.#running ??= this.#obtain(authority).finally(() => {
      this.#running = null;
    });
    this.#plugin = await this.#running;
    return this.#plugin;
  }

  async #obtain(authority: Uint8Array | null): Promise<PluginCredential> {
    const { exec, rare, name } = this.#access.user;
    if (exec !== null) return runPlugin(exec, this.#access, authority, this.#options.env);
    if (rare === null) throw new Error("nothing gives a credential to this user");
    // Kept for good: what it was given in place of a refresh token is nowhere else.
    this.#rare ??= openRareSignIn(rare, name);
    return (await this.#rare)();
  }

  async #bytes(source: Source): Promise<Buffer> {
    if (source.kind === "data") return Buffer.from(source.bytes);
    const now = this.#options.now();
    const held = this.#files.get(source.path);
    if (held !== undefined && Math.abs(now - held.readAt) < fileAgeMs) return held.bytes;
    try {
      const bytes = await readFile(source.path);
      this.#files.set(source.path, { bytes, readAt: now });
      return bytes;
    } catch (error) {
      throw unreadable(`${source.path} cannot be read (${codeOf(error)}), and ${this.#access.user.name} needs it`);
    }
  }
}

/** The headers of user impersonation (Kubernetes API reference, "User impersonation"). */
function impersonation({ user: { impersonate } }: ClusterAccess): Record<string, string | string[]> {
  if (impersonate === null) return {};
  const headers: Record<string, string | string[]> = { "Impersonate-User": impersonate.user };
  if (impersonate.uid !== null) headers["Impersonate-Uid"] = impersonate.uid;
  if (impersonate.groups.length > 0) headers["Impersonate-Group"] = [...impersonate.groups];
  for (const [key, values] of Object.entries(impersonate.extra)) {
    headers[`Impersonate-Extra-${encodeURIComponent(key.toLowerCase())}`] = [...values];
  }
  return headers;
}

function same(one: Credential, other: Credential): boolean {
  const equal = (a: Uint8Array | null, b: Uint8Array | null): boolean =>
    a === null || b === null ? a === b : Buffer.compare(a, b) === 0;
  return (
    JSON.stringify(one.headers) === JSON.stringify(other.headers) &&
    equal(one.authority, other.authority) &&
    equal(one.certificate?.certificate ?? null, other.certificate?.certificate ?? null) &&
    equal(one.certificate?.key ?? null, other.certificate?.key ?? null)
  );
}

function unreadable(message: string): ClusterError {
  return new ClusterError(
    "credentialsUnreadable",
    message,
    "let your provider's tool write the kubeconfig again, and check who may read the file",
  );
}
