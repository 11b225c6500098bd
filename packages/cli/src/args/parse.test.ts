import { expect, test } from "vitest";
import { CliError } from "../errors/cli-error.ts";
import { commandHere } from "../run.fixture.ts";
import { isGroup } from "./command-spec.ts";
import { commands, runnable } from "./commands.ts";
import { helpOf, overview } from "./help.ts";
import { parseCommandLine } from "./parse.ts";

function invocation(...argv: string[]): object {
  const parsed = parseCommandLine(argv);
  if (parsed.kind !== "run") throw new Error(parsed.kind);
  return parsed.invocation;
}

function refusal(...argv: string[]): CliError {
  try {
    parseCommandLine(argv);
  } catch (error) {
    if (error instanceof CliError) return error;
    throw error;
  }
  throw new Error(`${argv.join(" ")} was accepted`);
}

test("words, flags and a command behind --", () => {
  expect(
    invocation("deploy", "a", "--deadline", "5s", "--json", "-f", "x.yaml", "--settle=0", "--", "node", "--json", "-f"),
  ).toEqual({
    command: "deploy",
    words: ["a"],
    rest: ["node", "--json", "-f"],
    flags: { deadline: "5s", json: true, file: "x.yaml", settle: "0" },
  });
});

test("a group may stand for one of its commands, with flags or without", () => {
  expect(parseCommandLine(["mailbox"])).toMatchObject({ kind: "run", invocation: { command: "mailbox list" } });
  expect(parseCommandLine(["mailbox", "--all"])).toMatchObject({ invocation: { flags: { all: true } } });
  expect(parseCommandLine(["mailbox", "--help"])).toMatchObject({ kind: "help", spec: { name: "mailbox" } });
  expect(() => parseCommandLine(["keys"])).toThrow(/needs one of/);
});

test("a group's command has its own words and flags", () => {
  expect(invocation("update", "apply", "--only", "a", "--json")).toEqual({
    command: "update apply",
    words: [],
    rest: null,
    flags: { only: "a", json: true },
  });
});

test("aliases are the command itself", () => {
  expect(invocation("start")).toMatchObject({ command: "deploy" });
  expect(invocation("events")).toMatchObject({ command: "journal" });
});

test("-f is the file of most commands and the follow of logs and journal", () => {
  expect(invocation("deploy", "-f", "x")).toMatchObject({ flags: { file: "x" } });
  expect(invocation("logs", "-f", "x")).toMatchObject({ flags: { follow: true }, words: ["x"] });
});

test.each([
  [["deplyo"], "did you mean `moorage deploy`?"],
  [["frobnicate"], "`moorage --help` lists the commands"],
  [["deploy", "--deadlin", "5s"], "did you mean --deadline?"],
  [["deploy", "--deadline"], "write --deadline DURATION"],
  [["deploy", "--deadline", "--json"], "write --deadline DURATION"],
  [["deploy", "--dry-run=yes"], "write --dry-run alone"],
  [["status", "--", "x"], "moorage status --help"],
  [["explain", "a", "b"], "moorage explain --help"],
  [["--json", "status"], "moorage status --json"],
  [["status", "-x"], "moorage status --help"],
  [["bundle"], "moorage bundle --help"],
  [["bundle", "biuld"], "did you mean `moorage bundle build`?"],
  [["keys", "frobnicate"], "there are: init, list"],
  [["help", "bundle", "biuld"], "did you mean `moorage bundle build`?"],
  [["bundle", "--json"], "moorage bundle build --json"],
  [["update", "apply", "--onyl", "a"], "did you mean --only?"],
  [["update", "rollback", "--to"], "write --to SEQUENCE; `moorage update rollback --help`"],
  [["bundle", "diff", "a"], "moorage bundle diff --help"],
  [["keys", "list", "a"], "moorage keys list --help"],
  [["keys", "list", "--", "a"], "moorage keys list --help"],
] as const)("%j is refused with what helps", (argv, hint) => {
  const error = refusal(...argv);
  expect(error.code).toBe("usage");
  expect(error.hint).toContain(hint.startsWith("moorage status --json") ? "write the command first" : hint);
});

test("help is for everything, and every command and flag is in it", () => {
  for (const entry of commands) {
    expect(overview()).toContain(entry.summary);
    expect(parseCommandLine([entry.name, "--help"])).toMatchObject({ kind: "help", spec: { name: entry.name } });
    if (isGroup(entry)) for (const { summary } of entry.subcommands) expect(helpOf(entry)).toContain(summary);
  }
  for (const command of runnable) {
    const words = command.name.split(" ");
    for (const argv of [
      [...words, "--help"],
      ["help", ...words],
    ])
      expect(parseCommandLine(argv)).toMatchObject({ kind: "help", spec: { name: command.name } });
    const help = helpOf(command);
    for (const { name } of command.flags) expect(help).toContain(`--${name}`);
    for (const [example] of command.examples) expect(help).toContain(example);
  }
});

test("every example of the help is understood, but for what a shell makes of it", () => {
  const examples = runnable.flatMap(({ examples: all }) => all.map(([example]) => example));
  for (const example of examples.filter((text) => text.startsWith("moorage "))) {
    const [, ...argv] = example.split(" | ")[0]!.split(" ");
    expect(parseCommandLine(argv)).toMatchObject({ kind: "run" });
  }
});

test("groups are for this machine", async () => {
  await using here = commandHere();
  const ran = await here.run(["mailbox", "list", "--on", "kubernetes"]);
  expect(ran).toMatchObject({ exit: 2, stdout: "", stderr: expect.stringContaining("this machine") as string });
});

test("what looks like a flag of every object is none", () => {
  expect(refusal("status", "--__proto__").code).toBe("usage");
  expect(refusal("status", "--constructor").code).toBe("usage");
});

test("a flag before the command is sent behind one that has it, and an unknown one to the help", () => {
  expect(refusal("--json").hint).toContain("moorage status --json");
  expect(refusal("--dry-run").hint).toContain("moorage deploy --dry-run");
  expect(refusal("-v").hint).toContain("moorage --version");
  expect(refusal("--nothing").hint).toContain("moorage --help");
});
