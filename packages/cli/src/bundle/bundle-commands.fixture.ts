/** For tests of commands about bundles: a declared catalog in a folder of its own, and answers held to their published shapes. */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import * as z from "zod/mini";
import type { ResultKind } from "../json/shapes.ts";
import { resultShape } from "../json/shapes.ts";
import type { Here } from "../run.fixture.ts";
import { commandHere } from "../run.fixture.ts";

type Files = Readonly<Record<string, string>>;

export interface CatalogHere extends Here {
  /** Below the folder. */
  write(files: Files): void;
  /** The exit code, and the one object of `--json`, held to its shape. */
  json<Result = Record<string, unknown>>(argv: readonly string[], kind: ResultKind): Promise<Answer<Result>>;
}

interface Answer<Result> {
  readonly exit: number;
  readonly result: Result;
}

export function declaration(name: string, spec = ""): string {
  return `apiVersion: moorage.dev/v1alpha1
kind: Agent
metadata: { name: ${name} }
spec:
  fleet: writers
  run: { command: [sh, -c, "exec sleep 600"] }
  catalog: ./catalog
  drain: 1s
  grace: 2s
${spec}`;
}

/** One agent `scribe` of the fleet `writers` with a catalog of one prompt. */
export function catalogHere(): CatalogHere {
  const here = commandHere();
  const write = (files: Files): void => {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(here.folder, path)), { recursive: true });
      writeFileSync(join(here.folder, path), text);
    }
  };
  write({ "agent.yaml": declaration("scribe"), "catalog/prompts/system.md": "Write.\n" });
  return {
    folder: here.folder,
    run: (argv, options) => here.run(argv, options),
    write,
    async json<Result>(argv: readonly string[], kind: ResultKind): Promise<Answer<Result>> {
      const ran = await here.run([...argv, "--json"]);
      const lines = ran.stdout.split("\n").filter((line) => line !== "");
      const [line = "null"] = lines;
      const value: unknown = JSON.parse(line);
      const checked = z.safeParse(resultShape(kind), value);
      if (lines.length !== 1 || checked.error !== undefined)
        throw new Error(`${argv.join(" ")}: ${ran.stdout}${ran.stderr}${JSON.stringify(checked.error?.issues)}`);
      return { exit: ran.exit, result: value as Result };
    },
    [Symbol.asyncDispose]: () => here[Symbol.asyncDispose](),
  };
}
