/** Mutations of update.md 5 and 6 where they are carried out: the executor of a cold move, starts at the gate, the mailbox over documents. */
import type { Mutation } from "./mutation.ts";
import { broken, inFleet } from "./mutation.ts";

const executor = broken(["update/carry-out-move", "update/held-moves"]);
const gate = broken(["update/gate-admission", "update/carry-out-move"]);
const mail = broken(["mailbox/mailbox-loop"]);

export const carryingOut: readonly Mutation[] = [
  executor("5 one executor at a time", "update/carry-out-move", 'if (letGo === null) return { kind: "busy" };', ""),
  executor(
    "5 each state is persisted by compare-and-swap",
    "update/move-documents",
    'await documents.swap("move", move.fleet, seen, text);',
    'await documents.swap("move", move.fleet, (await documents.read("move", move.fleet))?.revision ?? null, text);',
  ),
  executor(
    "5 who was overtaken does nothing",
    "update/carry-out-move",
    "if (await this.#isMine()) return this.#act(effect);",
    "if (this.#fleet !== '') return this.#act(effect);",
  ),
  executor(
    "5 and is told",
    "update/carry-out-move",
    'return { kind: "takenOver", move: (await',
    'return { kind: "busy", move: (await',
  ),
  executor(
    "5 a person's word in between is no other executor",
    "update/carry-out-move",
    "if (sameMove && now.move.decisions.length > move.decisions.length)",
    "if (sameMove && now.move.decisions.length < 0)",
  ),
  executor(
    "5 a late shift meets a gate that was shifted since",
    "update/gate-documents",
    "if (!(await stillMine())) return null;",
    "",
  ),
  gate(
    "5 the gate is shifted by compare-and-swap",
    "update/gate-documents",
    "found.revision, writeGate(shifted.gate))",
    "(await documents.read('gate', move.fleet))?.revision ?? null, writeGate(shifted.gate))",
  ),
  executor(
    "5 a deadline asks a person",
    "update/carry-out-move",
    'await this.#tell({ kind: "deadline", waitsFor: waitsFor(this.#look) });',
    'return { kind: "interrupted", move };',
  ),
  executor(
    "5 and says what it waits for",
    "update/carry-out-move",
    "waitsFor: waitsFor(this.#look)",
    "waitsFor: waitsFor(null)",
  ),
  executor(
    "5 a step that failed is told with its words",
    "update/carry-out-move",
    "`${effect.kind} failed: ${why}`",
    "`${effect.kind} failed`",
  ),
  executor(
    "5 what lives is stopped",
    "update/carry-out-move",
    "if (alive.length > 0) await hands.stop(alive);",
    "if (alive.length > 9) await hands.stop(alive);",
  ),
  executor(
    "5 an interrupt leaves it where it is",
    "update/carry-out-move",
    'if (signal.aborted) return { kind: "interrupted", move };',
    "",
  ),
  executor(
    "5 the members are those of this moment",
    "update/move-decisions",
    "members: await hands.members()",
    'members: draft.evidence["members"] === undefined ? [] : ["scribe", "editor"]',
  ),
  executor(
    "5 the point of no return wants its own decision",
    "update/move-decisions",
    'acrossNoReturn: draft.about === "pointOfNoReturn"',
    "acrossNoReturn: true",
  ),
  executor(
    "5 held again it asks again",
    "update/move-notices",
    "decisions: String(decisions.length)",
    "decisions: String(Math.max(decisions.length, 2))",
  ),
  executor(
    "5 what goes back has no other way",
    "update/move-notices",
    'if (at.kind !== "returning") return ["goOn", "goBack"];',
    'return ["goOn", "goBack"];',
  ),
  executor(
    "5 the more pressing question first",
    "update/carry-out-move",
    'this.#queue.find((effect) => effect.kind === "notice")?.draft ?? drafts.at(-1)',
    "drafts.at(-1)",
  ),
  executor(
    "5 one move a fleet",
    "update/move-documents",
    'if (before !== null && !hasEnded(before.move)) return { kind: "underWay", move: before.move };',
    "",
  ),
  executor(
    "5 from the formats that the fleet has",
    "update/move-documents",
    'if (gate.open === null || firstDifference(gate.open, from) !== null) return { kind: "otherFormats", gate };',
    "",
  ),
  executor(
    "6 questions that are none any more are withdrawn",
    "update/carry-out-move",
    "(about) => !open.has(about)",
    "(about) => open.has(about)",
  ),
  gate(
    "5 the first start gives the formats, and one alone",
    "update/gate-documents",
    'if ((await documents.swap("gate", fleet, null, writeGate(first))) === "swapped") return first;',
    'await documents.swap("gate", fleet, null, writeGate(first));\n    return first;',
  ),
  gate(
    "5 a start reads the gate again",
    "update/gate-admission",
    "if (epoch !== null && found !== null && stillPasses(epoch, found.gate)) return null;",
    "if (epoch !== null && found !== null) return null;",
  ),
  gate(
    "5 a start that was refused passes no more",
    "update/gate-admission",
    'if (passage.kind !== "pass") return { kind: "refuse", condition: refusal(fleet, passage) };',
    'if (passage.kind === "closed") return { kind: "refuse", condition: refusal(fleet, passage) };\n      if (passage.kind !== "pass") return { kind: "pass", notes: { fleet } };',
  ),
  gate("5 the fleet is recorded", "update/gate-admission", "notes: { fleet }", "notes: {}"),
  gate("5 the move that closed it is named", "update/gate-admission", ": the cold move ${mover} is under way", ""),
  inFleet(
    "5 no start slips through",
    "update/gate-admission",
    "if (epoch !== null && found !== null && stillPasses(epoch, found.gate)) return null;",
    "if (epoch !== null && found !== null) return null;",
  ),
  inFleet(
    "5 verified stopped",
    "update/cold-move",
    'if (isEmpty(look)) return enter(move, { kind: "stopped" });',
    'if (look.leftovers === 0) return enter(move, { kind: "stopped" });',
  ),
  inFleet(
    "4 what failed does not come back",
    "update/life-moves",
    "...bringBack(now, good.bundle)));",
    "...bringBack(now, failed)));",
  ),
  inFleet(
    "4 nothing starts on another runtime's bundle",
    "update/starting",
    "return good !== null && fits(life, good.bundle) ? onGood(life, good) : onAssigned(life, assigned, at);",
    "return good !== null ? onGood(life, good) : onAssigned(life, assigned, at);",
  ),
  inFleet(
    "4 what was on its way when a start takes it is in one state",
    "update/starting",
    "if (next === null || digestOf(next) !== bundle.digest) return",
    "if (next === null || digestOf(next) !== '') return",
  ),
  mail(
    "6 the earlier ones are superseded",
    "mailbox/mailbox",
    "const over = rival === undefined ? others : [notice];",
    "const over = rival === undefined ? [] : [notice];",
  ),
  mail(
    "6 written before the earlier ones are superseded",
    "mailbox/mailbox",
    "if (isUndecided(notice)) await change(earlier,",
    "if (notice.id === '') await change(earlier,",
  ),
  mail(
    "6 three at once leave one",
    "mailbox/mailbox",
    "if (rival === undefined && (await isStillTold(notice)))",
    "if (rival === undefined)",
  ),
  mail(
    "6 two operators cannot both decide",
    "mailbox/mailbox",
    'const swapped = await documents.swap("notice", id, stored.revision, writeNotice(decided.notice));',
    'await documents.swap("notice", id, stored.revision, writeNotice(decided.notice));\n        const swapped = id === "" ? "moved" : "swapped";',
  ),
  mail(
    "6 decided on the facts of this moment",
    "mailbox/mailbox",
    "const now = isUndecided(notice) ? await facts(notice) : null;",
    "const now = isUndecided(notice) ? notice : null;",
  ),
  mail(
    "6 a fresh notice takes its place",
    "mailbox/mailbox",
    "const fresh = now === null ? null : (await mailbox.raise(now, at)).notice;",
    "const fresh = null as Notice | null;",
  ),
  mail(
    "6 what is closed is bounded",
    "mailbox/mailbox",
    "closed.length - closedKept",
    "closed.length - closedKept * 9",
  ),
  mail("6 a clock that was ahead", "mailbox/mailbox", "state.at > at ? -1 : state.at", "state.at"),
  mail("6 what cannot be read is shown", "mailbox/mailbox", "unreadable.push(name);", ""),
];
