// Ways in which a person or a program gets a file wrong, as data: values of another kind, fields that are missing, renamed, repeated or too many, and bytes that were changed on the way.
import type { Json } from "@moorage/core";
import fc from "fast-check";

type JsonRecord = { readonly [key: string]: Json };

export interface Mutation {
  /** What was done, and where. */
  readonly what: string;
  readonly value: Json;
}

const wrong: readonly Json[] = [
  null,
  true,
  false,
  0,
  -1,
  1,
  1.5,
  2 ** 31,
  2 ** 32,
  2 ** 53 - 1,
  1e300,
  "",
  " ",
  "x",
  "../x",
  "/x",
  "\u0000",
  "x\n",
  "caf\u0065\u0301",
  "__proto__",
  "0".repeat(64),
  "f".repeat(64),
  `sha256:${"0".repeat(64)}`,
  `v1:sha256:${"0".repeat(64)}`,
  "x".repeat(70_000),
  [],
  [null],
  ["x", "x"],
  {},
  { x: 1 },
  { __proto__: null, constructor: 1 },
];

/** One value or one field in another way, each in turn. */
export function* mutations(value: Json, what = "$"): Generator<Mutation> {
  for (const other of wrong) yield { what: `${what} = ${JSON.stringify(other).slice(0, 80)}`, value: other };
  if (Array.isArray(value)) {
    yield { what: `${what} turned round`, value: value.toReversed() };
    for (const [index, item] of value.entries()) {
      yield { what: `${what} without ${index}`, value: value.toSpliced(index, 1) };
      yield { what: `${what} with ${index} twice`, value: value.toSpliced(index, 0, item) };
      for (const below of mutations(item, `${what}[${index}]`))
        yield { what: below.what, value: value.with(index, below.value) };
    }
  } else if (isRecord(value)) {
    yield { what: `${what} with one more`, value: { ...value, extra: 1 } };
    for (const [key, item] of Object.entries(value)) {
      const { [key]: _, ...rest } = value;
      yield { what: `${what} without ${key}`, value: rest };
      for (const name of [key.toUpperCase(), `${key} `, `${key}s`, key.replace("e", "\u0435")])
        if (name !== key) yield { what: `${what} with ${name} for ${key}`, value: { ...rest, [name]: item } };
      for (const below of mutations(item, `${what}.${key}`))
        yield { what: below.what, value: { ...value, [key]: below.value } };
    }
  }
}

function isRecord(value: Json): value is JsonRecord {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const interesting = ["\0", "\n", "\r", "\\", '"', "'", "{", "}", "[", "]", ":", ",", "-", "&a ", "*a", "!", "#", "%"];
const inserts = [...interesting, "0", "9".repeat(400), "../", "\ufeff", "\u0301", "\u{1f600}", "<<: ", "---\n", "\xff"];

/** The bytes after one to four accidents: something put in, taken out, said twice, flipped or cut. */
export function damaged(bytes: Uint8Array): fc.Arbitrary<Uint8Array> {
  const accident = fc.record({
    kind: fc.constantFrom("insert", "remove", "repeat", "flip", "cut"),
    at: fc.nat(),
    length: fc.integer({ min: 1, max: 40 }),
    text: fc.constantFrom(...inserts),
    bit: fc.integer({ min: 0, max: 7 }),
  });
  return fc.array(accident, { minLength: 1, maxLength: 4 }).map((accidents) => {
    let result = Buffer.from(bytes);
    for (const { kind, at, length, text, bit } of accidents) {
      const place = at % (result.length + 1);
      const [before, after] = [result.subarray(0, place), result.subarray(place)];
      if (kind === "insert") result = Buffer.concat([before, Buffer.from(text, "latin1"), after]);
      else if (kind === "remove") result = Buffer.concat([before, after.subarray(length)]);
      else if (kind === "repeat") result = Buffer.concat([before, after.subarray(0, length), after]);
      else if (kind === "cut") result = Buffer.from(before);
      else if (place < result.length) result = Buffer.from(result.with(place, result[place]! ^ (1 << bit)));
    }
    return result;
  });
}
