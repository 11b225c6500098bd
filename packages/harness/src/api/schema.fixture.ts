/** As much of JSON Schema as `openapi.json` uses, for the test that holds the server to it. */

export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean;
  readonly properties?: { readonly [name: string]: Schema };
  readonly items?: Schema;
}

type Schemas = { readonly [name: string]: Schema };

/** Every way in which the value is not what the schema says. */
export function mismatches(value: unknown, schema: Schema, schemas: Schemas, where = "$"): string[] {
  if (schema.$ref !== undefined) {
    const target = schemas[schema.$ref.replace("#/components/schemas/", "")];
    return target === undefined ? [`${where}: no ${schema.$ref}`] : mismatches(value, target, schemas, where);
  }
  const found: string[] = [];
  const types = schema.type === undefined ? [] : [schema.type].flat();
  if (types.length > 0 && !types.some((type) => isOfType(value, type)))
    found.push(`${where}: not ${types.join(" or ")}`);
  if (schema.const !== undefined && value !== schema.const) found.push(`${where}: not ${JSON.stringify(schema.const)}`);
  if (schema.enum !== undefined && !schema.enum.includes(value))
    found.push(`${where}: none of ${schema.enum.join(", ")}`);
  if (Array.isArray(value) && schema.items !== undefined)
    for (const [index, item] of value.entries())
      found.push(...mismatches(item, schema.items, schemas, `${where}[${index}]`));
  if (isOfType(value, "object")) {
    const given = value as { readonly [name: string]: unknown };
    for (const name of schema.required ?? []) if (!(name in given)) found.push(`${where}: no ${name}`);
    for (const [name, part] of Object.entries(given)) {
      const of = schema.properties?.[name];
      if (of !== undefined) found.push(...mismatches(part, of, schemas, `${where}.${name}`));
      else if (schema.additionalProperties === false) found.push(`${where}: ${name} is not described`);
    }
  }
  return found;
}

function isOfType(value: unknown, type: string): boolean {
  switch (type) {
    case "object":
      return typeof value === "object" && value !== null && !Array.isArray(value);
    case "array":
      return Array.isArray(value);
    case "integer":
      return Number.isInteger(value);
    case "null":
      return value === null;
    default:
      return typeof value === type;
  }
}
