import { Ajv2020 } from "ajv/dist/2020.js";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { configSchema } from "./config-schema.ts";
import { readProviderConfig } from "./provider-config.ts";
import { image } from "./request.fixture.ts";

interface Schema {
  readonly type?: string;
  readonly pattern?: string;
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | false;
  readonly items?: Schema;
}

const schema = configSchema(() => 0) as Schema;
const validate = new Ajv2020({ strict: true }).compile(schema);

/** Anything of this shape, made from what the schema itself says. */
function valid(of: Schema): fc.Arbitrary<unknown> {
  if (of.enum !== undefined) return fc.constantFrom(...of.enum);
  switch (of.type) {
    case "string":
      return of.pattern === undefined ? fc.string({ maxLength: 20 }) : fc.stringMatching(new RegExp(of.pattern));
    case "number":
    case "integer":
      return fc.integer({ min: of.minimum ?? 0, max: of.maximum ?? 0 });
    case "array":
      return fc.array(valid(of.items ?? {}), { maxLength: 3 });
    case "object": {
      const { properties, additionalProperties, required = [] } = of;
      if (properties === undefined)
        return fc.dictionary(fc.string({ maxLength: 8 }), valid(additionalProperties || {}), { maxKeys: 3 });
      const model = Object.fromEntries(Object.entries(properties).map(([name, one]) => [name, valid(one)]));
      return fc.record(model, { requiredKeys: [...required] });
    }
    default:
      throw new Error(`the schema has a type that this test does not know: ${of.type}`);
  }
}

const anything = fc.oneof(
  fc.string({ maxLength: 8 }),
  fc.constantFrom<unknown>(
    "1",
    " 2 ",
    "",
    "1.5",
    image,
    0,
    -1,
    1.5,
    2 ** 31,
    2 ** 53,
    1e300,
    true,
    null,
    [],
    {},
    [{}],
    ["a"],
    { a: 1 },
  ),
);

/** One value of it, at any depth, is replaced by anything. */
const almost = fc
  .tuple(valid(schema), fc.nat(), anything)
  .map(([config, at, instead]) => replaced(structuredClone(config), at, instead));

function replaced(config: unknown, at: number, instead: unknown): unknown {
  const places: (() => void)[] = [];
  const walk = (holder: object): void => {
    for (const [key, inside] of Object.entries(holder)) {
      places.push(() => Object.assign(holder, { [key]: instead }));
      if (typeof inside === "object" && inside !== null) walk(inside);
    }
  };
  walk(config as object);
  places[at % places.length]?.();
  return config;
}

function refusal(config: unknown): string | null {
  try {
    readProviderConfig(config);
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : "";
  }
}

/** What no schema can say: the grammar of images, and what one field means for another. */
const beyond =
  /^provider_config\.image: .* (?:is no image|is not pinned)|^provider_config\.\S+: \S+ is more than its limit/;

test("whatever has the shape of the schema is read, unless for a reason that no schema can say", () => {
  const seen = { read: 0, beyond: 0 };
  fc.assert(
    fc.property(valid(schema), fc.boolean(), (made, pinned) => {
      const config = pinned ? { ...(made as object), image } : made;
      expect(validate(config), JSON.stringify(validate.errors)).toBe(true);
      const refused = refusal(config);
      if (refused === null) seen.read += 1;
      else {
        expect(refused).toMatch(beyond);
        seen.beyond += 1;
      }
    }),
    { numRuns: 2_000 },
  );
  expect(seen.read).toBeGreaterThan(200);
  expect(seen.beyond).toBeGreaterThan(200);
});

test("what is refused by its type, or because nobody knows it, is refused by the schema too", () => {
  let types = 0;
  fc.assert(
    fc.property(almost, (config) => {
      const refused = refusal(config);
      if (refused === null || beyond.test(refused)) return;
      types += 1;
      expect(validate(config), refused).toBe(false);
    }),
    { numRuns: 4_000 },
  );
  expect(types).toBeGreaterThan(500);
});

test("what the schema takes is never refused by its type", () => {
  fc.assert(
    fc.property(almost, (config) => {
      if (!validate(config)) return;
      const refused = refusal(config);
      if (refused !== null) expect(refused).toMatch(beyond);
    }),
    { numRuns: 4_000 },
  );
});
