/** `moorage init`: writes a working example into this folder; what is there already is never overwritten. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import type { Run } from "../args/command-spec.ts";
import { CliError } from "../errors/cli-error.ts";
import { exit } from "../errors/exit-code.ts";
import { exampleFolder, schemaFolder, sdkFolder } from "../resources.ts";
import { substrateOf } from "../scope/substrate-of.ts";
import { checkName } from "../selection.ts";

/** Where the SDK lies beside the example, so that nothing has to be installed. */
const sdkName = "moorage-agent";

export const init: Run = (invocation, host) => {
  const pod = substrateOf(invocation.flags) === "kubernetes";
  const [name = pod ? "ticker" : "scribe"] = invocation.words;
  checkName(name);
  const files = pod ? podFiles(name) : exampleFiles(name);
  const there = [...files.keys()].filter((file) => existsSync(join(host.cwd, file)));
  if (there.length > 0)
    throw new CliError({
      code: "wouldOverwrite",
      message: `${there.join(", ")} ${there.length === 1 ? "is" : "are"} there already; nothing was written`,
      hint: "run `moorage init` in an empty folder",
      details: { files: there },
    });
  for (const [file, text] of files) {
    mkdirSync(dirname(join(host.cwd, file)), { recursive: true });
    // Exclusive: what somebody else has just written stays.
    writeFileSync(join(host.cwd, file), text, { flag: "wx" });
  }
  const { output } = host;
  if (output.json) output.object("InitResult", { agent: name, files: [...files.keys()] });
  for (const file of files.keys()) if (!file.startsWith(`${sdkName}/`)) output.line(`wrote ${file}`);
  if (!pod) output.line(`wrote ${sdkName}/, the SDK that agent.ts imports`);
  output.line("  → `moorage deploy` starts it, `moorage logs -f` shows what it does");
  return Promise.resolve(exit.ok);
};

/** A pod needs no files beside its declaration: what it runs is in its image. */
function podFiles(name: string): Map<string, string> {
  const text = readFileSync(new URL("agent.yaml", exampleFolder("ticker-pod")), "utf8");
  return new Map([["agent.yaml", declaration(text, name)], schemaFile()]);
}

function schemaFile(): [string, string] {
  return ["agent.schema.json", readFileSync(new URL("Agent.schema.json", schemaFolder), "utf8")];
}

/** All files of the example, by their path. The agent imports the SDK from beside it instead of from a package. */
function exampleFiles(name: string): Map<string, string> {
  const files = new Map<string, string>();
  const example = fileURLToPath(exampleFolder("scribe"));
  for (const file of filesBelow(example)) {
    const text = readFileSync(join(example, file), "utf8");
    if (file === "agent.yaml") files.set(file, declaration(text, name));
    else if (file === "agent.ts") files.set(file, text.replaceAll('"@moorage/agent"', `"./${sdkName}/index.ts"`));
    else if (!/^(README\.md|package\.json|tsconfig)/.test(file)) files.set(file, text);
  }
  files.set(...schemaFile());
  const sdk = fileURLToPath(sdkFolder());
  for (const file of filesBelow(sdk))
    if (/^[^.]+\.ts$/.test(file)) files.set(`${sdkName}/${file}`, readFileSync(join(sdk, file), "utf8"));
  return files;
}

function declaration(text: string, name: string): string {
  return `# yaml-language-server: $schema=./agent.schema.json\n${text.replace(/^# yaml-language-server:.*\n/, "").replace(/name: [\w-]+/, `name: ${name}`)}`;
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .filter(
      (file) =>
        !file.split("/").some((part) => part.startsWith(".") || part === "node_modules" || part === "summaries"),
    )
    .sort();
}
