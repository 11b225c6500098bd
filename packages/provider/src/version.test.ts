import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { providerVersion } from "./version.ts";

it("the version is the package's", () => {
  const manifest = readFileSync(new URL("../package.json", import.meta.url), "utf8");
  expect(providerVersion).toBe((JSON.parse(manifest) as { version: string }).version);
});
