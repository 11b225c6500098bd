import { createAbort } from "@moorage/core";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { answerLine } from "./answer.ts";
import { deployRequest, image } from "./request.fixture.ts";
import { respond } from "./respond.ts";

type Tree = Record<string, unknown> | unknown[];

/** The example of NIP-19. */
const nsec = "nsec1vl029mgpspedva04g90vltkh6fvh240zqtv9k0t9af8935ke9laqsnlfe5";
/** Also where it is none of the request's secrets any more, its form gives it away; but not within another word. */
const keyAsAWord = new RegExp(`\\b${nsec}`);
const missing = "/nowhere/no-kubeconfig";

/** A request that has every field. */
const whole = deployRequest({
  agent: {
    private_key_nsec: nsec,
    respond_to: "allowlist",
    respond_to_allowlist: ["c".repeat(64)],
    env_vars: { LEGACY: "legacy-value" },
    system_prompt: "Be brief.",
    provider: "some-provider",
    turn_timeout_seconds: 60,
  },
  launch: { env: { A_TOKEN: "token-of-a-model", GOOSE_MODEL: "model-of-the-user" } },
  config: {
    context: "test",
    cpu_request: "500m",
    memory_limit: "4Gi",
    inactivity_seconds: "600",
    pod_options: {
      node_selector: { disk: "fast" },
      tolerations: [{ key: "gpu", operator: "Exists", tolerationSeconds: 5 }],
      active_deadline_seconds: 3600,
    },
  },
});

const text = fc.oneof(
  fc.string({ maxLength: 60 }),
  fc.string({ maxLength: 20, unit: "binary" }),
  fc.constantFrom("\ud83d", "\0", " ", "\n", "relay-mesh", "allowlist", "BUZZ_ACP_NO_PRESENCE", "__proto__", "info"),
  fc.constantFrom(
    "x".repeat(5_000),
    "\u0001".repeat(5_000),
    "ä".repeat(200_000),
    image,
    `${image} `,
    "1e3",
    "-1",
    nsec,
  ),
);
const odd = fc.oneof(
  text,
  fc.jsonValue({ maxDepth: 3 }),
  fc.constantFrom<unknown>(null, true, 0, -1, 1.5, 1e308, 2 ** 53, [], {}, [[]], { a: { b: ["c"] } }, [null]),
);

/** One change anywhere: `at` chooses the place, the rest what happens there. */
const change = fc.record({
  at: fc.nat(),
  from: fc.nat(),
  what: fc.constantFrom("replace", "replace", "replace", "remove", "rename", "add", "swap", "wrap", "extend"),
  odd,
  name: text,
});
type Change = typeof change extends fc.Arbitrary<infer One> ? One : never;

function places(tree: Tree): { readonly holder: Record<string, unknown>; readonly key: string }[] {
  const holder = tree as Record<string, unknown>;
  return Object.keys(tree).flatMap((key) => {
    const inside = holder[key];
    const more = typeof inside === "object" && inside !== null ? places(inside as Tree) : [];
    return [{ holder, key }, ...more];
  });
}

function mutate(tree: Tree, { at, from, what, odd: given, name }: Change): void {
  // A copy each time: what is put in twice would hold itself.
  const value = structuredClone(given);
  const all = places(tree);
  const place = all[at % all.length];
  const other = all[from % all.length];
  if (place === undefined || other === undefined) return;
  const { holder, key } = place;
  const present = holder[key];
  switch (what) {
    case "replace":
      holder[key] = value;
      return;
    case "remove":
      delete holder[key];
      return;
    case "rename":
      delete holder[key];
      define(holder, name, present);
      return;
    case "add":
      define(typeof present === "object" && present !== null ? present : holder, name, value);
      return;
    case "swap":
      // By values, so that nothing comes to hold itself.
      [holder[key], other.holder[other.key]] = [structuredClone(other.holder[other.key]), structuredClone(present)];
      return;
    case "wrap":
      holder[key] = [present];
      return;
    case "extend":
      if (typeof present === "string") holder[key] = `${present}${name}`;
      return;
    default:
      what satisfies never;
  }
}

