/** `moorage bundle build`: checks and hashes a catalog, says what it holds, and writes it as one file. */
import { resolve } from "node:path";
import type { Catalog, CatalogContent } from "@moorage/bundle";
import {
  bundlePayloadType,
  manifestBytes,
  manifestDigest,
  nextManifest,
  readCatalogContent,
  readTrust,
  signEnvelope,
  writeBundleFile,
} from "@moorage/bundle";
import { axes } from "@moorage/core";
import type { Invocation, Run } from "../args/command-spec.ts";
import { bytesOf, countOf, fileLines, leftOutLines } from "../bundle/bundle-text.ts";
import { declaredLines, lineOfFolder } from "../bundle/declared-lines.ts";
import { usageError } from "../errors/cli-error.ts";
import { exit } from "../errors/exit-code.ts";
import { guarded } from "../fingerprint/formats.ts";
import type { Host } from "../host.ts";
import type { CatalogLine } from "../update/catalog-line.ts";
import { channelText, storeOf } from "../update/catalog-line.ts";
import { withMachine } from "../update/with-machine.ts";

interface Built {
  readonly directory: string;
  /** Null: no declared agent has this folder. */
  readonly line: CatalogLine | null;
  readonly content: CatalogContent;
}

interface Written {
  readonly file: string;
  readonly sequence: number;
  readonly parent: string | null;
  readonly digest: string;
}

export const bundleBuild: Run = async (invocation, host) => {
  const { output } = host;
  const named = invocation.flags["output"];
  const catalogs = await meantCatalogs(invocation, host);
  const builds = catalogs.map(
    ({ directory, line }): Built => ({
      directory,
      line,
      content: guarded(() => readCatalogContent(directory), "catalogInvalid"),
    }),
  );
  const written = typeof named === "string" ? await write(named, builds, invocation, host) : null;
  if (output.json) output.object("BundleBuild", { catalogs: builds.map(buildJson), output: written });
  for (const built of builds) for (const line of buildLines(built)) output.line(line);
  if (written !== null) {
    output.line(`written: ${written.file}, number ${written.sequence} of its channel (${written.digest})`);
    output.progress(`it is not signed: \`moorage bundle sign ${String(named)}\` does it`);
  }
  return exit.ok;
};

async function meantCatalogs(invocation: Invocation, host: Host): Promise<Omit<Built, "content">[]> {
  const [folder] = invocation.words;
  if (folder === undefined)
    return (await declaredLines(invocation, host)).map((line) => ({ directory: line.path, line }));
  return [{ directory: resolve(host.cwd, folder), line: await lineOfFolder(folder, invocation, host) }];
}

function write(
  named: string,
  [built, ...others]: readonly Built[],
  invocation: Invocation,
  host: Host,
): Promise<Written> {
  if (built === undefined || others.length > 0)
    throw usageError("a file holds one bundle, and several catalogs are declared", "name the folder of one of them");
  const { line, content } = built;
  if (line === null)
    throw usageError(
      `${built.directory} is the catalog of no declared agent, so it has no channel and no runtime that it is for`,
      "name the folder of a declared catalog, or another declaration with --file",
    );
  return withMachine(invocation, host, "read", (_, machine) => {
    const parent = storeOf(machine).head(line.channel);
    const manifest = nextManifest(content.catalog, {
      channel: line.channel,
      parent,
      target: line.target,
      rootVersion: readTrust(machine.trustFolder)?.root.version ?? 1,
      created: new Date().toISOString(),
      expires: null,
    });
    const bytes = manifestBytes(manifest);
    const file = resolve(host.cwd, named);
    writeBundleFile(file, signEnvelope(bundlePayloadType, bytes, []), content.payload);
    const { sequence } = manifest;
    return Promise.resolve({ file, sequence, parent: manifest.parent, digest: manifestDigest(bytes) });
  });
}

function buildLines({ directory, line, content: { catalog } }: Built): string[] {
  const { hash, components } = catalog;
  return [
    line === null ? directory : `${channelText(line.channel)} from ${directory}:`,
    `  ${hash}, ${countOf(components.length, "file")}, ${countOf(bytesOf(components), "byte")}`,
    ...(line === null ? [] : [`  for ${axes.map((axis) => `${axis} ${line.target[axis]}`).join(", ")}`]),
    ...fileLines(components),
    ...leftOutLines(catalog),
  ];
}

function buildJson({ directory, line, content }: Built): object {
  const { hash, components, ignored, unmatched }: Catalog = content.catalog;
  const bytes = bytesOf(components);
  const { channel, target } = line ?? { channel: null, target: null };
  return { channel, directory, target, catalogHash: hash, bytes, files: components, ignored, unmatched };
}
