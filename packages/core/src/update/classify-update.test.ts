import { expect, it } from "vitest";
import { classifyUpdate, type UpdateTier } from "./classify-update.ts";
import type { Fingerprint } from "./fingerprint.ts";
import { build, hashOf } from "./fingerprints.fixture.ts";

const moved = { toolCatalogHash: hashOf("b") };

const rows: [string, Partial<Fingerprint>, UpdateTier][] = [
  ["nothing moved: only the inside of the build did", {}, "warm"],
  ["the catalog moved", moved, "hot"],
  ["the wire version moved", { wireVersion: 4 }, "cold"],
  ["the event-log schema moved", { eventLogSchema: 8 }, "cold"],
  ["the CRD apiVersion moved", { crdApiVersion: "moorage.dev/v2" }, "cold"],
  ["a format and the catalog moved: cold dominates", { wireVersion: 4, ...moved }, "cold"],
  ["the event log and the catalog moved", { eventLogSchema: 8, ...moved }, "cold"],
  ["the CRD and the catalog moved", { crdApiVersion: "moorage.dev/v2", ...moved }, "cold"],
  ["every format moved", { wireVersion: 4, eventLogSchema: 8, crdApiVersion: "moorage.dev/v2" }, "cold"],
  ["two formats changed places", { wireVersion: 7, eventLogSchema: 3 }, "cold"],
];

it.each(rows)("%s", (_, changes, tier) => {
  expect(classifyUpdate(build(), build(changes))).toBe(tier);
});

it.each(rows)("and the other way round: %s", (_, changes, tier) => {
  expect(classifyUpdate(build(changes), build())).toBe(tier);
});
