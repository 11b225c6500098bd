import { execFileSync, spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { runnable } from "../args/commands.ts";
import { commandHere } from "../run.fixture.ts";

async function script(shell: string): Promise<string> {
  await using here = commandHere();
  return (await here.run(["completion", shell])).stdout;
}

/** What bash offers for a line that ends with the last of the words. */
async function offered(...words: string[]): Promise<string[]> {
  const text = `${await script("bash")}
moorage() { echo '{"agents":[{"agent":"scribe","x":1},{"agent":"second"}]}'; }
COMP_WORDS=(${words.map((word) => `'${word}'`).join(" ")}); COMP_CWORD=${words.length - 1}; _moorage; printf '%s\\n' "\${COMPREPLY[@]}"`;
  return execFileSync("bash", ["-c", text], { encoding: "utf8" })
    .split("\n")
    .filter((line) => line !== "");
}

test("bash completes commands, flags, agents and words", async () => {
  expect(await offered("moorage", "de")).toEqual(["deploy"]);
  expect(await offered("moorage", "stop", "--no")).toEqual(["--now", "--no-color"]);
  expect(await offered("moorage", "stop", "s")).toEqual(["scribe", "second"]);
  expect(await offered("moorage", "deploy", "--on", "k")).toEqual(["kubernetes"]);
  expect(await offered("moorage", "completion", "z")).toEqual(["zsh"]);
  expect(await offered("moorage", "deploy", "--file", "/etc/host")).toContain("/etc/hosts");
});

test("bash completes the second word of a group, and what comes behind it", async () => {
  expect(await offered("moorage", "bun")).toEqual(["bundle"]);
  expect(await offered("moorage", "bundle", "")).toEqual(["build", "show", "diff", "sign", "verify", "publish"]);
  expect(await offered("moorage", "bundle", "s")).toEqual(["show", "sign"]);
  expect(await offered("moorage", "bundle", "show", "s")).toEqual(["scribe", "second"]);
  expect(await offered("moorage", "update", "rollback", "--t")).toEqual(["--to"]);
  expect(await offered("moorage", "mailbox", "decide", "n1", "go-")).toEqual(["go-on", "go-back"]);
});

test.each(["bash", "zsh", "fish"])("the script for %s names every command and flag, and parses", async (shell) => {
  const text = await script(shell);
  for (const { name, flags } of runnable) {
    for (const word of name.split(" ")) expect(text).toContain(word);
    for (const flag of flags) expect(text).toContain(shell === "fish" ? `-l ${flag.name}` : `--${flag.name}`);
  }
  // Where the shell is here, it says itself whether it can read the script.
  const checked = spawnSync(shell, ["-n"], { input: text, encoding: "utf8" });
  if (checked.error === undefined)
    expect({ status: checked.status, said: checked.stderr }).toEqual({ status: 0, said: "" });
});

test("another shell is refused with those that there are", async () => {
  await using here = commandHere();
  expect(await here.run(["completion", "tcsh"])).toMatchObject({
    exit: 2,
    stderr: expect.stringContaining("bash, zsh or fish") as string,
  });
});
