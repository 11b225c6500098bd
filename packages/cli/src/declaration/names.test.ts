import { expect, test } from "vitest";
import { environmentFault, envKeyFault, envValueFault, nameFault } from "./names.ts";

test.each(["a", "scribe", "a-1", "0", "x".repeat(63)])("%s is a name", (name) => {
  expect(nameFault(name)).toBeNull();
});

test.each([
  ["", "empty"],
  ["a/b", '"/"'],
  ["..", '"."'],
  ["Scribe", "upper case"],
  ["x".repeat(64), "64 characters"],
  ["x".repeat(300), "300 characters"],
  ["a🙂", '"🙂"'],
  ["-a", "begins or ends"],
  ["a-", "begins or ends"],
  ["self", "agent that calls"],
  ["a b", '" "'],
])("%.12j is no name", (name, reason) => {
  expect(nameFault(name)?.message).toContain(reason);
});

test("a name in upper case is told in lower case", () => {
  expect(nameFault("Scribe")?.hint).toBe("write scribe");
});

test.each(["A", "_", "a1", "LOG_LEVEL"])("%s is a variable", (key) => {
  expect(envKeyFault(key)).toBeNull();
});

test.each(["", "1A", "A-B", "A B", "A=B", "é", "A\0", "MOORAGE_SOCKET"])("%j is none", (key) => {
  expect(envKeyFault(key)).not.toBeNull();
});

test("an entry may be 131,071 bytes long and not one more, whatever the letters", () => {
  expect(envValueFault("K", "x".repeat(131_069))).toBeNull();
  expect(envValueFault("K", "x".repeat(131_070))?.message).toContain("131072");
  expect(envValueFault("K", "é".repeat(65_535))?.message).toContain("131072");
});

test("a NUL is refused, and no value is ever told", () => {
  const fault = envValueFault("K", "hunter2\0");
  expect(fault?.message).toContain("NUL");
  expect(JSON.stringify(fault)).not.toContain("hunter2");
});

test("all entries together may be a mebibyte", () => {
  const entries = (count: number): [string, string][] =>
    Array.from({ length: count }, (_, at) => [`K${at}`, "x".repeat(100_000)]);
  expect(environmentFault(entries(10))).toBeNull();
  expect(environmentFault(entries(11))).not.toBeNull();
});
