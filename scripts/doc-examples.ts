// Finds the fenced examples in a Markdown text, with the line on which each begins.

/** One fenced block. `info` is what stands behind the fence's language: `unchecked` takes it out of the checks. */
export interface Example {
  readonly language: string;
  readonly info: string;
  readonly line: number;
  readonly text: string;
}

/** A link to a file of the repository, as it stands in the text. */
export interface FileLink {
  readonly target: string;
  readonly line: number;
}

/** The fenced blocks of a text, in order; a fence may be indented, as below a list's item. */
export function examplesOf(markdown: string): Example[] {
  const examples: Example[] = [];
  let open:
    | {
        readonly fence: string;
        readonly indent: string;
        readonly language: string;
        readonly info: string;
        readonly line: number;
      }
    | undefined;
  let body: string[] = [];
  for (const [at, line] of markdown.split("\n").entries()) {
    if (open === undefined) {
      const [, indent = "", fence, language = "", info = ""] =
        /^(\s*)(`{3,}|~{3,})\s*([\w-]*)\s*(.*)$/.exec(line) ?? [];
      if (fence === undefined) continue;
      open = { fence, indent, language, info, line: at + 1 };
      body = [];
    } else if (line.trim() === open.fence) {
      examples.push({ language: open.language, info: open.info, line: open.line, text: body.join("\n") });
      open = undefined;
    } else {
      body.push(line.startsWith(open.indent) ? line.slice(open.indent.length) : line);
    }
  }
  return examples;
}

/** The links to files, without those to the web and those within the page. */
export function fileLinksOf(markdown: string): FileLink[] {
  const prose = markdown.replaceAll(/^(\s*)(`{3,})[^\n]*\n[\s\S]*?^\s*\2\s*$/gm, (block) =>
    block.replaceAll(/[^\n]/g, ""),
  );
  return prose.split("\n").flatMap((line, at) =>
    [...line.matchAll(/\[[^\]]*\]\(([^)\s]+)\)/g)]
      .map(([, target = ""]) => target.replace(/#.*$/, ""))
      .filter((target) => target !== "" && !/^[a-z]+:/.test(target))
      .map((target) => ({ target, line: at + 1 })),
  );
}

/** The calls of `moorage` in a shell example, each as its words; continued lines are joined, comments and output left out. */
export function commandLinesOf(shell: string): string[][] {
  const lines = shell.replaceAll(/\\\n\s*/g, " ").split("\n");
  const session = lines.some((line) => /^\s*\$ /.test(line));
  return lines
    .filter((line) => !session || /^\s*\$ /.test(line))
    .flatMap((line) =>
      line
        .replace(/^\s*\$ /, "")
        .replace(/(?:^|\s)#.*$/, "")
        .split(/\s*(?:&&|\|\||[|;&])\s*/),
    )
    .map((command) => command.replace(/^(?:\w+=\S*\s+)+/, "").replace(/^(?:npx|sudo|time)\s+/, ""))
    .map((command) => [...command.matchAll(/"[^"]*"|'[^']*'|\S+/g)].map(([word]) => word))
    .filter(([first]) => first === "moorage");
}
