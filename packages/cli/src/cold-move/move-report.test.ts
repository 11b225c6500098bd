import type { ColdMove, MoveState } from "@moorage/core";
import { expect, test } from "vitest";
import { resultShape } from "../json/shapes.ts";
import { noticeOf } from "../mailbox/notice.fixture.ts";
import { noticeJson } from "../mailbox/notice-json.ts";
import { exitOfMove, moveJson, moveText, reportOfMove } from "./move-report.ts";
import { underWayText } from "./move-words.ts";

const from = { wireVersion: 1, eventLogSchema: 1, crdApiVersion: "moorage.dev/v1alpha1" };
const move: ColdMove = {
  format: 1,
  id: "m1",
  fleet: "writers",
  members: [{ agent: "scribe", oldBuild: "b1", newBuild: "b2" }],
  from,
  to: { ...from, wireVersion: 2 },
  bundle: null,
  migration: null,
  epoch: 1,
  acrossNoReturn: false,
  state: { kind: "proposed" },
  decisions: [],
};
const inState = (state: MoveState): ColdMove => ({ ...move, state });

test.each([
  ["done", 0, 5, 0],
  ["aborted", 5, 0, 0],
  ["rolledBack", 5, 0, 0],
  ["waiting", 4, 4, 4],
  ["held", 4, 4, 4],
  ["busy", 3, 3, 3],
  ["takenOver", 5, 5, 5],
  ["nothing", 5, 5, 5],
  ["interrupted", 130, 130, 130],
] as const)(
  "%s is exit %d for the new formats, %d for the old ones, %d for going on",
  (outcome, fresh, old, either) => {
    const report = { fleet: "writers", outcome, move, notice: null };
    expect((["new", "old", "either"] as const).map((wanted) => exitOfMove(report, wanted))).toEqual([
      fresh,
      old,
      either,
    ]);
    expect(moveText(report)).toContain("fleet writers");
  },
);

test.each<[MoveState, RegExp]>([
  [{ kind: "proposed" }, /\(wire version 1 → 2\) waits for approval: `moorage mailbox list`/],
  [{ kind: "quiescing", cleared: false }, /is under way, quiescing: .*; `moorage update apply` goes on with it/],
  [
    { kind: "held", at: { kind: "switched" }, why: "it failed\nin two lines" },
    /held while switched: it failed; `moorage mailbox/,
  ],
  [
    { kind: "returning", phase: "closing", cleared: false, outcome: "aborted" },
    /under way, returning: the fleet is closed/,
  ],
])("one sentence about %j", (state, sentence) => {
  expect(underWayText(inState(state))).toMatch(sentence);
});

test("a report fits its published shape", () => {
  const held = inState({ kind: "held", at: { kind: "stopped" }, why: "no" });
  const report = reportOfMove("writers", { kind: "held", move: held, notice: noticeOf() });
  for (const told of [report, reportOfMove("writers", { kind: "busy" })])
    resultShape("MailboxDecision").parse({
      apiVersion: "moorage.dev/cli/v1",
      kind: "MailboxDecision",
      notice: noticeJson(noticeOf()),
      retry: null,
      move: moveJson(told),
    });
});
