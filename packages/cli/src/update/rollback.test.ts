import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { readCatalogContent } from "@moorage/bundle";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Output } from "../output/output.ts";
import type { CatalogLine } from "./catalog-line.ts";
import { publishedOf, storeOf } from "./catalog-line.ts";
import type { FleetView } from "./observe-fleet.ts";
import { publishContent } from "./publish-content.ts";
import { rollBack } from "./rollback.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "rollback-"));
  mkdirSync(join(folder, "prompts"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test("what was published after the look at the fleet is not covered by old content: exit 5", () => {
  const place = { bundlesFolder: join(folder, "bundles"), trustFolder: join(folder, "trust") };
  const line: CatalogLine = {
    channel: { fleet: "writers", catalog: "prompts" },
    path: join(folder, "prompts"),
    target: { wireVersion: 1, eventLogSchema: 1, crdApiVersion: "moorage.dev/v1alpha1" },
    agents: ["scribe"],
  };
  const store = storeOf(place);
  const publish = (text: string): void => {
    writeFileSync(join(folder, "prompts", "system.md"), `${text}\n`);
    publishContent(line, readCatalogContent(line.path), publishedOf(store, line.channel), place);
  };
  publish("one");
  publish("two");
  const available = [{ line, source: "published", bundle: null, components: [], head: 2, sameContent: true }] as const;
  const observation = { fleet: "writers", epoch: 1, agents: [] };
  const views: FleetView[] = [{ fleet: "writers", observation, agents: [], available, open: null }];
  publish("three");
  const stream = new PassThrough() as unknown as NodeJS.WriteStream;
  const quiet = { json: false, quiet: true, verbose: false, color: false, terminal: false };
  const output = new Output({ stdout: stream, stderr: stream }, quiet);
  const roll = (): unknown =>
    rollBack([line], views, null, place as Parameters<typeof rollBack>[3], output, () => null);
  expect(roll).toThrow(expect.objectContaining({ code: "publishLost" }) as Error);
  expect(store.head(line.channel)?.sequence).toBe(3);
});
