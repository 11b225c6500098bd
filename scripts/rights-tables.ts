// The tables of the page on rights, between the marks that the page has for them.
import { type Right, rightInWords } from "@moorage/kubernetes";

const tables: Readonly<Record<string, (right: Right) => boolean>> = {
  needed: ({ level }) => level === "needed",
  optional: ({ level, reach }) => level === "optional" && reach === "namespace",
  cluster: ({ reach }) => reach === "cluster",
};

/** The page with every table made anew. Throws when a mark is missing. */
export function withTables(page: string, rights: readonly Right[]): string {
  return Object.entries(tables).reduce((text, [name, belongs]) => {
    const [begin, end] = [`<!-- ${name} -->\n`, `<!-- end of ${name} -->`];
    const [from, to] = [text.indexOf(begin), text.indexOf(end)];
    if (from < 0 || to < from) throw new Error(`docs/rights.md has no marks for the table "${name}"`);
    return `${text.slice(0, from + begin.length)}${table(rights.filter(belongs))}${text.slice(to)}`;
  }, page);
}

function table(rights: readonly Right[]): string {
  const rows = rights.map(
    (right) =>
      `| \`${rightInWords(right)}\` | to ${right.why} | ${right.commands.map((one) => `\`${one}\``).join(", ")} |`,
  );
  return `| right | what for | commands |\n|---|---|---|\n${rows.join("\n")}\n`;
}
