import { expect, test } from "vitest";
import { commandHere } from "../run.fixture.ts";
import { usageError } from "./cli-error.ts";
import { reportOf } from "./report.ts";

test("an error of ours keeps its code, message, hint and details", () => {
  expect(reportOf(usageError("m", "h"))).toEqual({ code: "usage", message: "m", hint: "h", details: {} });
});

test("anything else is a bug, told with where to report it and without a stack", () => {
  const report = reportOf(new TypeError("x is not a function"));
  expect(report).toMatchObject({ code: "internal", message: expect.stringContaining("bug of moorage") as string });
  expect(JSON.stringify(report)).not.toContain("report.test.ts");
  expect(reportOf("text").message).toContain("text");
});

test("an error is told on standard error in people's form, and alone on standard output as JSON", async () => {
  await using here = commandHere();
  const told = await here.run(["status", "--nonsense"]);
  expect(told).toMatchObject({ exit: 2, stdout: "" });
  expect(told.stderr).toMatch(/^error: .*\nhint: .*\n$/);
  const json = await here.run(["status", "--nonsense", "--json"]);
  expect(json.stderr).toBe("");
  expect(JSON.parse(json.stdout)).toMatchObject({ kind: "Error", code: "usage" });
});
