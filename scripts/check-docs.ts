// Holds every example in README.md, the other top pages, packages' READMEs and docs/ against the real thing; a fence marked `unchecked` is left out.
import { spawnSync } from "node:child_process";
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { commandLinesOf, type Example, examplesOf, fileLinksOf } from "./doc-examples.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const scratch = join(root, "build", "docs");
const declarationCodes = new Set(["declarationInvalid", "declarationMissing", "declarationUnreadable"]);

interface Placed extends Example {
  /** The page and line, as an editor opens it. */
  readonly at: string;
}

const pages = globSync(["*.md", "docs/**/*.md", "packages/*/README.md", "examples/**/*.md"], { cwd: root })
  .filter((page) => !page.includes("node_modules"))
  .sort();
const wrong: string[] = [];
const examples: Placed[] = [];
for (const page of pages) {
  const text = readFileSync(join(root, page), "utf8");
  for (const example of examplesOf(text))
    if (!example.info.split(/\s+/).includes("unchecked")) examples.push({ ...example, at: `${page}:${example.line}` });
  for (const { target, line } of fileLinksOf(text))
    if (!existsSync(join(root, dirname(page), target)))
      wrong.push(`${page}:${line}: links to ${target}, which is not there`);
}

rmSync(scratch, { recursive: true, force: true });
mkdirSync(scratch, { recursive: true });
const helps = new Map<string, string>();
const typescript: Placed[] = [];
for (const example of examples) {
  switch (example.language) {
    case "sh":
    case "bash":
    case "console":
      for (const words of commandLinesOf(example.text))
        wrong.push(...mistakesOfCall(words).map((what) => `${example.at}: ${what}`));
      break;
    case "yaml":
      if (/^kind:\s*Agent\s*$/m.test(example.text)) wrong.push(...mistakesOfDeclaration(example));
      break;
    case "json":
      wrong.push(...mistakesOfJson(example));
      break;
    case "ts":
      typescript.push(example);
      break;
    default:
      break;
  }
}
wrong.push(...mistakesOfTypes());

for (const what of wrong) console.error(what);
console.log(`${pages.length} pages, ${examples.length} examples, ${wrong.length} findings`);
process.exitCode = wrong.length === 0 ? 0 : 1;

function moorage(args: readonly string[]): { readonly code: number | null; readonly out: string } {
  const launcher = join(root, "packages", "cli", "bin", "moorage.mjs");
  const { status, stdout, stderr } = spawnSync(process.execPath, [launcher, ...args], {
    cwd: scratch,
    encoding: "utf8",
  });
  return { code: status, out: stdout + stderr };
}

/** The help of a command, once for all; empty for a command that does not exist. */
function helpOf(command: readonly string[]): string {
  const name = command.join(" ");
  const known = helps.get(name);
  if (known !== undefined) return known;
  const { code, out } = moorage([...command, "--help"]);
  const help = code === 0 ? out : "";
  helps.set(name, help);
  return help;
}

function mistakesOfCall([, ...words]: readonly string[]): string[] {
  const own = words.slice(0, words.includes("--") ? words.indexOf("--") : words.length);
  const [command, second] = own.filter((word) => !word.startsWith("-"));
  const first = helpOf(command === undefined ? [] : [command]);
  if (command !== undefined && (first === "" || !isCommand(command)))
    return [`there is no command \`moorage ${command}\``];
  const group = /^Usage: moorage \S+ SUBCOMMAND/m.test(first);
  const help = group && command !== undefined && second !== undefined ? helpOf([command, second]) : first;
  if (help === "") return [`there is no command \`moorage ${command} ${second}\``];
  const known = new Set(`${help}\n${helpOf([])}`.match(/(?<![\w-])--?[a-zA-Z][\w-]*/g));
  return own
    .filter((word) => /^--?[a-zA-Z]/.test(word))
    .map((word) => word.replace(/=.*$/, ""))
    .filter((flag) => !known.has(flag))
    .map((flag) => `\`moorage ${command ?? ""}\` has no ${flag}`);
}

/** The overview names every command at the beginning of a line of its own, an alias beside it. */
function isCommand(command: string): boolean {
  return helpOf([])
    .split("\n")
    .some(
      (line) =>
        /^\s+\S/.test(line) &&
        line
          .trim()
          .split(/\s{2,}/)[0]
          ?.split(/[\s|,]+/)
          .includes(command) === true,
    );
}

function mistakesOfDeclaration(example: Placed): string[] {
  const folder = join(scratch, `declaration-${example.at.replaceAll(/\W+/g, "-")}`);
  mkdirSync(folder);
  const file = join(folder, "agent.yaml");
  writeFileSync(file, example.text);
  // `status` reads a declaration whole, and needs nothing that it names.
  const { out } = moorage(["status", "--file", file, "--state", join(folder, "state"), "--json"]);
  const answer = JSON.parse(out) as { readonly code?: string; readonly message?: string };
  return declarationCodes.has(answer.code ?? "") ? [`${example.at}: ${answer.message}`] : [];
}

function mistakesOfJson(example: Placed): string[] {
  try {
    JSON.parse(example.text);
    return [];
  } catch (error) {
    return [`${example.at}: ${(error as Error).message}`];
  }
}

/** Each example is a module of its own; what it uses and does not say has to be declared in it. */
function mistakesOfTypes(): string[] {
  if (typescript.length === 0) return [];
  const options = { composite: false, noEmit: true, isolatedDeclarations: false, types: ["node"] };
  const places = new Map<string, Placed>();
  for (const [index, example] of typescript.entries()) {
    const file = `example-${index}.ts`;
    places.set(file, example);
    writeFileSync(join(scratch, file), `${example.text}\nexport {};\n`);
  }
  writeFileSync(
    join(scratch, "tsconfig.json"),
    JSON.stringify({ extends: "../../tsconfig.base.json", compilerOptions: options, files: [...places.keys()] }),
  );
  const { stdout } = spawnSync(join(root, "node_modules", ".bin", "tsc"), ["-p", "."], {
    cwd: scratch,
    encoding: "utf8",
  });
  return [...stdout.matchAll(/^(\S+?)\((\d+),\d+\): error (.*)$/gm)].map(([, file = "", line = "0", message]) => {
    const example = places.get(file);
    if (example === undefined) return `${file}:${line}: ${message}`;
    return `${example.at.replace(/\d+$/, String(example.line + Number(line)))}: ${message}`;
  });
}
