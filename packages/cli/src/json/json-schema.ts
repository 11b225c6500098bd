/** The published JSON Schemas (draft 2020-12), made from the very shapes that check declarations and results. */
import * as z from "zod/mini";
import { agentShape } from "../declaration/shape.ts";
import type { ResultKind } from "./shapes.ts";
import { resultShape } from "./shapes.ts";

/** As the file of the schema holds it. */
export function schemaText(kind: ResultKind | "Agent"): string {
  const shape = kind === "Agent" ? agentShape : resultShape(kind);
  const { $schema, ...rest } = z.toJSONSchema(shape, { io: "input", target: "draft-2020-12" });
  const title = kind === "Agent" ? "Agent of Moorage" : `${kind} of moorage --json`;
  return `${JSON.stringify({ $schema, title, ...rest }, null, 2)}\n`;
}
