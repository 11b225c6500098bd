/** What a document's shape cannot say: rules between keys, each with the key that it is told at. */
import { describeDuration } from "../text/duration.ts";
import { defaultCatalogName, defaultDrainMs, defaultGraceMs, milliseconds } from "./agent.ts";
import type { SpecDocument } from "./document.ts";
import type { Fault } from "./names.ts";
import { catalogNameFault, environmentFault } from "./names.ts";
import type { ShapeMistake } from "./shape-mistakes.ts";

/** Where the command is about to run the agents; null when it only needs their names. */
export type Target =
  | { readonly on: "local" }
  /** `imageFault` judges a reference, which may be one that no digest pins where that is allowed. */
  | { readonly on: "kubernetes"; readonly imageFault: (image: string, allowTag: boolean) => Fault | null }
  | null;

export interface RuleOptions {
  readonly target: Target;
  /** The declaration's folder. */
  readonly directory: string;
  /** Keys of `spec` with mistakes of their own: no rule judges by them. */
  readonly broken: ReadonlySet<string>;
}

/** The mistakes between the keys of one document's `spec`. */
export function ruleMistakes(spec: SpecDocument, { target, directory, broken }: RuleOptions): ShapeMistake[] {
  const mistakes = [...environmentMistakes(spec)];
  if (!broken.has("drain") && !broken.has("grace")) mistakes.push(...graceMistakes(spec));
  if (!broken.has("idle") && !broken.has("run")) mistakes.push(...idleMistakes(spec));
  if (!broken.has("health")) mistakes.push(...ageMistakes(spec));
  if (!broken.has("catalog")) mistakes.push(...catalogNameMistakes(spec, directory));
  if (!broken.has("run")) mistakes.push(...runMistakes(spec, target));
  return mistakes;
}

function runMistakes({ run, allowTag = false }: SpecDocument, target: Target): ShapeMistake[] {
  if (run.command === undefined && (target?.on === "local" || run.image === undefined))
    return [
      {
        steps: ["spec", "run"],
        at: "key",
        message: "has no command, which is what runs on this machine",
        hint: "write command: [PROGRAM, ARGUMENT, …]",
      },
    ];
  if (target?.on !== "kubernetes") return [];
  if (run.image === undefined)
    return [
      {
        steps: ["spec", "run"],
        at: "key",
        message: "has no image, which is what runs on Kubernetes",
        hint: "write image: REGISTRY/NAME@sha256:…",
      },
    ];
  const fault = target.imageFault(run.image, allowTag);
  const mistakes: ShapeMistake[] = fault === null ? [] : [{ steps: ["spec", "run", "image"], at: "value", ...fault }];
  if (run.harness === true && run.command === undefined)
    mistakes.push({
      steps: ["spec", "run"],
      at: "key",
      message: "has no command, which is what the harness in the image starts",
      hint: "write command: [PROGRAM, ARGUMENT, …] as it is in the image",
    });
  return mistakes;
}

/** A folder may be called what no channel can be: then its name has to be written. */
function catalogNameMistakes({ catalog }: SpecDocument, directory: string): ShapeMistake[] {
  if (catalog === undefined || (typeof catalog === "object" && catalog.name !== undefined)) return [];
  const path = typeof catalog === "string" ? catalog : catalog.path;
  const fault = catalogNameFault(defaultCatalogName(path, directory));
  if (fault === null) return [];
  return [
    {
      steps: ["spec", "catalog", ...(typeof catalog === "string" ? [] : ["path"])],
      at: "value",
      message: `the folder's name cannot be the catalog's: ${fault.message}`,
      hint: `rename the folder, or name the catalog: catalog: { path: ${JSON.stringify(path)}, name: … }`,
    },
  ];
}

function graceMistakes(spec: SpecDocument): ShapeMistake[] {
  const drain = milliseconds(spec.drain, defaultDrainMs);
  const grace = milliseconds(spec.grace, defaultGraceMs);
  if (grace > drain) return [];
  return [
    {
      steps: ["spec", spec.grace === undefined ? "drain" : "grace"],
      at: "value",
      message: `grace (${describeDuration(grace)}) is not more than drain (${describeDuration(drain)})`,
      hint: "a stop needs time for the agent to end after its turns: make grace longer or drain shorter",
    },
  ];
}

function idleMistakes(spec: SpecDocument): ShapeMistake[] {
  const limited = spec.idle !== undefined && spec.idle !== "never";
  if (!limited || spec.run.image === undefined || spec.run.harness === true) return [];
  return [
    {
      steps: ["spec", "idle"],
      at: "value",
      message: "only an agent that tells its turns can be idle, and this image has no harness",
      hint: "set run.harness: true for an image with the harness as its entrypoint, or write idle: never",
    },
  ];
}

function ageMistakes({ health }: SpecDocument): ShapeMistake[] {
  if (typeof health !== "object" || health.socket !== true || health.maxAge === undefined) return [];
  return [
    {
      steps: ["spec", "health", "maxAge"],
      at: "key",
      message: "only the health of a file has an age",
      hint: "remove maxAge, or name a file",
    },
  ];
}

function* environmentMistakes(spec: SpecDocument): Iterable<ShapeMistake> {
  const homes = new Map<string, string>();
  const groups: readonly (readonly [string, readonly string[]])[] = [
    ["env", Object.keys(spec.env ?? {})],
    ["secretEnv", Object.keys(spec.secretEnv ?? {})],
    ["passEnv", spec.passEnv ?? []],
    ["identity.as", spec.identity?.as === undefined ? [] : [spec.identity.as]],
  ];
  for (const [group, keys] of groups)
    for (const [index, key] of keys.entries()) {
      const home = homes.get(key);
      if (home === undefined) homes.set(key, group);
      else
        yield {
          steps: [
            "spec",
            ...group.split("."),
            ...(group === "passEnv" ? [index] : group === "identity.as" ? [] : [key]),
          ],
          at: group === "passEnv" || group === "identity.as" ? "value" : "key",
          message: home === group ? `${key} is there twice` : `${key} is in ${home} too`,
          hint: "a variable has one value: keep one of the two",
        };
    }
  const fault = environmentFault(Object.entries(spec.env ?? {}));
  if (fault !== null) yield { steps: ["spec", "env"], at: "key", ...fault };
}
