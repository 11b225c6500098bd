import { expect, it } from "vitest";
import * as read from "./plain-data.ts";

/** A reader that takes anything, `undefined` too. */
const anything: read.Reader<unknown> = (value) => value;

it("a field that is missing is named, also where its reader would take nothing at all", () => {
  const shape = read.fields<{ a: unknown; b: unknown }>({ a: anything, b: anything });
  expect(shape({ a: 1, b: undefined }, "x")).toEqual({ a: 1, b: undefined });
  expect(() => shape({ a: 1 }, "x")).toThrow(expect.objectContaining({ code: "notReadable", place: "x.b" }));
  expect(() => shape({ a: 1, b: 2, c: 3 }, "x")).toThrow(expect.objectContaining({ code: "notReadable" }));
});
