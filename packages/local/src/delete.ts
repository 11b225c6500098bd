/** Deletes an instance: marks it, and either its supervisor honours the mark or this process takes its place. */

import { mkdirSync } from "node:fs";
import type { Fence, Removal } from "@moorage/core";
import { instancePaths } from "./instance-folder.ts";
import type { InstanceRow } from "./instance-row.ts";
import { readRow, updateRow } from "./instance-row.ts";
import type { HeldLock } from "./lock.ts";
import { probeLock, takeLock } from "./lock.ts";
import { observeRow } from "./observe.ts";
import { poke } from "./poke.ts";
import type { ScopeCore } from "./scope-core.ts";
import { writePatiently } from "./scope-core.ts";
import { takeOver } from "./take-over.ts";

/** Milliseconds that the lock may seem held because somebody merely looks at it. */
const lookersMs = 200;
/** Milliseconds in which it usually shows that nothing is left but what may not be ended. */
const answerWithinMs = 2_500;
const recheckMs = 500;

export async function deleteInstance(core: ScopeCore, name: string, fence: Fence): Promise<Removal> {
  const row = readRow(core.database, name);
  if (row === null) return { kind: "notFound" };
  if (row.uid !== fence.uid || String(row.version) !== fence.resourceVersion) return { kind: "conflict" };
  const { observed } = await observeRow(core, row);
  const { container } = observed.evidence;
  if (container.state === "unjudgeable")
    return { kind: "refused", refusal: { kind: "cannotTell", detail: container.cause.message } };
  const deletionAt = row.deletionAt ?? new Date().toISOString();
  const marked = await writePatiently(core, () => {
    if (readRow(core.database, name)?.version !== row.version) return null;
    updateRow(core.database, name, row.uid, { deletionAt });
    return readRow(core.database, name);
  });
  if (marked === null) return { kind: "conflict" };
  if (marked.claim !== null && probeLock(instancePaths(core.stateDir, marked).supervisorLock) === "held")
    poke(marked.claim.socket);
  return honour(core, marked);
}

/**
 * From here on the mark counts for this process, whatever the lock says. Answers as soon as it is known that nothing of the
 * agent's is left that cannot be ended, or that this takes its time.
 */
function honour(core: ScopeCore, marked: InstanceRow): Promise<Removal> {
  const { honoured } = core.background;
  honoured.add(marked.uid);
  return new Promise((resolve, reject) => {
    untilRemoved(core, marked, () => resolve({ kind: "accepted" }))
      .then(resolve, reject)
      .finally(() => honoured.delete(marked.uid));
  });
}

/** Goes on until the instance is gone, taking over whenever its lock is free: its supervisor may be killed on the way. */
async function untilRemoved(core: ScopeCore, marked: InstanceRow, accept: () => void): Promise<Removal> {
  const paths = instancePaths(core.stateDir, marked);
  const { closing } = core.background;
  while (!closing.aborted) {
    const turn = core.watch.begin();
    const row = readRow(core.database, marked.name);
    if (row === null || row.uid !== marked.uid) break;
    mkdirSync(paths.folder, { recursive: true, mode: 0o700 });
    // Waiting for it while its supervisor lives would hold up everything else here.
    const held = probeLock(paths.supervisorLock) === "held";
    const lock = held ? null : takeLock(paths.supervisorLock, lookersMs);
    if (lock !== null) return core.background.work(() => takeOverUnder(core, row, lock, accept));
    accept();
    await core.watch.next(turn, recheckMs, closing);
  }
  return { kind: "accepted" };
}

async function takeOverUnder(core: ScopeCore, row: InstanceRow, lock: HeldLock, accept: () => void): Promise<Removal> {
  const patience = new AbortController();
  void core.clock.sleep(answerWithinMs, patience.signal).then(() => {
    if (!patience.signal.aborted) accept();
  });
  try {
    return await takeOver(core, row);
  } finally {
    patience.abort();
    lock.release();
  }
}