/** As JSON.parse does it, which takes `__proto__` for a name like others. */
function define(holder: object, name: string, value: unknown): void {
  Object.defineProperty(holder, name, { value, configurable: true, enumerable: true, writable: true });
}

/** What must be told nowhere, found here in its own way. */
function secretsOf(request: unknown): string[] {
  const inside = (value: unknown): Record<string, unknown> =>
    typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : {};
  const agent = inside(inside(request)["agent"]);
  const launch = inside(agent["launch"]);
  return [
    agent["private_key_nsec"],
    agent["auth_tag"],
    ...[agent["env_vars"], launch["env"], launch["policy_env"]].flatMap((one) => Object.values(inside(one))),
  ].filter((one) => typeof one === "string" && one.length >= 4) as string[];
}

async function ask(
  bytes: Uint8Array,
): Promise<{ readonly ok: boolean; readonly error: string; readonly told: string }> {
  const told: string[] = [];
  const env = { HOME: "/nowhere", KUBECONFIG: missing };
  const answer = await respond(
    bytes,
    { env, signal: createAbort().signal, tell: (line) => void told.push(line) },
    () => 0,
  );
  const line = answerLine(answer);
  expect(Buffer.byteLength(line)).toBeLessThan(10_000);
  expect(line.indexOf("\n")).toBe(line.length - 1);
  const read = JSON.parse(line) as { ok: boolean; error?: string };
  expect((read.error ?? "").isWellFormed()).toBe(true);
  if (!read.ok) expect(Object.keys(read)).toEqual(["ok", "error"]);
  return { ok: read.ok, error: read.error ?? "", told: told.join("") };
}

test("a thousand mutations of a valid request have one answer each, without a secret, and none reaches a cluster", async () => {
  const seen = { refused: 0, whole: 0 };
  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 4 }), async (changes) => {
      const request = structuredClone(whole) as Record<string, unknown>;
      for (const one of changes) mutate(request, one);
      const bytes = Buffer.from(JSON.stringify(request));
      const { ok, error, told } = await ask(bytes);
      const parsed: unknown = JSON.parse(bytes.toString());
      expect(ok).toBe(Object.hasOwn(request, "op") && request["op"] === "info");
      if (!ok) expect(error).not.toBe("");
      expect(error).not.toContain("a fault of the provider itself");
      expect(told).toBe("");
      for (const secret of secretsOf(parsed)) expect(error).not.toContain(secret);
      expect(error).not.toMatch(keyAsAWord);
      // The only two ends: something is refused by its name, or a kubeconfig is wanted, which is not there.
      if (error.includes("no-kubeconfig") || error.startsWith("there is no kubeconfig")) seen.whole += 1;
      else seen.refused += 1;
    }),
    { numRuns: 1_000 },
  );
  expect(seen.refused).toBeGreaterThan(200);
  expect(seen.whole).toBeGreaterThan(50);
});

test("and so do a thousand requests that were damaged on their way, byte by byte", async () => {
  const sent = Buffer.from(JSON.stringify(whole));
  const damage = fc.record({
    at: fc.nat(sent.length),
    length: fc.oneof(fc.constant(0), fc.constant(1), fc.nat(sent.length)),
    instead: fc.oneof(
      fc.uint8Array({ maxLength: 8 }),
      fc.string({ maxLength: 4 }).map((one) => Buffer.from(one)),
    ),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(damage, { minLength: 1, maxLength: 3 }), async (damages) => {
      let bytes = sent;
      for (const { at, length, instead } of damages)
        bytes = Buffer.concat([bytes.subarray(0, at), instead, bytes.subarray(at + length)]);
      const { error, told } = await ask(bytes);
      expect(error).not.toContain("a fault of the provider itself");
      expect(told).toBe("");
      for (const secret of [nsec, "tag-of-the-owner", "token-of-a-model", "model-of-the-user", "legacy-value"])
        expect(error).not.toContain(secret);
    }),
    { numRuns: 1_000 },
  );
});
