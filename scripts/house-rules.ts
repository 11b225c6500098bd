// The house rules that no bought tool knows: each takes one file and says what is wrong with it.
import { basename } from "node:path";

/** One thing that is wrong: the rule's name, where, and what. */
export interface Finding {
  readonly rule: string;
  readonly file: string;
  readonly message: string;
}

/** A file of the repository: its path from the root, with forward slashes, and its text. */
export interface HouseFile {
  readonly path: string;
  readonly text: string;
}

type Rule = (file: HouseFile) => string | undefined;

const longest = 400;
const source = /\.(?:ts|mjs|py|sh)$/;
const meaningless = /^(?:utils?|helpers?|types|managers?|common|misc)(?:\.|$)/;
const kebab = /^\.?[a-z0-9]+(?:-[a-z0-9]+)*(?:\.[a-z0-9-]+)*$/;
const exact = /^(?:\d+\.\d+\.\d+(?:-[\w.]+)?)$/;

/** Paths that exist on one machine only; written in pieces, so that this file passes too. */
const machinePaths = new RegExp(["/wo" + "rk/(?:main|shared|\\.)", "/ro" + "ot/\\.", "/Us" + "ers/"].join("|"));

const rules: Readonly<Record<string, Rule>> = {
  "file-length": ({ path, text }) => {
    const lines = text.trimEnd().split("\n").length;
    return source.test(path) && lines > longest ? `${lines} lines, and ${longest} is the most` : undefined;
  },
  "opening-sentence": ({ path, text }) => {
    if (!source.test(path) || path.endsWith(".test.ts")) return undefined;
    const first = text.split("\n").find((line) => !/^#!|^\s*$|^\/\*\*?$|^"""$/.test(line)) ?? "";
    return /^\s*(?:\/\/|\/\*\*?|\*|#|""")/.test(first) || text.startsWith('"""') || /^\/\*\*?\n/.test(text)
      ? undefined
      : "the file does not open with a sentence on what it is for";
  },
  "file-name": ({ path }) => {
    const name = basename(path);
    if (!source.test(path)) return undefined;
    if (meaningless.test(name)) return `${name} does not say what it holds`;
    return kebab.test(name) ? undefined : `${name} is not in kebab-case`;
  },
  "machine-path": ({ text }) => {
    const found = machinePaths.exec(text);
    return found === null ? undefined : `names a path of one machine: ${found[0]}`;
  },
  "version-range": ({ path, text }) => {
    if (!/(?:^|\/)package\.json$/.test(path)) return undefined;
    const manifest = JSON.parse(text) as Record<string, Record<string, string> | undefined>;
    const loose = ["dependencies", "devDependencies", "peerDependencies", "optionalDependencies", "overrides"]
      .flatMap((group) => Object.entries(manifest[group] ?? {}))
      .filter(([, version]) => !exact.test(version));
    return loose.length === 0 ? undefined : `not exact: ${loose.map((entry) => entry.join("@")).join(", ")}`;
  },
};

/** Everything that is wrong with a file. */
export function findings(file: HouseFile): Finding[] {
  return Object.entries(rules).flatMap(([rule, broken]) => {
    const message = broken(file);
    return message === undefined ? [] : [{ rule, file: file.path, message }];
  });
}
