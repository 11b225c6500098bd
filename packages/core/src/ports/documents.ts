/** Small documents that several callers change: whoever writes compares what was seen, and swaps. */

/**
 * `gate`: what may start in a fleet; `move`: its cold move; `release`: its builds; each by the fleet's name. A notice has its
 * id. `launch`: what a cold move starts its agents from, by the move's id.
 */
export type DocumentKind = "gate" | "move" | "notice" | "release" | "launch";

export interface StoredDocument {
  readonly name: string;
  readonly text: string;
  /** Rises with every write of this name, also across its removal. */
  readonly revision: number;
}

/** What was written is durable when it is told. Rejects with a fault of the place alone. */
export interface Documents {
  read(kind: DocumentKind, name: string): Promise<StoredDocument | null>;
  /** In the order of their names. */
  list(kind: DocumentKind): Promise<readonly StoredDocument[]>;
  /**
   * Writes if nobody has written since: `seen` is the revision that was read, null: there was none. Text null removes.
   * `moved`: somebody has, and nothing was changed.
   */
  swap(kind: DocumentKind, name: string, seen: number | null, text: string | null): Promise<"swapped" | "moved">;
}
