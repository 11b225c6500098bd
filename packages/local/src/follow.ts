/** Tells the changes of one identity's instances after a version, and that a lock was freed although no row changed. */
import type { Abort, Hint, Identity, Version } from "@moorage/core";
import { selectorValue } from "@moorage/core";
import type { InstanceRow } from "./instance-row.ts";
import { readCounter, readRemovals, readRowsOf } from "./instance-row.ts";
import { observeRow } from "./observe.ts";
import type { ScopeCore } from "./scope-core.ts";
import { containerOf, observe } from "./verdict.ts";

/** Milliseconds between two looks when nothing is heard: locks are freed without a word, and a watch may fall silent. */
const recheckMs = 500;

const heldLook = { supervisor: "held", creator: "free", outputHeld: null, stopped: null } as const;

type Ordered = { readonly version: number; readonly hint: Hint };

export async function* followIdentity(
  core: ScopeCore,
  identity: Identity,
  from: Version,
  signal: Abort,
): AsyncGenerator<Hint> {
  const selector = selectorValue(identity);
  const states = new Map<string, string>();
  let version = Number(from);
  let lookedAt = Number.NEGATIVE_INFINITY;
  while (!signal.aborted) {
    const turn = core.watch.begin();
    try {
      const due = core.clock.now() - lookedAt >= recheckMs;
      if (due || changedSince(core, selector, version)) {
        lookedAt = core.clock.now();
        const look = due && states.size > 0 ? ownLook(core) : sharedLook(core, turn, version);
        const step = await lookOnce(core, selector, { from: version, states, look });
        if (signal.aborted) return;
        for (const { hint } of step.hints) yield hint;
        if (step.over !== null) {
          yield { kind: "over", detail: step.over, retryAfterMs: null };
          return;
        }
        version = step.version;
      }
    } catch (error) {
      yield { kind: "over", detail: error instanceof Error ? error.message : String(error), retryAfterMs: null };
      return;
    }
    await core.watch.next(turn, recheckMs, signal);
  }
}

/** Whether a look is worth its price: most changes are about others. */
function changedSince({ database }: ScopeCore, selector: string, version: number): boolean {
  return (
    database.get("SELECT 1 FROM instances WHERE version > ? AND selector = ? LIMIT 1", version, selector) !==
      undefined ||
    database.get("SELECT 1 FROM removals WHERE version > ? AND selector = ? LIMIT 1", version, selector) !== undefined
  );
}

/** How a follow looks at the rows of a selector, and at what a row means. */
interface Look {
  rowsOf(selector: string): { readonly rows: readonly InstanceRow[]; readonly version: number };
  observe(row: InstanceRow): ReturnType<typeof observeRow>;
}

/** Because time has passed: whatever others saw before says nothing. */
function ownLook(core: ScopeCore): Look {
  const { database } = core;
  return {
    rowsOf: (selector) =>
      database.read(() => ({ rows: readRowsOf(database, selector), version: readCounter(database) })),
    observe: (row) => observeRow(core, row),
  };
}

/**
 * Because of a change, or to begin with: of many who follow one instance, one looks at it. What a first look that was an
 * older one's has missed, the next one because of time finds out.
 */
function sharedLook(core: ScopeCore, turn: number, from: number): Look {
  const own = ownLook(core);
  return {
    rowsOf(selector) {
      const shared = core.watch.share(turn, selector, () => own.rowsOf(selector));
      // Seen before this follow began: it knows more already.
      return shared.version < from ? own.rowsOf(selector) : shared;
    },
    observe: (row) => core.watch.share(turn, `${row.uid} ${row.version}`, () => own.observe(row)),
  };
}

async function lookOnce(
  core: ScopeCore,
  selector: string,
  { from, states, look }: { readonly from: number; readonly states: Map<string, string>; readonly look: Look },
): Promise<{ hints: Ordered[]; version: number; over: string | null }> {
  const { rows, version } = look.rowsOf(selector);
  const removals = readRemovals(core.database, selector, from);
  if (removals === "expired")
    return { hints: [], version, over: "the version is too old: what happened since is not kept" };
  // What was removed after the rows were read is told the next time.
  const told = removals.filter((row) => row.version <= version);
  const hints: Ordered[] = told.map((row) => ({
    version: row.version,
    hint: { kind: "removed", last: observe(row, containerOf(row, heldLook, core.here), true) },
  }));
  let over: string | null = null;
  for (const row of rows) {
    const { observed } = await look.observe(row);
    const state = JSON.stringify([observed.evidence.container, observed.deletion]);
    const before = states.get(row.uid);
    states.set(row.uid, state);
    if (row.version > from) hints.push({ version: row.version, hint: { kind: "changed", instance: observed } });
    else if (before !== undefined && before !== state) over = `${row.name} has changed without a record`;
  }
  return { hints: hints.sort((a, b) => a.version - b.version), version, over };
}
