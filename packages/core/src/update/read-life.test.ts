import { describe, expect, it } from "vitest";
import { PlainDataError } from "../plain-data.ts";
import { runtimeTargetOf } from "./fingerprint.ts";
import { build } from "./fingerprints.fixture.ts";
import { bundleOf, Driver, settled } from "./life.fixture.ts";
import type { Life } from "./life.ts";
import { readLife, writeLife } from "./read-life.ts";

const b = bundleOf(2, "b");
const c = bundleOf(3, "c");
const crash = { kind: "faltered", reason: "crash", detail: "exit code 1" } as const;

/** Between them every state that a life, a bundle on its way and a quarantine can have. */
const lives: Life[] = [
  new Driver().life,
  settled().life,
  settled().offer(b).life,
  settled().offer(b).tell({ kind: "failed", digest: "d2", cause: "timeout" }).life,
  settled().offer(b).tell({ kind: "fetched", digest: "d2" }).check(b).life,
  settled().stage(b).tell({ kind: "notNow", digest: "d2" }).life,
  settled().tryOut(b).stage(c).life,
  settled().tryOut(b).tell(crash).life,
  settled().tryOut(b).tell(crash).tell(crash).life,
  new Driver().start({ bundle: b, confirmed: false }).tell(crash).life,
  settled()
    .offer(b)
    .tell({ kind: "fetched", digest: "d2" })
    .check(b, { target: runtimeTargetOf(build({ wireVersion: 9 })) }).life,
];

it("reads what it wrote", () => {
  for (const life of lives) expect(readLife(writeLife(life))).toEqual(life);
});

/** Every place of a value, with a way to change it. */
function* places(value: unknown, path: readonly (string | number)[] = []): Generator<readonly (string | number)[]> {
  if (path.length > 0) yield path;
  if (typeof value !== "object" || value === null) return;
  for (const [key, item] of Object.entries(value)) yield* places(item, [...path, key]);
}

function changed(
  life: Life,
  path: readonly (string | number)[],
  change: (holder: Record<string, unknown>, key: string) => void,
): string {
  const copy = JSON.parse(JSON.stringify(life)) as Record<string, unknown>;
  let holder = copy;
  for (const key of path.slice(0, -1)) holder = holder[key] as Record<string, unknown>;
  change(holder, String(path.at(-1)));
  return JSON.stringify(copy);
}

describe("is strict", () => {
  it("about every field: missing, of another type, and one too many", () => {
    for (const life of lives) {
      for (const path of places(life)) {
        const wrong = [changed(life, path, (holder, key) => (holder[key] = [true]))];
        // An item of a list may be gone, and a list holds no field.
        if (path.length !== 2 || path[0] !== "quarantine") {
          wrong.push(changed(life, path, (holder, key) => delete holder[key]));
          wrong.push(changed(life, path, (holder) => (holder["more"] = 1)));
        }
        for (const written of wrong) expect(() => readLife(written), path.join(".")).toThrow(PlainDataError);
      }
    }
  });

  it.each([
    ["not JSON", "{"],
    ["empty", ""],
    ["another format", JSON.stringify({ ...lives[0], format: 2 })],
    ["a later format with other fields", JSON.stringify({ format: 2, other: true })],
    ["nothing", "null"],
  ])("%s", (_, written) => {
    expect(() => readLife(written)).toThrow(PlainDataError);
  });

  it("and names the place", () => {
    const life = settled().stage(b).life;
    expect(() => readLife(changed(life, ["next", "bundle", "sequence"], (holder, key) => (holder[key] = -1)))).toThrow(
      "next.bundle.sequence is not a whole number",
    );
    expect(() => readLife(JSON.stringify({ format: 2, other: true }))).toThrow("format is not one of 1");
  });
});
