/** Mutations of update.md 4: a bundle in use, what failed here, and what a start runs on. */
import type { Mutation } from "./mutation.ts";
import { broken } from "./mutation.ts";

const life = broken([
  "update/trial.test",
  "update/refused",
  "update/read-life",
  "update/connected",
  "update/nothing-to-come-back-on",
  "update/trial.properties",
]);
/** What is persisted at all. */
const stored = broken(["plain-data", "update/read-life"]);

export const bundlesInUse: readonly Mutation[] = [
  life(
    "4 only turns that saw the catalog count",
    "update/trial",
    'if (use.kind !== "trial" || use.bundle.catalogHash !== catalogHash) return moved(life);',
    'if (use.kind !== "trial") return moved(life);',
  ),
  life(
    "4 only a process that lived with it counts",
    "update/trial",
    'if (use.kind === "trial" && use.bundle.digest === digest) return progressed(life, { baked: true });',
    'if (use.kind === "trial") return progressed(life, { baked: true });',
  ),
  life(
    "4 a crash on trial comes back",
    "update/trial",
    "return revert(life, { reason, detail }, at);",
    "return moved(life, { kind: 'end' });",
  ),
  life(
    "4 once: a second crash ends it",
    "update/trial",
    'return moved(ended, notice, { kind: "end" });',
    'return moved(life, notice, { kind: "bringBack", bundle: use.lastGood.bundle });',
  ),
  life(
    "4 with a notice",
    "update/trial",
    'return moved(ended, notice, { kind: "end" });',
    'return moved(ended, { kind: "end" });',
  ),
  life("4 health never kills what was confirmed", "update/trial", 'if (reason !== "crash") return moved(life);', ""),
  life(
    "4 coming back is proven by the bake time",
    "update/trial",
    'return moved({ ...life, use: { kind: "confirmed", ...use.lastGood } });',
    "return moved(life);",
  ),
  life(
    "4 a stop proves nothing",
    "update/trial",
    "return moved({ ...life, use: { ...use, progress: { ...use.progress, baked: false } } });",
    'return confirm(life, { bundle: use.bundle, proof: "proven" }, use.nonce);',
  ),
  life(
    "4 a retry lifts the quarantine",
    "update/trial",
    'moved({ ...life, quarantine }, { kind: "ask" });',
    "moved(life, { kind: 'ask' });",
  ),
  life(
    "4 the last known good stays what was last confirmed",
    "update/life-moves",
    "lastGood: lastGood(life), progress",
    'lastGood: life.use.kind === "trial" ? { bundle: life.use.bundle, proof: "proven" } : lastGood(life), progress',
  ),
  life(
    "4 an earlier trial is over without a result",
    "update/life-moves",
    '[tell(life.use.bundle.digest, "superseded")]',
    "[]",
  ),
  life(
    "4 NACK carries the reason",
    "update/life-moves",
    'const verdict = why === null ? "ack" : "nack";',
    'const verdict = "ack" as const;',
  ),
  life("4 both carry the hash in use", "update/life-moves", "inUse: inUse(life)?.catalogHash ?? null", "inUse: null"),
  life("4 without a last known good it ends", "update/life-moves", 'trial, why), { kind: "end" });', "trial, why));"),
  life(
    "4 it never comes back to another runtime's bundle",
    "update/life-moves",
    "if (good === null || !fits(life, good.bundle)) return",
    "if (good === null) return",
  ),
  life(
    "4 a reverted bundle is quarantined",
    "update/life-moves",
    "quarantine: withQuarantined(life.quarantine, entry, at),\n    use",
    "use",
  ),
  life(
    "4 without anything to come back on it is not held back",
    "update/life-moves",
    'if (why.reason !== "crash") return moved(life);',
    "",
  ),
  life(
    "4 the notice of a revert has the end of the log",
    "update/life-moves",
    "about, digest, reason, detail, withLog: true",
    "about, digest, reason, detail, withLog: false",
  ),
  life(
    "4 a refusal is quarantined",
    "update/life-moves",
    "next: null, quarantine: withQuarantined(life.quarantine, entry, at) }",
    "next: null }",
  ),
  life(
    "4 time makes no bundle fit",
    "update/life-moves",
    'why.reason === "incompatible" ? never : at + quarantineMs',
    "at + quarantineMs",
  ),
  life(
    "4 a switch under way is undone by a return",
    "update/life-moves",
    "{ ...next, switching: false } : next",
    "next : next",
  ),
  life("4 quarantine: for a build", "update/quarantine", "entry.buildId === buildId &&\n", ""),
  life("4 quarantine: until it expires", "update/quarantine", "at < entry.until &&\n", ""),
  life(
    "4 quarantine: by content",
    "update/quarantine",
    '(entry.by === "content" && entry.catalogHash === bundle.catalogHash))',
    "entry.digest === '')",
  ),
  life("4 quarantine is bounded", "update/quarantine", "while (kept.length >= atMost) {", "while (kept.length < 0) {"),
  life(
    "4 quarantine: a retry lifts all of that content",
    "update/quarantine",
    'entry.digest !== digest && !(entry.by === "content" && contents.has(entry.catalogHash))',
    'entry.digest !== digest && !(entry.by === "content" && contents.has(entry.digest))',
  ),
  life(
    "4 a trial goes on at the next start",
    "update/starting",
    "return why === null ? goOn(life, use) : instead(life, use, why,",
    "return at < 0 ? goOn(life, use) : instead(life, use, why ?? { reason: 'incompatible', detail: '' },",
  ),
  life(
    "4 its bake time from the beginning",
    "update/starting",
    "{ ...use.progress, baked: false }",
    "{ ...use.progress }",
  ),
  life(
    "4 a trial never goes on under other formats",
    "update/starting",
    "return why === null ? goOn(life, use) : instead",
    "return at > 0 ? goOn(life, use) : instead",
  ),
  life(
    "4 what was staged is weighed by the new build",
    "update/starting",
    "return why === null ? moved(life) : refuse(life, digestOf(next)",
    "return why === null || at > 0 ? moved(life) : refuse(life, digestOf(next)",
  ),
  life(
    "4 a start is a boundary",
    "update/starting",
    'if (step?.state === "staged") {',
    'if (step?.state === "staged" && at < 0) {',
  ),
  life(
    "4 a fresh instance has what is confirmed",
    "update/starting",
    "if (!confirmed) return tryOut(life, bundle, null, launch(bundle));",
    "return tryOut(life, bundle, null, launch(bundle));",
  ),
  life(
    "4 or what is assigned, as a trial",
    "update/starting",
    "if (!confirmed) return tryOut(life, bundle, null, launch(bundle));",
    "",
  ),
  life(
    "4 nothing starts on another runtime's bundle",
    "update/starting",
    'if (why !== null) return moved(life, { kind: "refuseStart", why });',
    "",
  ),
  life(
    "4 nor on the last known good of another runtime",
    "update/starting",
    "return good !== null && fits(life, good.bundle) ? onGood(life, good) : onAssigned",
    "return good !== null ? onGood(life, good) : onAssigned",
  ),
  life(
    "4 what ended without a good bundle does not start without one",
    "update/starting",
    'if (good === null && life.use.kind === "none") return',
    "if (good === null) return",
  ),
  life(
    "4 a new instance has the floor of its channel",
    "update/starting",
    "floor: atLeast(life.floor, assigned?.bundle) }",
    "floor: life.floor }",
  ),
  life("4 what was on its way is taken up", "update/starting", "moved(life, ...todo(life, life.next))", "moved(life)"),
  stored(
    "4 a persisted life of another version is not read",
    "plain-data",
    'oneOf(format)(objectAt(value, "")["format"], "format");',
    "",
  ),
  stored(
    "4 nor one with a field too many",
    "plain-data",
    "if (!Object.hasOwn(shape, name)) throw",
    'if (name === "") throw',
  ),
  stored(
    "4 nor one with a field missing",
    "plain-data",
    "if (!Object.hasOwn(found, name)) throw",
    'if (name === "") throw',
  ),
];
