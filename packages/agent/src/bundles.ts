/** What the harness tells of bundles, and what the agent makes of them: one after another, in the order in which they came. */
import type { Catalog, OpenCatalog } from "./catalog.ts";
import type { ConnectOptions } from "./connect.ts";
import type { HarnessEvent } from "./event-stream.ts";
import type { HarnessClient } from "./harness-client.ts";

interface Told {
  readonly digest: string;
  readonly sequence: number;
  readonly hash: string;
  readonly catalog: Catalog;
}

/** As much of an error's message as the harness keeps. UTF-16 code units. */
const detailAtMost = 500;

export class Bundles {
  live: Catalog;
  readonly #client: HarnessClient;
  readonly #options: Pick<ConnectOptions, "onStaged" | "onCatalog">;
  readonly #open: OpenCatalog;
  #last: Promise<void> = Promise.resolve();

  constructor(
    client: HarnessClient,
    open: OpenCatalog,
    live: Catalog,
    options: Pick<ConnectOptions, "onStaged" | "onCatalog">,
  ) {
    this.#client = client;
    this.#open = open;
    this.live = live;
    this.#options = options;
  }

  hear({ name, data }: HarnessEvent): void {
    if (name !== "staged" && name !== "switched") return;
    const told = toldOf(data, this.#open);
    if (told === null) return;
    if (name === "switched") this.live = told.catalog;
    this.#last = this.#last.then(async () => (name === "staged" ? this.#staged(told) : this.#switched(told)));
  }

  /** Resolves when the agent has said what it thinks of all that came so far. */
  async heard(): Promise<void> {
    await this.#last;
  }

  async #staged({ digest, sequence, hash, catalog }: Told): Promise<void> {
    const { onStaged } = this.#options;
    if (onStaged === undefined) return;
    const word = await settled(async () => await onStaged({ sequence, hash, catalog }));
    if (word.kind === "value" && word.value === "notNow") await this.#answer({ digest, answer: "notNow" });
  }

  async #switched({ digest, catalog }: Told): Promise<void> {
    const { onCatalog } = this.#options;
    if (onCatalog === undefined) return;
    const word = await settled(async () => await onCatalog(catalog));
    if (word.kind === "value") return;
    const detail = (word.error instanceof Error ? word.error.message : String(word.error)).slice(0, detailAtMost);
    await this.#answer({ digest, answer: "failed", detail });
  }

  /** Too late, or nobody there to hear it: then the bundle goes its way. */
  async #answer(body: object): Promise<void> {
    await this.#client.call("PUT", "/v1/catalog/answer", body).catch(() => undefined);
  }
}

type Settled<T> = { readonly kind: "value"; readonly value: T } | { readonly kind: "error"; readonly error: unknown };

async function settled<T>(work: () => Promise<T>): Promise<Settled<T>> {
  try {
    return { kind: "value", value: await work() };
  } catch (error) {
    return { kind: "error", error };
  }
}

function toldOf(data: unknown, open: OpenCatalog): Told | null {
  if (typeof data !== "object" || data === null) return null;
  const { digest, sequence, catalogHash, directory } = data as Readonly<Record<string, unknown>>;
  if (typeof digest !== "string" || typeof directory !== "string") return null;
  if (typeof sequence !== "number" || typeof catalogHash !== "string") return null;
  return { digest, sequence, hash: catalogHash, catalog: open(directory) };
}
