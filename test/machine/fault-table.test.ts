/** Every row of the table about declarations and command lines: refused whole, with its code, and nothing of it remains. */
import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "vitest";
import type { DeclarationFault } from "./fault-table.ts";
import { declarationFaults, lineFaults } from "./fault-table.ts";
import type { CallOptions } from "./place.ts";
import { declaration, Place } from "./place.ts";
import { isRoot, needsRoot, nobodyId, unprivileged } from "./user.ts";

interface Details {
  readonly mistakes?: readonly { readonly line: number | null; readonly column: number | null }[];
}

describe.concurrent("a declaration", () => {
  it.for(declarationFaults)("$input: exit $exit, $code", async (row, { expect }) => {
    await using place = new Place();
    const { args, options } = prepare(place, row);
    const told = await place.ask(["deploy", ...args], options);
    expect({ exit: told.exit, kind: told.kind, code: told.code }).toEqual({
      exit: row.exit,
      kind: "Error",
      code: row.code,
    });
    expect(told.hint).not.toBe("");
    expect(told.stderr).toBe("");
    if (row.says !== undefined) expect(JSON.stringify(told)).toContain(row.says);
    const { mistakes = [] } = (told as unknown as { details: Details }).details;
    if (row.at !== undefined) expect(mistakes.map(({ line, column }) => `${line}:${column}`)).toEqual(row.at);
    expect(existsSync(place.state)).toBe(false);
  });
});

describe.concurrent("a command line", () => {
  it.for(lineFaults)("$input: exit $exit, $code", async (row, { expect }) => {
    await using place = new Place();
    place.declare("one", 'run: { command: [sleep, "600"] }');
    const told = await place.ask(row.args);
    expect({ exit: told.exit, kind: told.kind, code: told.code }).toEqual({
      exit: row.exit,
      kind: "Error",
      code: row.code,
    });
    if (row.says !== undefined) expect(told.message + told.hint).toContain(row.says);
    expect(place.processes()).toEqual([]);
  });
});

it.skipIf(!isRoot)(
  `a folder that you may not look into was told as a bug of moorage (${isRoot ? "as nobody" : needsRoot})`,
  async ({ expect }) => {
    await using place = new Place();
    const told = await place.ask(["deploy", "a", "--", "sleep", "600"], { uid: nobodyId });
    expect({ exit: told.exit, code: told.code }).toEqual({ exit: 2, code: "usage" });
  },
);

/** Puts the declaration, and what it names, into its place. */
function prepare(place: Place, { declared }: DeclarationFault): { args: string[]; options: CallOptions } {
  if ("text" in declared) place.write("agent.yaml", declared.text);
  if ("spec" in declared) {
    place.write("agent.yaml", declaration("a", declared.spec));
    const [, key] = /^# key: (.*)$/m.exec(declared.spec) ?? [];
    if (key !== undefined) place.write("key", key, 0o600);
    place.write("large", "x".repeat(120_000), 0o600);
    place.write("plain.txt", "#!/bin/sh\n");
    place.write("folder/program", "#!/bin/sh\n", 0o755);
    place.write("no-interpreter", "echo hello\n", 0o755);
    place.write("lost-interpreter", "#!/no/such/interpreter\n", 0o755);
  }
  if (!("file" in declared)) return { args: [], options: {} };
  const path = join(place.dir, "agent.yaml");
  switch (declared.file) {
    case "missing":
      return { args: ["--file=agent.yaml"], options: {} };
    case "emptyFolder":
      mkdirSync(path);
      return { args: [], options: {} };
    case "folder":
      mkdirSync(join(path, "a.yaml"), { recursive: true });
      return { args: [], options: {} };
    case "unreadable":
      place.write("agent.yaml", declaration("a", 'run: { command: [sleep, "600"] }'));
      if (isRoot) place.giveTo(nobodyId, "agent.yaml");
      chmodSync(path, 0o000);
      return { args: [], options: unprivileged };
    case "fifo":
      execFileSync("mkfifo", [path]);
      return { args: [], options: {} };
    case "linkToItself":
      symlinkSync("agent.yaml", path);
      return { args: [], options: {} };
    default:
      return declared.file satisfies never;
  }
}
