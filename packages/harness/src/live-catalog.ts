/** The catalog of an agent as its supervisor sees it: what is live, what waits for a turn, and what an end of the process means for it. */
import type { Ending } from "@moorage/core";
import type { Health } from "./health.ts";
import type { CatalogSignal } from "./process/end-tree.ts";

/** A copy that nobody changes. */
export interface CatalogCopyInUse {
  /** Absolute: the copy itself, not the link that leads to it. */
  readonly directory: string;
  readonly hash: string;
}

/** A bundle that is staged, or that went live. */
export interface BundleAtHand {
  /** Of its manifest. */
  readonly digest: string;
  readonly sequence: number;
  readonly catalogHash: string;
  readonly directory: string;
}

/** What a delivery wants of the supervisor. */
export type CatalogEvent =
  /** It goes live at the next turn that begins, unless the agent says "not now". */
  | { readonly kind: "staged"; readonly bundle: BundleAtHand }
  | { readonly kind: "switched"; readonly bundle: BundleAtHand }
  /** The agent's own process resolves its catalog anew. */
  | { readonly kind: "signal"; readonly signal: CatalogSignal }
  /** The process ends by the graceful path, and `exited` tells how it goes on. */
  | { readonly kind: "endProcess" };

/** What an agent says about a bundle by its digest. */
export interface AgentAnswer {
  readonly digest: string;
  readonly answer: "notNow" | "failed";
  readonly detail: string | null;
}

export type AfterExit =
  /** `failed`: the bundle that ended it, in words; null: no bundle is to blame. */
  | { readonly kind: "end"; readonly failed: string | null }
  /** It is started once more, on what is live now. */
  | { readonly kind: "again"; readonly why: string };

export interface CatalogListener {
  hear(event: CatalogEvent): void;
  /** Directories that turns in flight have. */
  held(): ReadonlySet<string>;
}

/** Every call is synchronous and never throws: what cannot be done now is told, and tried again at a look. */
export interface LiveCatalog {
  /** What a turn that begins now would get; null: no catalog. */
  current(): CatalogCopyInUse | null;
  /** Who is to hear; the one before hears nothing any more. */
  listen(listener: CatalogListener): void;
  /** The agent has asked for a turn, or for the events. */
  connected(): void;
  /** A turn is about to begin: what waits for that goes live. */
  boundary(): void;
  /** A turn ended well that had this catalog from its begin. */
  turnCompleted(catalogHash: string): void;
  /** What waits for the next turn; null: nothing does. */
  staged(): BundleAtHand | null;
  /** False: no such answer is waited for. */
  answer(answer: AgentAnswer): boolean;
  /** The agent's own program runs. */
  started(): void;
  /** Its health has turned bad. */
  unhealthy(detail: string): void;
  /** Looks at what is offered and what is due. */
  look(health: Health): void;
  /** When `look` has something to do at the latest, on the awake clock; null: nothing waits for time. */
  dueAt(): number | null;
  /** `mayGoOn`: nobody asked the agent to end. */
  exited(ending: Ending, mayGoOn: boolean): AfterExit;
}
