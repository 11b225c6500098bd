/** What an agent is started on: its life is driven as far as it goes under the build that starts, so that the start is a boundary. */
import { StoreError } from "@moorage/bundle/delivery";
import type { Assigned, Life, LifeBundle, LifeRun } from "@moorage/core";
import { bundleOnItsWay, inUse, lastGood } from "@moorage/core";
import type { Courier } from "./courier.ts";
import { bundleOf, verify } from "./examine.ts";
import { clipped, words } from "./trouble.ts";

export type Start =
  /** On this copy, which the link leads to. Absolute. */
  | { readonly kind: "launch"; readonly link: string; readonly directory: string; readonly hash: string }
  /** Its channel has no catalog yet. */
  | { readonly kind: "without" }
  | { readonly kind: "refused"; readonly why: string };

/** Throws a `StoreError`, or an error of the trust root. */
export function startOn(courier: Courier, run: LifeRun): Start {
  const life = courier.open(run);
  courier.takeRetries();
  courier.resume();
  // Who begins takes what others have proven; what is newer is offered to it once it runs.
  const assigned = life.use.kind === "none" ? confirmedOf(courier, life) : null;
  if (assigned === null) courier.takeOffer();
  if (!courier.tell({ kind: "starting", run: courier.life?.run ?? run, assigned }))
    throw new StoreError("storeFault", "what happens to its bundles cannot be put on record");
  const start = launched(courier);
  if (start.kind === "launch") forgetOthers(courier);
  return start;
}

/** Null where nothing was confirmed, or what was cannot be used any more: then what is assigned is tried. */
function confirmedOf(courier: Courier, life: Life): Assigned | null {
  const { store, trust, spec, ports } = courier;
  const head = store.confirmed(spec.channel);
  if (head === null) return null;
  const { digest } = head;
  const found = verify(digest, { life, store, trust, at: ports.wallTime(), accepted: new Set([digest]) });
  if (found.kind === "verified") return { bundle: bundleOf(found.manifest, digest), confirmed: true };
  courier.trouble(new Error(`what its channel has confirmed cannot be used: ${found.message}`));
  return null;
}

function launched(courier: Courier): Start {
  const outcome = courier.takeOutcome();
  switch (outcome?.kind) {
    case "launch":
    case "bringBack":
      return outcome.bundle === null ? withoutAny(courier) : onBundle(courier, outcome.bundle);
    case "refuseStart":
      return { kind: "refused", why: outcome.why.detail };
    case "end":
    case undefined:
      return { kind: "refused", why: failedWords(courier.life) };
    default:
      return outcome satisfies never;
  }
}

function onBundle(courier: Courier, bundle: LifeBundle): Start {
  try {
    return { kind: "launch", link: courier.copies.link, ...courier.copies.goLive(bundle) };
  } catch (error) {
    const lost = error instanceof StoreError && error.code === "storeCorrupt";
    if (!lost || courier.life?.use.kind !== "trial") throw error;
    // Its content is lost on the way: that is no reason to stand still while there is a last known good one.
    courier.tell({ kind: "faltered", reason: "reload", detail: clipped(words(error)) });
    return launched(courier);
  }
}

/** Nothing is ever started without the catalog that it should have. */
function withoutAny(courier: Courier): Start {
  const { life, spec, store } = courier;
  const held = life?.quarantine.at(-1);
  if (life?.next?.state === "deferred")
    return { kind: "refused", why: courier.lastTrouble ?? `its bundle is put off: ${life.next.cause}` };
  if (held !== undefined) return { kind: "refused", why: held.why.detail };
  if (store.assigned(spec.channel) === null) return { kind: "without" };
  return { kind: "refused", why: courier.lastTrouble ?? "the bundle that is assigned to it cannot be used" };
}

function failedWords(life: Life | null): string {
  return life !== null && "why" in life.use ? life.use.why.detail : "there is no bundle that it may run on";
}

/** Nothing runs, so that nobody reads them. */
function forgetOthers(courier: Courier): void {
  const { life, copies } = courier;
  if (life === null) return;
  const next = life.next === null ? null : bundleOnItsWay(life.next);
  const used = [inUse(life), lastGood(life)?.bundle, next];
  try {
    copies.keep(used.flatMap((bundle) => (bundle === null || bundle === undefined ? [] : [bundle.catalogHash])));
  } catch (error) {
    courier.trouble(error);
  }
}
