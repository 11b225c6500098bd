import { PassThrough } from "node:stream";
import type { JournalEntry } from "@moorage/core";
import { expect, test } from "vitest";
import { Output } from "./output.ts";
import { showProgress } from "./progress.ts";

function shown(
  terminal: boolean,
  more: { json?: boolean; quiet?: boolean } = {},
): { output: Output; text: () => string } {
  const stream = Object.assign(new PassThrough(), { columns: 40 }) as unknown as NodeJS.WriteStream;
  let text = "";
  (stream as unknown as PassThrough).on("data", (chunk: Buffer) => {
    text += chunk.toString();
  });
  const options = { json: false, quiet: false, verbose: false, color: false, terminal, ...more };
  return { output: new Output({ stdout: stream, stderr: stream }, options), text: () => text };
}

function entry(step: JournalEntry["step"], message: string, agent = "a"): JournalEntry {
  return { step, agent, identity: "", attempt: null, message, code: "x", rule: null, name: null };
}

const silent = { append: () => undefined };

test("in a pipe there is one plain line for each change, and then the result", () => {
  const { output, text } = shown(false);
  const progress = showProgress(output, () => 0);
  const journal = progress.through(silent);
  progress.begin("a", "looking");
  for (const message of ["one", "one", "two"]) journal.append(entry("wait", message));
  journal.append(entry("read", "no news"));
  progress.end("a", "a: started");
  progress.close();
  expect(text()).toBe("a: one\na: two\na: started\n");
});

test("with --json and --quiet nothing is told meanwhile", () => {
  for (const more of [{ json: true }, { quiet: true }]) {
    const { output, text } = shown(false, more);
    const progress = showProgress(output, () => 0);
    progress.begin("a", "looking");
    progress.through(silent).append(entry("wait", "one"));
    progress.close();
    expect(text()).toBe("");
  }
});

test("on a screen there is one line an agent, with phase and time, drawn over itself and gone in the end", () => {
  const { output, text } = shown(true);
  let now = 0;
  const progress = showProgress(output, () => now);
  progress.begin("a", "looking");
  progress.begin("b", "looking");
  now = 3_400;
  progress.through(silent).append(entry("wait", "its supervisor is being started", "b"));
  expect(text()).toContain("b (3.4s): its supervisor is being st…\n");
  expect(text()).toContain("\r\u001b[2A\u001b[0J");
  progress.end("a", "a: started");
  progress.end("b", "b: started");
  progress.close();
  const screen = render(text());
  expect(screen).toEqual(["a: started", "b: started"]);
});

test("a warning in between does not tear the lines", () => {
  const { output, text } = shown(true);
  const progress = showProgress(output, () => 0);
  progress.begin("a", "looking");
  output.warn("careful");
  progress.end("a", "a: started");
  progress.close();
  expect(render(text())).toEqual(["warning: careful", "a: started"]);
});

test("a secret in a phase is hidden on the screen and in a pipe", () => {
  for (const terminal of [true, false]) {
    const { output, text } = shown(terminal);
    output.hide(["hunter2hunter2"]);
    const progress = showProgress(output, () => 0);
    progress.begin("a", "looking");
    progress.through(silent).append(entry("wait", "with hunter2hunter2"));
    progress.close();
    expect(text()).not.toContain("hunter2");
    expect(text()).toContain("***");
  }
});

/** What a screen shows after "up N lines" and "clear to the end". */
function render(text: string): string[] {
  const lines: string[] = [];
  for (const [index, part] of text.split("\u001b[").entries()) {
    const up = /^(\d+)A$/.exec(part);
    if (up !== null) lines.splice(lines.length - Number(up[1]));
    else
      lines.push(
        ...part
          .slice(index === 0 ? 0 : "0J".length)
          .split("\n")
          .slice(0, -1),
      );
  }
  return lines;
}
