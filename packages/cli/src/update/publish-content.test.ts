import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readCatalogContent } from "@moorage/bundle";
import { afterEach, beforeEach, expect, test } from "vitest";
import { CliError } from "../errors/cli-error.ts";
import { exitOfError } from "../errors/exit-code.ts";
import type { CatalogLine } from "./catalog-line.ts";
import { folderState, publishedOf, storeOf } from "./catalog-line.ts";
import { publishContent } from "./publish-content.ts";
import { sequenceOf } from "./publish-edited.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "publish-"));
  mkdirSync(join(folder, "prompts"));
  write("one");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const place = (): { bundlesFolder: string; trustFolder: string } => ({
  bundlesFolder: join(folder, "bundles"),
  trustFolder: join(folder, "trust"),
});

function line(wireVersion = 1): CatalogLine {
  return {
    channel: { fleet: "writers", catalog: "prompts" },
    path: join(folder, "prompts"),
    target: { wireVersion, eventLogSchema: 1, crdApiVersion: "moorage.dev/v1alpha1" },
    agents: ["scribe"],
  };
}

function write(text: string): void {
  writeFileSync(join(folder, "prompts", "system.md"), `${text}\n`);
}

test("of two that publish on one parent the later loses, exit 5, and what it read is not tried again", () => {
  const store = storeOf(place());
  const first = readCatalogContent(line().path);
  expect(sequenceOf(publishContent(line(), first, null, place()), line().channel)).toBe(1);
  const parent = publishedOf(store, line().channel);
  write("two");
  const two = readCatalogContent(line().path);
  write("three");
  const three = readCatalogContent(line().path);
  expect(publishContent(line(), three, parent, place()).kind).toBe("published");
  const late = publishContent(line(), two, parent, place());
  let error: unknown;
  try {
    sequenceOf(late, line().channel);
  } catch (thrown) {
    error = thrown;
  }
  expect(error).toBeInstanceOf(CliError);
  expect(exitOfError((error as CliError).code)).toBe(5);
  expect((error as CliError).message).toContain("number 2");
  expect(publishedOf(store, line().channel)?.manifest.catalogHash).toBe(three.catalog.hash);
});

test("a folder is edited when its content, its formats or the root that counts are others", () => {
  const store = storeOf(place());
  expect(folderState(store, line(), null)).toMatchObject({ kind: "edited", published: null });
  publishContent(line(), readCatalogContent(line().path), null, place());
  expect(folderState(store, line(), 1).kind).toBe("published");
  expect(folderState(store, line(2), 1).kind).toBe("edited");
  expect(folderState(store, line(), 2).kind).toBe("edited");
  write("two");
  expect(folderState(store, line(), 1)).toMatchObject({ kind: "edited", published: { head: { sequence: 1 } } });
});

test("the head is read before the folder: content that is older than somebody's publication never comes after it", () => {
  const store = storeOf(place());
  const slow: typeof store = {
    ...store,
    head: (channel) => {
      write("saved after the head was read");
      return store.head(channel);
    },
  };
  const state = folderState(slow, line(), null);
  const { hash } = readCatalogContent(line().path).catalog;
  expect(state).toMatchObject({ kind: "edited", content: { catalog: { hash } } });
});
