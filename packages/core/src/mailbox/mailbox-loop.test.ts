import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MemoryDocuments, Mortal } from "../ports/memory-documents.fixture.ts";
import type { Random } from "../ports/random.ts";
import { closedKept, type Mailbox, openMailbox } from "./mailbox.ts";
import { isUndecided, type Notice, type NoticeDraft, newNotice } from "./notice.ts";
import { writeNotice } from "./read-notice.ts";

const move: NoticeDraft = {
  about: "coldMove",
  subject: { kind: "fleet", name: "writers" },
  reason: "the wire version moves",
  evidence: { move: "m1" },
  choices: ["approve", "reject"],
};
const later: NoticeDraft = { ...move, evidence: { move: "m2" } };
const held: NoticeDraft = { ...move, about: "moveHeld", choices: ["goOn", "goBack"] };
const same = async (): Promise<NoticeDraft> => move;

function randomOf(seed = 1): Random {
  let at = seed;
  return {
    token: (digits) => {
      at = (at * 48_271) % 2_147_483_647;
      return at.toString(16).padStart(digits, "0");
    },
    fraction: () => 0.5,
  };
}

function open(documents = new MemoryDocuments(), seed = 1): Mailbox {
  return openMailbox(documents, randomOf(seed));
}

async function all(mailbox: Mailbox): Promise<readonly Notice[]> {
  return (await mailbox.list()).notices;
}

describe("raising", () => {
  it("writes a notice once, under the name of its id", async () => {
    const documents = new MemoryDocuments();
    const mailbox = open(documents);
    const first = await mailbox.raise(move, 100);
    expect(first.kind).toBe("raised");
    expect(await mailbox.raise({ ...move, reason: "in other words" }, 200)).toEqual({
      ...first,
      kind: "standing",
      superseded: undefined,
    });
    expect((await documents.list("notice")).map(({ name }) => name)).toEqual([first.notice.id]);
    expect(await mailbox.read(first.notice.id)).toEqual(first.notice);
    expect(await mailbox.read("nobody")).toBeNull();
  });

  it("supersedes the earlier of its line alone", async () => {
    const mailbox = open();
    const first = await mailbox.raise(move, 100);
    const other = await mailbox.raise(held, 110);
    const second = await mailbox.raise(later, 200);
    expect(second).toMatchObject({
      kind: "raised",
      superseded: [{ id: first.notice.id, state: { kind: "superseded", by: second.notice.id, at: 200 } }],
    });
    expect((await mailbox.read(first.notice.id))?.state.kind).toBe("superseded");
    expect((await mailbox.read(other.notice.id))?.state.kind).toBe("open");
  });

  it("by several at once leaves one, whatever they say and how their requests mix", async () => {
    const drafts = fc.array(fc.constantFrom(move, later), { minLength: 2, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), drafts, fc.nat(1_000), async (scheduler, said, seed) => {
        const documents = new MemoryDocuments();
        const slow = scheduled(documents, scheduler);
        const raised = said.map((draft, at) => open(slow, seed + 7 * at + 1).raise(draft, 100));
        await scheduler.waitFor(Promise.all(raised));
        const undecided = (await all(open(documents))).filter(isUndecided);
        expect(undecided).toHaveLength(1);
        expect(said.map(({ evidence }) => evidence)).toContainEqual(undecided[0]?.evidence);
      }),
      { numRuns: 300 },
    );
  });

  it("killed at any request it loses nothing, and the next one leaves a single notice", async () => {
    for (let at = 0; at < 12; at += 1)
      for (const after of [false, true]) {
        const documents = new MemoryDocuments();
        await open(documents).raise(move, 100);
        const caller = new Mortal({ at, after });
        await Promise.race([open(caller.over(documents), 5).raise(later, 200), caller.death]);
        expect((await all(open(documents))).some(isUndecided)).toBe(true);
        await open(documents, 9).raise(later, 300);
        expect((await all(open(documents))).filter(isUndecided)).toMatchObject([{ evidence: later.evidence }]);
      }
  });

  it("does not ask again what was decided meanwhile", async () => {
    const documents = new MemoryDocuments();
    const mailbox = open(documents);
    const { notice } = await mailbox.raise(move, 100);
    await mailbox.decide(notice.id, { choice: "approve", by: "ada", at: 150, revision: 1 }, same);
    expect(await mailbox.raise(move, 200)).toMatchObject({ kind: "standing", notice: { state: { kind: "decided" } } });
    expect(await all(mailbox)).toHaveLength(1);
  });
});

