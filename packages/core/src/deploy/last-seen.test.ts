import { expect, it } from "vitest";
import { LastSeen } from "./last-seen.ts";
import { evidence, instance } from "./observed.fixture.ts";

it("P1: a late hint of the time before it started does not hide that it was seen running", () => {
  const seen = new LastSeen();
  const running = instance(evidence.started);
  seen.noteRemoved(running, "2");
  seen.note(instance(evidence.recoverable), "1");
  expect(seen.absent(null)).toEqual([{ instance: running, version: "2" }]);
});

it("its end, once seen, takes the place of that it ran", () => {
  const seen = new LastSeen();
  seen.note(instance(evidence.started), "1");
  const ended = instance(evidence.terminated);
  seen.note(ended, "2");
  expect(seen.absent(null)).toEqual([{ instance: ended, version: "2" }]);
});
