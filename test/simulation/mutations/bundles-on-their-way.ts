/** Mutations of update.md 4: a bundle on its way into use, and when its trial ends well. */
import type { Mutation } from "./mutation.ts";
import { broken } from "./mutation.ts";

const life = broken(["update/trial.test", "update/refused", "update/read-life", "update/trial.properties"]);

export const bundlesOnTheirWay: readonly Mutation[] = [
  life(
    "4 a turn sees one catalog: nothing switches but at a boundary",
    "update/on-its-way",
    "switching: false, refusedTurns: 0 }",
    "switching: true, refusedTurns: 0 }",
  ),
  life(
    "4 durable before it is acted upon: in use once it is live",
    "update/on-its-way",
    'if (next?.state !== "staged" || !next.switching || next.bundle',
    'if (next?.state !== "staged" || next.bundle',
  ),
  life(
    "3 a change for the next start waits for it",
    "update/plan",
    'if (takesPart === "nothing" || takesEffect === "start") return "next start";',
    'if (takesPart === "nothing") return "next start";',
  ),
  life(
    "4 who takes no part waits for a start",
    "update/plan",
    'if (takesPart === "nothing" || takesEffect === "start") return "next start";',
    'if (takesEffect === "start") return "next start";',
  ),
  life(
    "4 what waits for a start is not switched at a boundary",
    "update/on-its-way",
    "next.switching || waitsForStart(run, next)) return moved(life);",
    "next.switching) return moved(life);",
  ),
  life(
    "4 nor is a boundary awaited for it",
    "update/on-its-way",
    "return waitsForStart(run, next) ? [] : [{",
    "return run.takesPart === null ? [] : [{",
  ),
  life(
    "2 a bundle applies only to exactly its runtime",
    "update/life-moves",
    'if (verdict.tier === "incompatible") {',
    'if (verdict.tier === "incompatible" && at < 0) {',
  ),
  life(
    "2 a refusal has both values",
    "update/life-moves",
    "detail: message, axis, expected, actual };",
    "detail: message };",
  ),
  life(
    "3 the order of the channel is looked at",
    "update/on-its-way",
    'if (order.kind === "refuse") return',
    'if (order.kind === "refuse" && at < 0) return',
  ),
  life(
    "3 the highest accepted is persisted",
    "update/on-its-way",
    'order.kind === "accept" ? { ...life, floor: order.floor } : life',
    "life",
  ),
  life("3 an older one is not fetched", "update/on-its-way", "if (offer.sequence < floor.sequence) {", "if (at < 0) {"),
  life(
    "3 the manifest is what was offered",
    "update/on-its-way",
    "if (catalogHash !== offer.catalogHash || sequence !== offer.sequence)",
    "if (at < 0)",
  ),
  life(
    "4 a refused bundle is not sent again",
    "update/on-its-way",
    "if (held !== null) return moved(life, answer",
    "if (held !== null && at < 0) return moved(life, answer",
  ),
  life(
    "4 nor its content under another name",
    "update/life-moves",
    "return held === null ? null : failedBefore(held.why);",
    "return held === null || at > 0 ? null : failedBefore(held.why);",
  ),
  life(
    "4 nor what another build was offered meanwhile",
    "update/starting",
    ": heldBack(life, step.offer, at);",
    ": null;",
  ),
  life(
    "4 nor where it was on its way when it failed",
    "update/life-moves",
    "next === null || bundleOnItsWay(next).catalogHash !== catalogHash",
    "next === null || at > 0",
  ),
  life(
    "4 what does not fit is refused once it is checked",
    "update/on-its-way",
    "if (why !== null) return refused(why);",
    "if (why !== null && at < 0) return refused(why);",
  ),
  life(
    "4 the same hash is acknowledged without a trial",
    "update/on-its-way",
    'if (inUse(life)?.catalogHash === catalogHash && life.use.kind !== "ended")',
    "if (at < 0)",
  ),
  life("4 what ended is not proven by the same hash", "update/on-its-way", ' && life.use.kind !== "ended")', ")"),
  life(
    "4 a nonce ties the answer to the offer: on trial",
    "update/on-its-way",
    "return moved({ ...life, use: { ...use, nonce } });",
    "return moved(life);",
  ),
  life(
    "4 a nonce ties the answer to the offer: on its way",
    "update/on-its-way",
    "return moved({ ...life, next: withNonce(next, nonce) });",
    "return moved(life);",
  ),
  life(
    "4 what is in use is acknowledged at once",
    "update/on-its-way",
    "return moved(life, answer(life, digest, nonce, null));",
    "return moved(life);",
  ),
  life(
    "4 superseded is told",
    "update/on-its-way",
    'const superseded = next === null ? [] : [tell(digestOf(next), "superseded")];',
    "const superseded: LifeEffect[] = [];",
  ),
  life(
    "4 a switch that has begun comes to its end",
    "update/on-its-way",
    'if (next?.state === "staged" && next.switching) return moved(life);',
    "",
  ),
  life(
    "4 and the newest is asked for after it",
    "update/on-its-way",
    '{ kind: "announce", digest }, { kind: "ask" });',
    '{ kind: "announce", digest });',
  ),
  life(
    "4 transient: from where it was",
    "update/on-its-way",
    "return moved({ ...life, next: next.from },",
    "return moved({ ...life, next: null },",
  ),
  life(
    "4 transient: with back-off",
    "update/on-its-way",
    'if (step.state !== "staged") return putOff(life, { ...step, tries: step.tries + 1 }, cause);',
    'if (step.state !== "staged") return putOff(life, step, cause);',
  ),
  life("4 the back-off doubles", "update/put-off", "firstMs * 2 **", "firstMs * 1 **"),
  life("4 the back-off has an end", "update/put-off", "const longestMs = 300_000;", "const longestMs = 3_000_000;"),
  life("4 'not now' is bounded", "update/put-off", "export const notNowAtMost = 5;", "export const notNowAtMost = 50;"),
  life(
    "4 'not now' is told once",
    "update/on-its-way",
    "if (refusedTurns !== notNowAtMost) return later;",
    "if (refusedTurns < notNowAtMost) return later;",
  ),
  life("4 the socket wants turns", "update/proof", 'return turns >= run.turns ? "proven" : null;', 'return "proven";'),
  life("4 every trial wants the bake time", "update/proof", "if (!baked) return null;", ""),
  life("4 files want the declared check", "update/proof", "return checked || !run.check ?", "return turns >= 0 ?"),
  life("4 with neither it is unproven", "update/proof", 'return "unproven";', 'return "proven";'),
];