describe("deciding", () => {
  it("is told by the notice, and lasts", async () => {
    const documents = new MemoryDocuments();
    const { notice } = await open(documents).raise(move, 100);
    const decided = await open(documents).decide(
      notice.id,
      { choice: "approve", by: "ada", at: 150, revision: 1 },
      same,
    );
    expect(decided.kind).toBe("decided");
    expect((await open(documents).read(notice.id))?.state).toEqual({
      kind: "decided",
      choice: "approve",
      by: "ada",
      at: 150,
    });
    expect(await open().decide("nobody", { choice: "approve", by: "ada", at: 150, revision: 1 }, same)).toEqual({
      kind: "unknown",
    });
  });

  it("by two at once has one winner, and the other is told who", async () => {
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), async (scheduler) => {
        const documents = new MemoryDocuments();
        const { notice } = await open(documents).raise(move, 100);
        const slow = scheduled(documents, scheduler);
        const both = Promise.all([
          open(slow, 2).decide(notice.id, { choice: "approve", by: "ada", at: 150, revision: 1 }, same),
          open(slow, 3).decide(notice.id, { choice: "reject", by: "bob", at: 150, revision: 1 }, same),
        ]);
        await scheduler.waitFor(both);
        const [ada, bob] = await both;
        expect([ada.kind, bob.kind].sort()).toEqual(["decided", "lost"]);
        const [winner, loser] = ada.kind === "decided" ? ["ada", bob] : ["bob", ada];
        expect(loser).toMatchObject({ notice: { state: { kind: "decided", by: winner } } });
      }),
      { numRuns: 60 },
    );
  });

  it("on facts that have moved is refused, and one fresh notice takes its place", async () => {
    const documents = new MemoryDocuments();
    const mailbox = open(documents);
    const { notice } = await mailbox.raise(move, 100);
    const word = { choice: "approve", by: "ada", at: 150, revision: 1 } as const;
    const result = await mailbox.decide(notice.id, word, async () => later);
    expect(result).toMatchObject({
      kind: "moved",
      superseded: { id: notice.id, state: { kind: "superseded" } },
      fresh: { evidence: later.evidence, state: { kind: "open" } },
    });
    expect((await all(mailbox)).filter(isUndecided)).toHaveLength(1);
    const gone = await mailbox.raise(held, 160);
    expect(await mailbox.decide(gone.notice.id, { ...word, choice: "goOn" }, async () => null)).toMatchObject({
      kind: "moved",
      fresh: null,
    });
    expect((await mailbox.read(gone.notice.id))?.state).toEqual({ kind: "superseded", by: null, at: 150 });
  });

  it("can wait, and is compared with what was snoozed meanwhile", async () => {
    const mailbox = open();
    const { notice } = await mailbox.raise(move, 100);
    const word = { by: "ada", at: 150, revision: 1 };
    expect(await mailbox.snooze(notice.id, word, 900)).toMatchObject({ kind: "decided", notice: { revision: 2 } });
    expect((await mailbox.snooze(notice.id, word, 950)).kind).toBe("lost");
    expect((await mailbox.decide(notice.id, { ...word, choice: "approve" }, same)).kind).toBe("lost");
    expect((await mailbox.decide(notice.id, { ...word, revision: 2, choice: "approve" }, same)).kind).toBe("decided");
    expect(await mailbox.snooze("nobody", word, 900)).toEqual({ kind: "unknown" });
  });
});

describe("the whole of it", () => {
  it("withdraws the undecided of the lines that are over", async () => {
    const mailbox = open();
    const first = await mailbox.raise(move, 100);
    await mailbox.raise(held, 110);
    expect(await mailbox.withdraw([move, held], 150, () => false)).toEqual([]);
    expect(
      (await mailbox.withdraw([move, held], 200, ({ about }) => about === "coldMove")).map(({ id }) => id),
    ).toEqual([first.notice.id]);
    expect((await all(mailbox)).map(({ about, state }) => [about, state.kind])).toEqual([
      ["coldMove", "superseded"],
      ["moveHeld", "open"],
    ]);
  });

  it("forgets the longest closed and nothing else, also after a clock that was ahead", async () => {
    const documents = new MemoryDocuments();
    const close = (id: string, at: number): Promise<unknown> =>
      documents.swap(
        "notice",
        id,
        null,
        writeNotice({
          ...newNotice(move, id, 1),
          state: { kind: "decided", choice: "reject", by: "ada", at },
          revision: 2,
        }),
      );
    for (let at = 1; at <= closedKept; at += 1) await close(`old${at}`, at);
    await close("future", 9_000_000);
    await documents.swap("notice", "open", null, writeNotice(newNotice(held, "open", 2)));
    const mailbox = open(documents);
    await mailbox.raise(later, 5_000);
    const left = new Set((await all(mailbox)).map(({ id }) => id));
    expect(left.size).toBe(closedKept + 2);
    expect([left.has("future"), left.has("open"), left.has("old1")]).toEqual([false, true, true]);
    await mailbox.raise({ ...later, evidence: { move: "m3" } }, 5_001);
    expect(await mailbox.read("old1")).not.toBeNull();
    await mailbox.raise({ ...later, evidence: { move: "m4" } }, 5_002);
    expect(await mailbox.read("old1")).toBeNull();
  });

  it("shows what it cannot read, and goes on with the rest", async () => {
    const documents = new MemoryDocuments();
    await documents.swap("notice", "torn", null, "{");
    const mailbox = open(documents);
    await mailbox.raise(move, 100);
    expect(await mailbox.list()).toMatchObject({ notices: [{ about: "coldMove" }], unreadable: ["torn"] });
    await expect(mailbox.read("torn")).rejects.toThrow("JSON");
  });
});

/** Each request takes effect when the scheduler says so. */
function scheduled(documents: MemoryDocuments, scheduler: fc.Scheduler): MemoryDocuments {
  const slow = new Mortal().over(documents);
  return new Proxy(slow, {
    get: (target, name) => {
      const operation: unknown = Reflect.get(target, name);
      if (typeof operation !== "function") return operation;
      return async (...given: unknown[]): Promise<unknown> => {
        await scheduler.schedule(Promise.resolve(), String(name));
        return Reflect.apply(operation, target, given) as unknown;
      };
    },
  });
}
