import { expect, test } from "vitest";
import { schemaText } from "./json-schema.ts";
import { resultKinds } from "./shapes.ts";

// `vitest -u` writes them anew after a wanted change.
test.each(["Agent" as const, ...resultKinds])(
  "the published schema of %s is the one that is checked against",
  async (kind) => {
    await expect(schemaText(kind)).toMatchFileSnapshot(`../../schema/${kind}.schema.json`);
  },
);

test("the schema of the declaration tells what every key is for", () => {
  const undescribed: string[] = [];
  const look = (node: unknown, path: string): void => {
    if (typeof node !== "object" || node === null) return;
    const { properties } = node as { properties?: Record<string, { description?: string }> };
    for (const [key, value] of Object.entries(properties ?? {})) {
      if (value.description === undefined) undescribed.push(`${path}.${key}`);
      look(value, `${path}.${key}`);
    }
  };
  look(JSON.parse(schemaText("Agent")), "");
  expect(undescribed).toEqual([]);
});
