/** A declaration from its files to its agents: every mistake of every document comes out at once, before anything else happens. */
import * as z from "zod/mini";
import type { DeclaredAgent } from "./agent.ts";
import { agentOf } from "./agent.ts";
import type { AgentDocument, SpecDocument } from "./document.ts";
import type { Mistake, Step } from "./mistake.ts";
import { declarationError } from "./mistake.ts";
import type { Target } from "./rules.ts";
import { ruleMistakes } from "./rules.ts";
import { agentShape } from "./shape.ts";
import type { ShapeMistake } from "./shape-mistakes.ts";
import { shapeMistakes } from "./shape-mistakes.ts";
import type { SourceFile } from "./source-file.ts";
import { readSourceFiles } from "./source-file.ts";
import type { YamlDocument } from "./yaml-documents.ts";
import { readYaml } from "./yaml-documents.ts";

// Compiling a checker costs more than the one check that a command makes.
const uncompiled = { jitless: true } as const;

export interface LoadOptions {
  readonly cwd: string;
  readonly target: Target;
}

/**
 * The agents of a declaration, in its order. `named` is a file or a folder.
 * Throws `declarationMissing`, `declarationUnreadable` or `declarationInvalid`, each exit 2.
 */
export function loadDeclaration(named: string, { cwd, target }: LoadOptions): DeclaredAgent[] {
  const agents: DeclaredAgent[] = [];
  const mistakes: Mistake[] = [];
  const places = new Map<string, Mistake>();
  const catalogs = new Map<string, CatalogPlace>();
  for (const file of readSourceFiles(named, cwd)) {
    const before = mistakes.length;
    const reading = readYaml(file.text, file.shown);
    mistakes.push(...reading.mistakes);
    if (reading.documents.length === 0 && reading.mistakes.length === 0) mistakes.push(emptyMistake(file));
    for (const document of reading.documents) {
      const checked = checkDocument(document, target, file.directory);
      mistakes.push(...checked.mistakes, ...repeatedName(document, places));
      if (checked.document === undefined) continue;
      const agent = agentOf(checked.document, file.path, file.directory);
      mistakes.push(...otherFolder(agent, document, catalogs));
      agents.push(agent);
    }
    mistakes.push(...mistakes.splice(before).sort(byPlace));
  }
  if (mistakes.length > 0) throw declarationError(mistakes);
  return agents;
}

function byPlace(one: Mistake, other: Mistake): number {
  return (one.line ?? 0) - (other.line ?? 0) || (one.column ?? 0) - (other.column ?? 0);
}

function emptyMistake(file: SourceFile): Mistake {
  const hint = "`moorage init` writes an example";
  return { file: file.shown, line: 1, column: 1, path: "", message: "declares nothing", hint };
}

function checkDocument(
  document: YamlDocument,
  target: Target,
  directory: string,
): { mistakes: Mistake[]; document: AgentDocument | undefined } {
  const result = z.safeParse(agentShape, document.value, uncompiled);
  const found = result.success ? [] : shapeMistakes(result.error.issues, document.value);
  const broken = new Set(found.flatMap(({ steps }) => (steps[0] === "spec" ? [String(steps[1] ?? "run")] : [])));
  const spec = result.success ? result.data.spec : readableSpec(document.value, found);
  if (spec !== undefined) found.push(...ruleMistakes(spec, { target, directory, broken }));
  return {
    mistakes: found.map(({ steps, at, message, hint }) => document.mistakeAt(steps, at, { message, hint })),
    document: result.success && found.length === 0 ? result.data : undefined,
  };
}

/** What of a `spec` with mistakes can still be judged by the rules: it, without every key of it that has one. */
function readableSpec(value: unknown, mistakes: readonly ShapeMistake[]): SpecDocument | undefined {
  const { spec } = (typeof value === "object" && value !== null ? value : {}) as { spec?: unknown };
  if (typeof spec !== "object" || spec === null || Array.isArray(spec)) return undefined;
  const readable: Record<string, unknown> = { run: {}, ...spec };
  for (const { steps } of mistakes) {
    const [top, key, within] = steps;
    if (top !== "spec" || key === undefined) continue;
    const group = readable[key];
    const keyed = (key === "env" || key === "secretEnv") && within !== undefined;
    if (keyed && typeof group === "object" && group !== null)
      readable[key] = Object.fromEntries(Object.entries(group).filter(([name]) => name !== within));
    else readable[key] = key === "run" ? {} : undefined;
  }
  return readable as unknown as SpecDocument;
}

interface CatalogPlace {
  readonly path: string;
  readonly agent: string;
}

/** Two folders cannot be one line of bundles: each would publish over the other. */
function otherFolder(agent: DeclaredAgent, document: YamlDocument, catalogs: Map<string, CatalogPlace>): Mistake[] {
  const { catalog, fleet, name } = agent;
  if (catalog === null) return [];
  const key = `${fleet}/${catalog.name}`;
  const first = catalogs.get(key);
  if (first === undefined) {
    catalogs.set(key, { path: catalog.path, agent: name });
    return [];
  }
  if (first.path === catalog.path) return [];
  const message = `in the fleet ${fleet} the catalog ${catalog.name} is another folder already: ${first.path}, of ${first.agent}`;
  const fault = { message, hint: "give one of them another name: catalog: { path: …, name: … }" };
  return [document.mistakeAt(["spec", "catalog"], "value", fault)];
}

const nameSteps: readonly Step[] = ["metadata", "name"];

/** A name that an earlier document has already; wherever the rest of either is wrong. */
function repeatedName(document: YamlDocument, places: Map<string, Mistake>): Mistake[] {
  const { value } = document;
  const metadata = typeof value === "object" && value !== null && "metadata" in value ? value.metadata : undefined;
  const name = typeof metadata === "object" && metadata !== null && "name" in metadata ? metadata.name : undefined;
  if (typeof name !== "string") return [];
  const here = document.mistakeAt(nameSteps, "value", { message: "", hint: "" });
  const first = places.get(name);
  if (first === undefined) {
    places.set(name, here);
    return [];
  }
  const message = `${JSON.stringify(name)} is declared already, at ${first.file}:${first.line}`;
  return [{ ...here, message, hint: "give each agent a name of its own" }];
}
