/** A catalog as an agent reads it: files in a directory that nobody changes while a turn has it. */
import fs from "node:fs";
import { join } from "node:path";
import { AgentError } from "./agent-error.ts";

/**
 * Paths are below the catalog, with "/" between their parts. Every read throws an `AgentError` when there is no such file, and
 * where text refers to a variable, as `${secret:NAME}`, that the agent does not have.
 */
export interface Catalog {
  /** A file as UTF-8 text, with the values that it refers to. */
  text(path: string): string;
  /** As they are: references stay what they are. */
  bytes(path: string): Uint8Array;
  /** A JSON file, parsed, with the values that its texts refer to. */
  json(path: string): unknown;
  /** All files, sorted. */
  list(): string[];
}

/** Null: an agent without a catalog, of which nothing can be read. */
export type OpenCatalog = (directory: string | null) => Catalog;

/** `variable`: the value of one of the agent's own, which a catalog may refer to. */
export function catalogOpener(variable: (name: string) => string | undefined): OpenCatalog {
  return (directory) => openCatalog(directory, variable);
}

function openCatalog(directory: string | null, variable: (name: string) => string | undefined): Catalog {
  function bytes(path: string): Buffer {
    if (directory === null) throw noCatalog();
    if (!isInside(path))
      throw new AgentError(
        "badPath",
        `${JSON.stringify(path)} is no path in the catalog`,
        "name it as `catalog.list()` does",
      );
    try {
      return fs.readFileSync(join(directory, path));
    } catch (error) {
      throw new AgentError("noSuchFile", `the catalog has no file ${path}`, "`catalog.list()` tells what it has", {
        cause: error,
      });
    }
  }

  return {
    bytes,
    text: (path) => filledIn(path, bytes(path).toString("utf8"), variable),
    json(path) {
      const text = bytes(path).toString("utf8");
      const fill = (_key: string, value: unknown): unknown =>
        typeof value === "string" ? filledIn(path, value, variable) : value;
      try {
        return JSON.parse(text, fill) as unknown;
      } catch (error) {
        if (error instanceof AgentError) throw error;
        throw new AgentError("notJson", `${path} in the catalog is not JSON`, "correct the file", { cause: error });
      }
    },
    list() {
      if (directory === null) throw noCatalog();
      return filesBelow(directory, "").sort();
    },
  };
}

/** From the agent's own environment: a catalog is signed and kept, and holds no secret itself. */
function filledIn(path: string, text: string, variable: (name: string) => string | undefined): string {
  return text.replace(/\$\{secret:([A-Za-z_][A-Za-z0-9_]*)\}/g, (_, name: string) => {
    const value = variable(name);
    if (value !== undefined) return value;
    throw new AgentError(
      "secretMissing",
      `${path} of the catalog refers to \${secret:${name}}, and there is no ${name} in the environment`,
      `declare ${name} in the agent's secretEnv`,
    );
  });
}

function noCatalog(): AgentError {
  return new AgentError("noCatalog", "this agent has no catalog", "declare one: `catalog: ./catalog`");
}

function isInside(path: string): boolean {
  if (path.includes("\0") || path.includes("\\")) return false;
  return path.split("/").every((part) => part !== "" && part !== "." && part !== "..");
}

function filesBelow(directory: string, below: string): string[] {
  return fs.readdirSync(join(directory, below), { withFileTypes: true }).flatMap((entry) => {
    const path = below === "" ? entry.name : `${below}/${entry.name}`;
    return entry.isDirectory() ? filesBelow(directory, path) : [path];
  });
}
