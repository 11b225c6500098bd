/** A catalog as an agent reads it: files in a directory that nobody changes while a turn has it. */
import fs from "node:fs";
import { join } from "node:path";
import { AgentError } from "./agent-error.ts";

/** Paths are below the catalog, with "/" between their parts. Every read throws an `AgentError` when there is no such file. */
export interface Catalog {
  /** A file as UTF-8 text. */
  text(path: string): string;
  bytes(path: string): Uint8Array;
  /** A JSON file, parsed. */
  json(path: string): unknown;
  /** All files, sorted. */
  list(): string[];
}

/** Null: an agent without a catalog, of which nothing can be read. */
export function openCatalog(directory: string | null): Catalog {
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
    text: (path) => bytes(path).toString("utf8"),
    json(path) {
      const text = bytes(path).toString("utf8");
      try {
        return JSON.parse(text) as unknown;
      } catch (error) {
        throw new AgentError("notJson", `${path} in the catalog is not JSON`, "correct the file", { cause: error });
      }
    },
    list() {
      if (directory === null) throw noCatalog();
      return filesBelow(directory, "").sort();
    },
  };
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
