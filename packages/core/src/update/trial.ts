/** One agent's life with bundles as a state machine: what happened gives the next life and what is to be done. Pure and total. */
import { digestOf } from "./candidate.ts";
import type { Life, Revert } from "./life.ts";
import type { LifeEvent } from "./life-events.ts";
import type { Moved } from "./life-moves.ts";
import { andThen, confirm, moved, revert } from "./life-moves.ts";
import {
  boundary,
  checked,
  due,
  failed,
  fetched,
  notNow,
  offered,
  rejected,
  staged,
  switched,
  todo,
} from "./on-its-way.ts";
import { proofOf } from "./proof.ts";
import { lifted } from "./quarantine.ts";
import { starting } from "./starting.ts";

/**
 * The life is persisted before its effects are done, each of which may come twice. What does not fit the life, because it is
 * late or about another bundle, changes nothing.
 */
export function stepLife(life: Life, event: LifeEvent): Moved {
  switch (event.kind) {
    case "starting":
      return starting(life, event);
    case "connected":
      return connected(life);
    case "offered":
      return offered(life, event);
    case "fetched":
      return fetched(life, event);
    case "checked":
      return checked(life, event);
    case "rejected":
      return rejected(life, event);
    case "staged":
      return staged(life, event);
    case "failed":
      return failed(life, event);
    case "due":
      return due(life, event);
    case "boundary":
      return boundary(life);
    case "notNow":
      return notNow(life, event);
    case "switched":
      return switched(life, event);
    case "turnCompleted":
      return turnCompleted(life, event.catalogHash);
    case "baked":
      return baked(life, event.digest);
    case "checkHeld":
      return checkHeld(life, event.digest);
    case "faltered":
      return faltered(life, event, event.at);
    case "stopped":
      return stopped(life);
    case "retry":
      return retry(life, event.digest);
    default:
      return event satisfies never;
  }
}

/** Who said nothing of how it takes part shows it: what waits for a start may have a turn to wait for. */
function connected(life: Life): Moved {
  const { run, next } = life;
  if (run.takesPart !== "nothing") return moved(life);
  const after: Life = { ...life, run: { ...run, takesPart: "socket" } };
  return next?.state === "staged" ? moved(after, ...todo(after, next)) : moved(after);
}

function turnCompleted(life: Life, catalogHash: string): Moved {
  const { use, run } = life;
  if (use.kind !== "trial" || use.bundle.catalogHash !== catalogHash) return moved(life);
  return progressed(life, { turns: Math.min(use.progress.turns + 1, run.turns) });
}

function baked(life: Life, digest: string): Moved {
  const { use } = life;
  if (use.kind === "trial" && use.bundle.digest === digest) return progressed(life, { baked: true });
  if (use.kind === "returning" && use.lastGood.bundle.digest === digest)
    return moved({ ...life, use: { kind: "confirmed", ...use.lastGood } });
  return moved(life);
}

function checkHeld(life: Life, digest: string): Moved {
  return life.use.kind === "trial" && life.use.bundle.digest === digest
    ? progressed(life, { checked: true })
    : moved(life);
}

function progressed(life: Life, more: { turns?: number; baked?: boolean; checked?: boolean }): Moved {
  if (life.use.kind !== "trial") return moved(life);
  const { bundle, nonce } = life.use;
  const progress = { ...life.use.progress, ...more };
  const proof = proofOf(life.run, progress);
  return proof === null ? moved({ ...life, use: { ...life.use, progress } }) : confirm(life, { bundle, proof }, nonce);
}

/** On trial it comes back once. Brought back, a crash ends it. Else a crash ends it, and no bundle is to blame. */
function faltered(life: Life, { reason, detail }: Revert, at: number): Moved {
  const { use } = life;
  switch (use.kind) {
    case "trial":
      return revert(life, { reason, detail }, at);
    case "returning": {
      // Bad health is shown; it never kills what was confirmed.
      if (reason !== "crash") return moved(life);
      const { digest } = use.lastGood.bundle;
      const ended: Life = { ...life, use: { kind: "ended", lastGood: use.lastGood, failed: use.failed, why: use.why } };
      const notice = { kind: "notice", about: "ended", digest, reason, detail, withLog: true } as const;
      return moved(ended, notice, { kind: "end" });
    }
    case "none":
    case "confirmed":
      return reason === "crash" ? moved(life, { kind: "end" }) : moved(life);
    case "ended":
      return moved(life);
    default:
      return use satisfies never;
  }
}

/** Stop, idle end or eviction proves nothing: the trial goes on at the next start, its bake time from the beginning. */
function stopped(life: Life): Moved {
  const { use } = life;
  if (use.kind !== "trial") return moved(life);
  return moved({ ...life, use: { ...use, progress: { ...use.progress, baked: false } } });
}

/** An operator's word: what failed here is tried again, and what waits for its back-off goes on at once. */
function retry(life: Life, digest: string): Moved {
  const quarantine = lifted(life.quarantine, digest);
  const asked: Moved =
    quarantine.length === life.quarantine.length ? moved(life) : moved({ ...life, quarantine }, { kind: "ask" });
  return andThen(asked, (after) =>
    after.next !== null && digestOf(after.next) === digest ? due(after, { digest }) : moved(after),
  );
}
