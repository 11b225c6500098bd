// The table of what goes wrong with updates names tests that are there.
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";

const root = new URL("../../", import.meta.url);
const row = /^\| (T\d\d) \| ([^|]*) \| `([^`]+)` \| ([^|]+) \|$/;

const lines = readFileSync(new URL("test/cases/updates.md", root), "utf8")
  .split("\n")
  .filter((line) => line.startsWith("| T"));

describe.each(lines)("%s", (line) => {
  const [, , , file = "", title = ""] = row.exec(line) ?? [];

  test("names a test that is there", () => {
    const place = fileURLToPath(new URL(`packages/${file}`, root));
    expect(existsSync(place)).toBe(true);
    expect(titlesIn(readFileSync(place, "utf8")).filter((one) => one.startsWith(title))).not.toEqual([]);
  });
});

test("the lines are in order, and the first of each says what goes wrong", () => {
  const ids = lines.map((line) => row.exec(line)?.[1] ?? line);
  expect(ids).toEqual(ids.toSorted());
  expect(new Set(ids).size).toBe(44);
  const said = new Set<string>();
  for (const line of lines) {
    const [, id = "", what = ""] = row.exec(line) ?? [];
    if (!said.has(id)) expect(`${id} ${what}`).toMatch(/ \S/);
    said.add(id);
  }
});

/** What stands first in the call of a test or of a group, or of one that is made of rows. */
function titlesIn(source: string): string[] {
  const call = /(?:\b(?:test|it|describe)\(|[\])\]>]\()\s*(["'`])((?:\\.|(?!\1)[^\\])*)\1/g;
  return [...source.matchAll(call)].map(([, , title = ""]) => title);
}
