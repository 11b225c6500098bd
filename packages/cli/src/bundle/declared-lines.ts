/** Which catalogs of the declaration a command line means: all of them, or the one of a folder. */
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import type { Invocation } from "../args/command-spec.ts";
import { usageError } from "../errors/cli-error.ts";
import type { Host } from "../host.ts";
import { declaredAgents, declaredIfAny } from "../selection.ts";
import type { CatalogLine } from "../update/catalog-line.ts";
import { catalogLines } from "../update/catalog-line.ts";

/** At least one, or `usage`. */
export async function declaredLines(invocation: Invocation, { cwd }: Host): Promise<CatalogLine[]> {
  const lines = catalogLines(await declaredAgents(invocation, cwd));
  if (lines.length > 0) return lines;
  throw usageError("no declared agent has a catalog", "declare one: catalog: ./catalog");
}

/** The one of a folder; null when no declared agent has it. Throws `usage` for a folder of several channels. */
export async function lineOfFolder(folder: string, invocation: Invocation, host: Host): Promise<CatalogLine | null> {
  const path = resolve(host.cwd, folder);
  const [line, ...others] = catalogLines(await declaredIfAny(invocation, host.cwd)).filter((one) => one.path === path);
  if (others.length === 0) return line ?? null;
  throw usageError(`${folder} is the catalog of several channels`, "leave the folder out: all of them are meant then");
}

/** The same where there has to be a channel. */
export async function declaredLineOf(folder: string, invocation: Invocation, host: Host): Promise<CatalogLine> {
  const line = await lineOfFolder(folder, invocation, host);
  if (line !== null) return line;
  const path = resolve(host.cwd, folder);
  throw usageError(
    existsSync(path) ? `${folder} is the catalog of no declared agent, so it has no channel` : `${folder} is not there`,
    "name the folder of a declared catalog, or leave it out",
  );
}
