// `explain --pull-message`, run as a person or a program runs it: one text, and many at once, without state or cluster.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { command, Place } from "./place.ts";

interface Case {
  readonly reason: string;
  readonly message: string;
  readonly expected: readonly string[];
}

const cases = JSON.parse(
  readFileSync(new URL("../cases/pull-messages.json", import.meta.url), "utf8"),
) as readonly Case[];

describe("explain --pull-message", () => {
  test("says what one text means, and makes no state", async () => {
    await using place = new Place();
    const text = "rpc error: code = Unknown desc = unauthorized: authentication required";
    const told = await place.run(["explain", "--pull-message", text]);
    expect(told).toMatchObject({ exit: 0, stderr: "" });
    expect(told.stdout).toMatch(/^unauthorized: the registry refuses these credentials/);
    expect(told.stdout).toMatch(/→ .*image pull secret/);
    const passing = await place.run(["explain", "--pull-message", "pull QPS exceeded", "--json"]);
    expect(JSON.parse(passing.stdout)).toEqual({
      apiVersion: "moorage.dev/cli/v1",
      kind: "PullDiagnosis",
      verdict: "recoverable",
      cause: "transient:node-throttle",
    });
    const reason = await place.run([
      "explain",
      "--pull-message",
      "whatever",
      "--reason",
      "ErrImageNeverPull",
      "--json",
    ]);
    expect(JSON.parse(reason.stdout)).toMatchObject({ verdict: "never-pull" });
    expect(existsSync(place.state)).toBe(false);
  });

  test("answers JSON lines with as many, in their order", () => {
    const [node, script] = command;
    const input = cases.map(({ reason, message }) => JSON.stringify({ reason, message })).join("\n");
    const { status, stdout, stderr } = spawnSync(node, [script, "explain", "--pull-message", "-"], {
      input,
      encoding: "utf8",
    });
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    const answers = stdout.trimEnd().split("\n");
    expect(answers).toHaveLength(cases.length);
    const wrong = cases.filter(({ expected }, at) => {
      const { verdict } = JSON.parse(answers[at] ?? "") as { readonly verdict: string };
      return !expected.includes(verdict);
    });
    expect(wrong.length / cases.length).toBeLessThanOrEqual(0.03);
  });

  test.each([
    ["no JSON", "manifest unknown\n"],
    ["no text as its message", '{"reason":"ErrImagePull"}\n'],
    ["no text as its message", "null\n"],
  ])("refuses a line that has %s, and names it", (what, line) => {
    const [node, script] = command;
    const good = '{"message":"pull QPS exceeded"}\n';
    const { status, stdout, stderr } = spawnSync(node, [script, "explain", "--pull-message", "-"], {
      input: good + line,
      encoding: "utf8",
    });
    expect(status).toBe(2);
    expect(stdout.trimEnd().split("\n")).toHaveLength(1);
    expect(stderr).toContain(`line 2 of standard input`);
    expect(stderr).toContain(what);
  });

  test("goes with no name, and its reason with nothing else", async () => {
    await using place = new Place();
    expect(await place.run(["explain", "scribe", "--pull-message", "x"])).toMatchObject({ exit: 2 });
    expect(await place.run(["explain", "scribe", "--reason", "x"])).toMatchObject({ exit: 2 });
    expect(await place.run(["explain"])).toMatchObject({ exit: 2 });
  });
});
