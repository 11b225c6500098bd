import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Catalog } from "./catalog.ts";
import { catalogOpener } from "./catalog.ts";

const environment = new Map<string, string>();
const openCatalog = catalogOpener((name) => environment.get(name));
let directory: string;
let catalog: Catalog;

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), "agent-catalog-"));
  mkdirSync(join(directory, "catalog", "prompts"), { recursive: true });
  writeFileSync(join(directory, "secret"), "not yours");
  writeFileSync(join(directory, "catalog", "prompts", "system.md"), "be kind, ü");
  writeFileSync(join(directory, "catalog", "routes.json"), '{"model":"small"}');
  catalog = openCatalog(join(directory, "catalog"));
});
afterAll(() => rmSync(directory, { recursive: true }));

describe("a catalog", () => {
  it("has text, bytes, JSON and a list", () => {
    expect(catalog.text("prompts/system.md")).toBe("be kind, ü");
    expect(catalog.bytes("prompts/system.md")).toHaveLength(11);
    expect(catalog.json("routes.json")).toEqual({ model: "small" });
    expect(catalog.list()).toEqual(["prompts/system.md", "routes.json"]);
  });

  it.each([
    ["none.md", "noSuchFile"],
    ["prompts", "noSuchFile"],
    ["../secret", "badPath"],
    ["/etc/passwd", "badPath"],
    ["prompts/../routes.json", "badPath"],
    ["prompts\\system.md", "badPath"],
    ["", "badPath"],
    ["a\0b", "badPath"],
  ])("has no %j: %s", (path, code) => {
    expect(() => catalog.text(path)).toThrowError(expect.objectContaining({ code }));
  });

  it("tells what is not JSON", () => {
    expect(() => catalog.json("prompts/system.md")).toThrowError(expect.objectContaining({ code: "notJson" }));
  });

  it("has what it refers to from the environment, and tells what is not there", () => {
    const write = (name: string, text: string): void => writeFileSync(join(directory, "catalog", name), text);
    write("use.md", "with ${secret:CATALOG_TEST_KEY}");
    write("use.json", '{"key":"${secret:CATALOG_TEST_KEY}","list":["${secret:CATALOG_TEST_KEY}"]}');
    try {
      expect(() => catalog.text("use.md")).toThrowError(
        expect.objectContaining({ code: "secretMissing", message: expect.stringContaining("CATALOG_TEST_KEY") }),
      );
      expect(() => catalog.json("use.json")).toThrowError(expect.objectContaining({ code: "secretMissing" }));
      environment.set("CATALOG_TEST_KEY", 'a"$&');
      expect(catalog.text("use.md")).toBe('with a"$&');
      expect(catalog.json("use.json")).toEqual({ key: 'a"$&', list: ['a"$&'] });
      expect(Buffer.from(catalog.bytes("use.md")).toString()).toBe("with ${secret:CATALOG_TEST_KEY}");
    } finally {
      environment.clear();
      for (const name of ["use.md", "use.json"]) rmSync(join(directory, "catalog", name));
    }
  });

  it("that there is none of says so", () => {
    expect(() => openCatalog(null).list()).toThrowError(expect.objectContaining({ code: "noCatalog" }));
    expect(() => openCatalog(null).text("a")).toThrowError(expect.objectContaining({ code: "noCatalog" }));
  });
});
