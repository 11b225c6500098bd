import { Ajv2020 } from "ajv/dist/2020.js";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { configFields, podOptionFields } from "./config-fields.ts";
import { configSchema } from "./config-schema.ts";
import { readProviderConfig } from "./provider-config.ts";
import { image } from "./request.fixture.ts";

type Schema = Readonly<Record<string, unknown>>;
const schema = configSchema(Math.random);
const properties = schema["properties"] as Readonly<Record<string, Schema>>;
const options = (properties["pod_options"] as Schema)["properties"] as Readonly<Record<string, Schema>>;
const validate = new Ajv2020({ strict: true }).compile(schema);

/** What a form shows at first. */
function defaultsOf(fields: Readonly<Record<string, Schema>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, field]) =>
      field["default"] === undefined ? [] : [[name, field["default"]]],
    ),
  );
}

describe("the form", () => {
  it("shows the fields in their order, each with a title and a description", () => {
    expect(Object.keys(properties)).toEqual([...Object.keys(configFields), "pod_options"]);
    expect(Object.keys(options)).toEqual(Object.keys(podOptionFields));
    for (const field of [...Object.values(properties), ...Object.values(options)]) {
      expect(field["title"]).toMatch(/^[A-Z].{3,}[^.]$/);
      expect(field["description"]).toMatch(/^[A-Z].{10,}\.$/);
    }
  });

  it("begins with what the contract has for a default", () => {
    expect(defaultsOf(properties)).toEqual({
      namespace: expect.stringMatching(/^buzz-agents-[a-z0-9]{6}$/),
      cpu_request: "1",
      memory_request: "2Gi",
      cpu_limit: "2",
      memory_limit: "4Gi",
      inactivity_seconds: 7200,
    });
    expect(schema["required"]).toEqual(["namespace", "image"]);
    expect(defaultsOf(options)).toEqual({});
  });

  it("has another namespace each time", () => {
    const name = (): unknown =>
      (configSchema(Math.random)["properties"] as Record<string, Schema>)["namespace"]?.["default"];
    expect(new Set(Array.from({ length: 50 }, name)).size).toBe(50);
  });

  it("may send a field that was left empty as an empty text, where another value stands in for it", () => {
    for (const [name, field] of Object.entries(properties)) {
      if (field["type"] !== "string") continue;
      const required = name === "namespace" || name === "image";
      expect(validate({ namespace: "team", image, [name]: "" }), name).toBe(!required);
      expect(validate({ namespace: "team", image, [name]: "\u0000" }), name).toBe(name === "context");
    }
    expect(validate({ namespace: "team", image, pod_options: { workspace_size_limit: "" } })).toBe(true);
    expect(validate({ namespace: "team", image, pod_options: { workspace_size_limit: "much" } })).toBe(false);
  });

  it("knows the bounds of numbers", () => {
    const tolerated = (tolerationSeconds: unknown) => ({
      namespace: "team",
      image,
      pod_options: { tolerations: [{ tolerationSeconds }] },
    });
    for (const wrong of [1.5, "1", 1e300]) expect(validate(tolerated(wrong))).toBe(false);
    for (const right of [0, -1, 300]) expect(validate(tolerated(right))).toBe(true);
    const life = (active_deadline_seconds: number) => ({
      namespace: "team",
      image,
      pod_options: { active_deadline_seconds },
    });
    for (const wrong of [0, -1, 1.5, 2 ** 31]) expect(validate(life(wrong))).toBe(false);
    expect(validate(life(2 ** 31 - 1))).toBe(true);
    for (const wrong of [0, 0.5, 2 ** 53])
      expect(validate({ namespace: "team", image, inactivity_seconds: wrong })).toBe(false);
  });

  it("is complete with an image, and without one it is not", () => {
    expect(validate({ ...defaultsOf(properties), image })).toBe(true);
    expect(validate(defaultsOf(properties))).toBe(false);
    expect(readProviderConfig({ ...defaultsOf(properties), image })).toMatchObject({ image, inactivitySeconds: 7200 });
    expect(properties["image"]?.["examples"]).toEqual([expect.stringContaining("@sha256:")]);
  });
});

describe("form and reading agree", () => {
  const text = fc.oneof(
    fc.string({ maxLength: 12 }),
    fc.constantFrom("1", "500m", "2Gi", "team", image, "x:1", "4e2", ""),
  );
  const value = fc.oneof(
    text,
    fc.integer(),
    fc.double({ noNaN: true }),
    fc.boolean(),
    fc.constant(null),
    fc.array(text),
  );
  const names = [...Object.keys(properties), "unknown"];
  const config = fc
    .dictionary(fc.constantFrom(...names), value, { maxKeys: 4 })
    .map((more) => ({ namespace: "team", image, ...more }));

  function refusal(what: unknown): string | null {
    try {
      readProviderConfig(what);
      return null;
    } catch (error) {
      return error instanceof Error ? error.message : "";
    }
  }

  it("what the form takes is read, unless for a reason that a schema cannot tell", () => {
    fc.assert(
      fc.property(config, (what) => {
        if (!validate(what)) return;
        const refused = refusal(what);
        if (refused !== null) expect(refused).toMatch(/is no image|is more than its limit|is no namespace|is required/);
      }),
      { numRuns: 3_000 },
    );
  });

  it("what is read, the form takes: but for blanks, null and numbers as texts", () => {
    fc.assert(
      fc.property(config, (what) => {
        if (refusal(what) !== null) return;
        const strict = Object.entries(what).filter(
          ([name, one]) =>
            one !== null &&
            !(typeof one === "string" && one.trim() === "") &&
            !(name === "inactivity_seconds" && typeof one === "string"),
        );
        const trimmed = strict.map(([name, one]) => [name, typeof one === "string" ? one.trim() : one] as const);
        expect(validate(Object.fromEntries(trimmed)), JSON.stringify(what)).toBe(true);
      }),
      { numRuns: 3_000 },
    );
  });
});
