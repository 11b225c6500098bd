import { expect, test } from "vitest";
import { exitOfError, exitOfOutcome, worstExit } from "./exit-code.ts";

test.each([
  [[0, 3, 5, 4, 2, 1], 1],
  [[0, 3, 5, 4, 2], 2],
  [[0, 3, 5, 4], 4],
  [[0, 3, 5], 5],
  [[0, 3], 3],
  [[0, 0], 0],
  [[], 0],
  [[1, 130], 130],
])("of %j the exit is %d", (codes, exit) => {
  expect(worstExit(codes)).toBe(exit);
});

test("outcomes have the exits of the contract", () => {
  const exits = (
    [
      "started",
      "alreadyRunning",
      "stopped",
      "nothing",
      "notConfirmed",
      "reported",
      "refused",
      "worldMoved",
      "interrupted",
    ] as const
  ).map(exitOfOutcome);
  expect(exits).toEqual([0, 0, 0, 0, 3, 4, 4, 5, 130]);
});

test.each([
  ["usage", 2],
  ["declarationInvalid", 2],
  ["keyIsPublic", 2],
  ["signingKeyLost", 4],
  ["trustRootDamaged", 4],
  ["stateOtherOwner", 4],
  ["stateLocked", 3],
  ["stateCorrupt", 1],
  ["nobodyKnowsThis", 1],
  ["constructor", 1],
])("an error %s is exit %d", (code, exit) => {
  expect(exitOfError(code)).toBe(exit);
});
