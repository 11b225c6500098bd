/** Random changes to a valid request: of what stands in it, and of its bytes. */
import fc from "fast-check";
import { deployRequest, secretValues } from "./request.ts";

type Path = readonly (string | number)[];

/** Every place in a value, itself left out. */
function placesIn(value: unknown, at: Path = []): Path[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inside]) => {
    const place = [...at, Array.isArray(value) ? Number(key) : key];
    return [place, ...placesIn(inside, place)];
  });
}

const places = placesIn(deployRequest());
const remove = Symbol("remove");
const untold = fc.constantFrom<unknown>(...secretValues, ...secretValues.map((secret) => ` ${secret}\n`));
const anything = fc.oneof(
  untold,
  fc.constantFrom<unknown>(
    remove,
    null,
    "",
    " ",
    0,
    -1,
    1e308,
    1.5,
    true,
    [],
    {},
    "0",
    "1e3",
    "\0",
    "\ud800",
    "…".repeat(5_000),
  ),
  fc.constantFrom<unknown>(
    { __proto__: null, constructor: 1 },
    [[]],
    [null],
    { "": "" },
    { toString: secretValues[0] },
  ),
  fc.string({ unit: "binary" }),
  fc.jsonValue({ maxDepth: 3 }),
);
const atPlace = fc.tuple(fc.constantFrom(...places), anything);
const newKey = fc.constantFrom(
  "__proto__",
  "constructor",
  "launch",
  "api_key",
  "BUZZ_ACP_NO_PRESENCE",
  "é",
  "",
  secretValues[3],
);
const added = fc.tuple(
  fc.constantFrom<Path>([], ["agent"], ["agent", "launch"], ["agent", "launch", "env"], ["provider_config"]),
  newKey,
);
const changed = fc.oneof(
  atPlace,
  fc.tuple(
    added.map(([path, key]): Path => [...path, String(key)]),
    anything,
  ),
);

function withChange(request: object, [path, value]: readonly [Path, unknown]): object {
  let holder = request as Record<string | number, unknown>;
  for (const key of path.slice(0, -1)) {
    const inside = holder[key];
    // An earlier change has taken the place away.
    if (typeof inside !== "object" || inside === null) return request;
    holder = inside as Record<string | number, unknown>;
  }
  const key = path.at(-1) ?? "op";
  if (value === remove) delete holder[key];
  // A copy: what a further change puts into it must not be in the next request, nor in itself.
  else
    Object.defineProperty(holder, key, {
      value: structuredClone(value),
      enumerable: true,
      configurable: true,
      writable: true,
    });
  return request;
}

const ofFields = fc
  .array(changed, { minLength: 1, maxLength: 3 })
  .map((changes) => Buffer.from(JSON.stringify(changes.reduce(withChange, deployRequest() as object))));

const whole = Buffer.from(JSON.stringify(deployRequest()));
const ofBytes = fc
  .tuple(fc.nat(whole.length), fc.nat(8), fc.uint8Array({ maxLength: 8 }))
  .map(([at, length, bytes]) => Buffer.concat([whole.subarray(0, at), bytes, whole.subarray(at + length)]));

/** Bytes of a request that is nearly right. */
export const mutations: fc.Arbitrary<Buffer> = fc.oneof(
  { arbitrary: ofFields, weight: 4 },
  { arbitrary: ofBytes, weight: 1 },
);
