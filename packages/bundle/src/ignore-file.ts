/** What a catalog leaves out: `.moorageignore`, one glob a line, and what no catalog ever means to hold. */
import type { Flaw } from "./bundle-error.ts";
import { type Glob, glob, globMistake } from "./glob.ts";

export const ignoreFileName = ".moorageignore";

interface IgnoreRule {
  /** As it stands in the file; null for a built-in one. */
  readonly text: string;
  readonly matches: Glob;
  readonly foldersOnly: boolean;
}

export interface IgnoreRules {
  /** The rule that leaves a path out, or null. */
  match(path: string, folder: boolean): string | null;
  /** Lines that nothing has matched so far. */
  unmatched(): readonly string[];
}

/** What systems and editors put into folders by themselves; git's own folder; the ignore file. */
const builtIn = [ignoreFileName, ".DS_Store", ".git", "Thumbs.db"];

/** Reads the file's text (null: there is none); what is wrong with a line is a flaw. */
export function ignoreRules(source: string | null, flaws: Flaw[]): IgnoreRules {
  const rules: IgnoreRule[] = builtIn.map((name) => ruleOf(name));
  const own = new Set<string>();
  for (const [index, line] of (source ?? "").split(/\r?\n/).entries()) {
    const text = line.trim();
    if (text === "" || text.startsWith("#")) continue;
    const mistake = globMistake(withoutSlashes(text));
    if (mistake === null) {
      rules.push(ruleOf(text));
      own.add(text);
    } else
      flaws.push({
        code: "ignoreRule",
        file: ignoreFileName,
        line: index + 1,
        column: 1,
        path: "",
        message: `the line ${mistake}`,
        hint: "write one glob a line, such as `drafts/**` or `*.bak`",
      });
  }
  return {
    match(path, folder) {
      const rule = rules.find(({ matches, foldersOnly }) => (folder || !foldersOnly) && matches(path));
      if (rule !== undefined) own.delete(rule.text);
      return rule?.text ?? null;
    },
    unmatched: () => [...own],
  };
}

/** As git has it: without a slash a rule means a name at any depth, with a trailing one folders alone. */
function ruleOf(text: string): IgnoreRule {
  const bare = withoutSlashes(text);
  const matchesBare = glob(bare);
  const anchored = bare.includes("/") || text.startsWith("/");
  const matches: Glob = anchored ? matchesBare : (path) => matchesBare(path.slice(path.lastIndexOf("/") + 1));
  return { text, matches, foldersOnly: text.endsWith("/") };
}

function withoutSlashes(text: string): string {
  return text.replace(/^\//, "").replace(/\/$/, "");
}
