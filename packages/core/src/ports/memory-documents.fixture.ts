/** Documents in memory for tests, and callers that are killed at one of their requests. */
import type { DocumentKind, Documents, StoredDocument } from "./documents.ts";

export class MemoryDocuments implements Documents {
  readonly #stored = new Map<string, { readonly text: string | null; readonly revision: number }>();

  async read(kind: DocumentKind, name: string): Promise<StoredDocument | null> {
    const found = this.#stored.get(`${kind}/${name}`);
    return found === undefined || found.text === null ? null : { name, text: found.text, revision: found.revision };
  }

  async list(kind: DocumentKind): Promise<StoredDocument[]> {
    const listed: StoredDocument[] = [];
    for (const key of [...this.#stored.keys()].sort()) {
      const document = key.startsWith(`${kind}/`) ? await this.read(kind, key.slice(kind.length + 1)) : null;
      if (document !== null) listed.push(document);
    }
    return listed;
  }

  async swap(kind: DocumentKind, name: string, seen: number | null, text: string | null): Promise<"swapped" | "moved"> {
    const key = `${kind}/${name}`;
    const found = this.#stored.get(key);
    const current = found === undefined || found.text === null ? null : found.revision;
    if (current !== seen) return "moved";
    this.#stored.set(key, { text, revision: (found?.revision ?? 0) + 1 });
    return "swapped";
  }
}

/** Kills its caller at the nth request: before it takes effect, or after it has and before the answer comes. */
export interface Fuse {
  readonly at: number;
  readonly after: boolean;
}

/** What a caller does over its ports, each request counted; once the fuse is burnt nothing ever answers. */
export class Mortal {
  readonly fuse: Fuse | null;
  requests = 0;
  dead = false;
  /** Resolves when it is killed. */
  readonly death: Promise<"killed">;
  #die: (told: "killed") => void = () => undefined;

  constructor(fuse: Fuse | null = null) {
    this.fuse = fuse;
    this.death = new Promise((resolve) => {
      this.#die = resolve;
    });
  }

  /** The same operations, of this caller. */
  over<T extends object>(ports: T): T {
    return new Proxy(ports, {
      get: (target, name) => {
        const operation: unknown = Reflect.get(target, name);
        if (typeof operation !== "function") return operation;
        return (...given: unknown[]) => this.#request(() => Reflect.apply(operation, target, given) as unknown);
      },
    });
  }

  async #request(effect: () => unknown): Promise<unknown> {
    if (this.dead) return new Promise(() => undefined);
    const last = this.requests === this.fuse?.at;
    this.requests += 1;
    if (!last) {
      const answer = await effect();
      return this.dead ? new Promise(() => undefined) : answer;
    }
    if (this.fuse?.after === true) await effect();
    this.dead = true;
    this.#die("killed");
    return new Promise(() => undefined);
  }
}
