import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { Output } from "../output/output.ts";
import { noticeOf } from "./notice.fixture.ts";
import { noticeLines, noticeText, stateWords } from "./notice-text.ts";

const stream = new PassThrough() as unknown as NodeJS.WriteStream;
const output = new Output(
  { stdout: stream, stderr: stream },
  { json: false, quiet: false, verbose: false, color: false, terminal: false },
);
const now = Date.parse("2026-03-01T10:05:00Z");

test("a line says who, what about and since when, and the sentence stands below", () => {
  const [head, sentence, ...more] = noticeLines([noticeOf()], [noticeOf()], output, now);
  expect(head).toMatch(/^4f2a {2}fleet writers: a cold move waits for approval, since .*\(5m\)$/);
  expect(sentence).toBe(`  ${noticeOf().reason}`);
  expect(more).toEqual([]);
});

test("one whole shows what was seen, each choice with what it means, and the commands that decide it", () => {
  const text = noticeText(noticeOf(), [noticeOf()], output, now).join("\n");
  expect(text).toContain("id       4f2a09c1d3e5b7a8, revision 1");
  expect(text).toContain(`members  scribe sha256:${"ab".repeat(6)}… → b2`);
  expect(text).toMatch(/`moorage mailbox approve 4f2a` +stop the whole fleet/);
  expect(text).toMatch(/`moorage mailbox reject 4f2a` +nothing is stopped/);
  expect(text).toMatch(/`moorage mailbox snooze 4f2a --for 2h`/);
});

test("what an agent wrote last is quoted line by line", () => {
  const notice = noticeOf({
    about: "bundleReverted",
    subject: { kind: "agent", name: "scribe" },
    evidence: { bundle: "d2", log: "one\ntwo" },
    choices: ["retry", "acknowledge"],
  });
  const lines = noticeText(notice, [notice], output, now);
  expect(lines).toContain("  │ one");
  expect(lines).toContain("  │ two");
  expect(lines.join("\n")).toMatch(/`moorage mailbox decide 4f2a retry` +offer the bundle/);
});

test.each([
  [noticeOf(), null],
  [noticeOf({ choices: [] }), "for knowing only"],
  [noticeOf({ state: { kind: "snoozed", until: now + 1, by: "ann@host", at: now } }), /snoozed until .* by ann@host/],
  [noticeOf({ state: { kind: "snoozed", until: now, by: "ann@host", at: now } }), /which is over/],
  [
    noticeOf({ state: { kind: "decided", choice: "goBack", by: "ann@host", at: now } }),
    /go-back, decided by ann@host at/,
  ],
  [noticeOf({ state: { kind: "superseded", by: "77aa", at: now } }), "superseded by 77aa"],
  [noticeOf({ state: { kind: "superseded", by: null, at: now } }), "over: its facts are gone"],
])("the state of %#", (notice, words) => {
  const told = stateWords(notice, now);
  if (words instanceof RegExp) expect(told).toMatch(words);
  else expect(told).toBe(words);
});

test("what is decided offers nothing any more, and says who decided it", () => {
  const decided = noticeOf({ state: { kind: "decided", choice: "reject", by: "ann@host", at: now }, revision: 2 });
  const text = noticeText(decided, [decided], output, now).join("\n");
  expect(text).toContain("reject, decided by ann@host");
  expect(text).not.toContain("to choose:");
});
