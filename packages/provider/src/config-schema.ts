/** The JSON Schema of `provider_config`, from which a client makes its form. */
import type { ConfigField } from "./config-fields.ts";
import {
  configFields,
  podOptionFields,
  requiredFields,
  tolerationEffects,
  tolerationOperators,
} from "./config-fields.ts";

type Schema = Readonly<Record<string, unknown>>;

const letters = "abcdefghijklmnopqrstuvwxyz0123456789";
const namespaceLetters = 6;

/** A namespace that nobody has yet, for a form to show. */
function freshNamespace(fraction: () => number): string {
  const letter = (): string => letters.charAt(Math.floor(fraction() * letters.length));
  return `buzz-agents-${Array.from({ length: namespaceLetters }, letter).join("")}`;
}

/** Draft 2020-12. Another fresh namespace is the default each time. */
export function configSchema(fraction: () => number): Schema {
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    type: "object",
    additionalProperties: false,
    required: requiredFields,
    properties: {
      ...schemasOf(configFields, { namespace: freshNamespace(fraction) }),
      pod_options: {
        type: "object",
        title: "Placement and bounds",
        description:
          "What a pod may have beside it: where it runs, how much disk, how long. Leave it out to have none.",
        additionalProperties: false,
        properties: schemasOf(podOptionFields),
      },
    },
  };
}

function schemasOf(
  fields: Readonly<Record<string, ConfigField>>,
  fresh: Readonly<Record<string, string>> = {},
): Schema {
  return Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [
      name,
      { ...schemaOf(field, isRequired(name)), ...(fresh[name] === undefined ? {} : { default: fresh[name] }) },
    ]),
  );
}

function isRequired(name: string): boolean {
  return requiredFields.some((required) => required === name);
}

function schemaOf(field: ConfigField, required: boolean): Schema {
  const { title, description } = field;
  const described = { title, description };
  switch (field.kind) {
    case "text":
      return {
        type: "string",
        ...described,
        // What a form leaves empty, it may send as an empty text.
        ...(field.pattern === undefined ? {} : { pattern: required ? field.pattern : `^\\s*$|${field.pattern}` }),
        ...(field.default === undefined ? {} : { default: field.default }),
        ...(field.example === undefined ? {} : { examples: [field.example] }),
      };
    case "count":
      // Not "integer": forms are known to turn what was typed into a number for "number" alone.
      return {
        type: "number",
        ...described,
        minimum: 1,
        maximum: field.most,
        multipleOf: 1,
        ...(field.default === undefined ? {} : { default: field.default }),
      };
    case "labels":
      return { type: "object", ...described, additionalProperties: { type: "string" } };
    case "tolerations":
      return { type: "array", ...described, items: tolerationSchema };
    default:
      return field satisfies never;
  }
}

const tolerationSchema = {
  type: "object",
  additionalProperties: false,
  properties: {
    key: { type: "string", title: "Key", description: "The taint's key. Empty, with Exists: every taint." },
    operator: { enum: tolerationOperators, title: "Operator", description: "How the value is compared." },
    value: { type: "string", title: "Value", description: "The taint's value." },
    effect: { enum: tolerationEffects, title: "Effect", description: "The taint's effect. Empty: every effect." },
    tolerationSeconds: {
      type: "integer",
      title: "Seconds",
      description: "For how long it is tolerated.",
      minimum: Number.MIN_SAFE_INTEGER,
      maximum: Number.MAX_SAFE_INTEGER,
    },
  },
} as const;
