/** `catalog.yaml`: what kind of component a file is, and when a change to it takes effect. */
import { type Flaw, pathText, type Step } from "./bundle-error.ts";
import type { DocumentNode } from "./document.ts";
import { placeOf } from "./document.ts";
import { type Glob, glob, globMistake } from "./glob.ts";

export const layoutFileName = "catalog.yaml";

export const componentKinds = ["prompt", "persona", "route", "tool", "data"] as const;
export type ComponentKind = (typeof componentKinds)[number];

/** When a change takes effect: at the next turn, or at the next start of the agent. */
export const effects = ["turn", "start"] as const;
export type Effect = (typeof effects)[number];

export interface Layout {
  /** The last rule that matches decides, as in a list of owners. */
  place(path: string): { readonly kind: ComponentKind; readonly effect: Effect };
  /** Globs of the file that nothing has matched so far. */
  unmatched(): readonly string[];
}

interface LayoutRule {
  readonly match: string;
  readonly matches: Glob;
  readonly kind: ComponentKind | null;
  readonly effect: Effect | null;
}

/** What the usual folders hold, for a catalog that says nothing. */
const usual: readonly LayoutRule[] = (["prompt", "persona", "route", "tool"] as const).map((kind) => ({
  match: `${kind}s/**`,
  matches: glob(`${kind}s/**`),
  kind,
  effect: null,
}));

/** Of the documents of a `catalog.yaml` (none: there is no such file); what is wrong in it is a flaw. */
export function layoutOf(documents: readonly DocumentNode[], source: string, flaws: Flaw[]): Layout {
  const own: LayoutRule[] = [];
  const unmatched = new Set<string>();
  const reading = new LayoutReader(source, flaws);
  for (const rule of reading.rules(documents)) {
    own.push(rule);
    unmatched.add(rule.match);
  }
  const rules = [...usual, ...own];
  return {
    place(path) {
      let kind: ComponentKind = "data";
      let effect: Effect = "turn";
      for (const rule of rules)
        if (rule.matches(path)) {
          kind = rule.kind ?? kind;
          effect = rule.effect ?? effect;
          unmatched.delete(rule.match);
        }
      return { kind, effect };
    },
    unmatched: () => [...unmatched],
  };
}

/** Lives for one file. */
class LayoutReader {
  readonly #source: string;
  readonly #flaws: Flaw[];

  constructor(source: string, flaws: Flaw[]) {
    this.#source = source;
    this.#flaws = flaws;
  }

  rules(documents: readonly DocumentNode[]): LayoutRule[] {
    const [document, second] = documents;
    if (document === undefined) return [];
    if (second !== undefined) this.#flaw(second.at, [], "holds a second document");
    if (document.kind === "value" && document.value === null) return [];
    if (document.kind !== "record") {
      this.#flaw(document.at, [], "is not a record with `components`");
      return [];
    }
    const list = this.#members(document, [], ["components"]).get("components");
    if (list === undefined) {
      this.#flaw(document.at, [], "lacks `components`");
      return [];
    }
    if (list.value.kind !== "list") {
      this.#flaw(list.value.at, ["components"], "is not a list");
      return [];
    }
    return list.value.items.flatMap((item, index) => this.#rule(item, ["components", index]));
  }

  #rule(node: DocumentNode, steps: readonly Step[]): LayoutRule[] {
    if (node.kind !== "record") {
      this.#flaw(node.at, steps, "is not a record with `match`, `kind` and `effect`");
      return [];
    }
    const members = this.#members(node, steps, ["match", "kind", "effect"]);
    const match = members.get("match")?.value;
    if (match?.kind !== "value" || typeof match.value !== "string") {
      this.#flaw(match?.at ?? node.at, [...steps, "match"], "is not a glob");
      return [];
    }
    const mistake = globMistake(match.value);
    if (mistake !== null) this.#flaw(match.at, [...steps, "match"], mistake);
    if (!members.has("kind") && !members.has("effect")) this.#flaw(node.at, steps, "says neither `kind` nor `effect`");
    const kind = this.#word(members.get("kind")?.value, [...steps, "kind"], componentKinds);
    const effect = this.#word(members.get("effect")?.value, [...steps, "effect"], effects);
    return mistake === null ? [{ match: match.value, matches: glob(match.value), kind, effect }] : [];
  }

  #word<Word extends string>(
    node: DocumentNode | undefined,
    steps: readonly Step[],
    words: readonly Word[],
  ): Word | null {
    if (node === undefined) return null;
    const word = words.find((known) => node.kind === "value" && node.value === known);
    if (word === undefined) this.#flaw(node.at, steps, `is none of ${words.join(", ")}`);
    return word ?? null;
  }

  #members(node: DocumentNode & { kind: "record" }, steps: readonly Step[], known: readonly string[]) {
    for (const [key, { at }] of node.members)
      if (!known.includes(key)) this.#flaw(at, [...steps, key], `is unknown here: known is ${known.join(", ")}`);
    return node.members;
  }

  #flaw(at: number, steps: readonly Step[], message: string): void {
    this.#flaws.push({
      code: "layoutInvalid",
      file: layoutFileName,
      ...placeOf(this.#source, at),
      path: pathText(steps),
      message,
      hint: "write `components:` as a list of { match: GLOB, kind: prompt|persona|route|tool|data, effect: turn|start }",
    });
  }
}
