import { expect, test } from "vitest";
import { findNotice, shortId } from "./find-notice.ts";
import { noticeOf } from "./notice.fixture.ts";

const all = ["4f2a09c1d3e5b7a8", "4f2a11c1d3e5b7a8", "9b00aa22cc44ee66"].map((id) => noticeOf({ id }));

test.each([
  ["4f2a09c1d3e5b7a8", "4f2a0"],
  ["4f2a11c1d3e5b7a8", "4f2a1"],
  ["9b00aa22cc44ee66", "9b00"],
])("%s is told apart as %s", (id, short) => {
  expect(shortId(id, all)).toBe(short);
  expect(findNotice(short, all).id).toBe(id);
  expect(findNotice(id.toUpperCase(), all).id).toBe(id);
});

test("what begins several is not guessed", () => {
  expect(() => findNotice("4f2a", all)).toThrow(
    expect.objectContaining({ code: "usage", hint: expect.stringContaining("4f2a0, 4f2a1") as string }) as Error,
  );
});

test.each([
  ["9b01", "did you mean 9b00?"],
  ["zzzzzzzz", "`moorage mailbox list --all` shows what is there"],
  ["", "`moorage mailbox list --all` shows what is there"],
])("there is no %j", (word, hint) => {
  const only = all.slice(2);
  expect(() => findNotice(word, only)).toThrow(expect.objectContaining({ code: "noSuchNotice", hint }) as Error);
});
