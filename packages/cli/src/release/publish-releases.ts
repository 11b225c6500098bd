/** Makes the declared builds available to their fleets. A release never moves a catalog: one whose catalog moved is published as a bundle. */

import { hashCatalog } from "@moorage/bundle";
import type { Documents, Release, Releases } from "@moorage/core";
import { publishReleases, readReleases, writeReleases } from "@moorage/core";
import { sha256 } from "@moorage/keys";
import type { DeclaredAgent } from "../declaration/agent.ts";
import { CliError, usageError } from "../errors/cli-error.ts";
import { guarded } from "../fingerprint/formats.ts";
import { buildId } from "../launch/build-id.ts";
import type { MachineScope } from "../scope/agent-scope.ts";
import { catalogLines, channelText, publishedOf, storeOf } from "../update/catalog-line.ts";

export type DeclaredRelease = Release & { readonly agent: string };

/** Throws `usage` for an agent that declares no command here, and `buildFileMissing`. */
export function declaredRelease(agent: DeclaredAgent): DeclaredRelease {
  const { name, command, fingerprint } = agent;
  if (command.length === 0)
    throw usageError(`${name} declares no command, so no build of it is for this machine`, "declare run.command");
  return { agent: name, buildId: buildId(agent, sha256), target: fingerprint };
}

/** Throws `catalogMoved`, exit 4, when what is declared is not what is published. Where nothing is, nothing has moved. */
export function checkCatalogs(agents: readonly DeclaredAgent[], machine: MachineScope): void {
  for (const { channel, path, agents: names } of catalogLines(agents)) {
    const published = publishedOf(storeOf(machine), channel);
    if (published === null) continue;
    const hash = guarded(() => hashCatalog(path), "catalogInvalid");
    if (hash === published.manifest.catalogHash) continue;
    throw new CliError({
      code: "catalogMoved",
      message: `the catalog of ${names.join(", ")} was edited since number ${published.head.sequence} of ${channelText(channel)} was published, and a release never moves a catalog`,
      hint: "publish that as a bundle first: `moorage bundle publish`, or `moorage update apply`",
      details: { channel, expected: published.manifest.catalogHash, actual: hash },
    });
  }
}

/** The fleet's builds as they are then. Throws `releaseMoved`, exit 5, when others do not stop to publish in between. */
export async function recordReleases(
  documents: Documents,
  fleet: string,
  published: readonly DeclaredRelease[],
  at: number,
): Promise<Releases> {
  for (let tries = 0; tries < mostTries; tries += 1) {
    const stored = await documents.read("release", fleet);
    const before = stored === null ? null : readReleases(stored.text);
    const all = publishReleases(before, fleet, published, at);
    const seen = stored?.revision ?? null;
    // Of different agents several may publish at once: each is added to what is there.
    if ((await documents.swap("release", fleet, seen, writeReleases(all))) === "swapped") return all;
  }
  throw new CliError({
    code: "releaseMoved",
    message: `the builds of ${fleet} are being published by others all the time`,
    hint: "look with `moorage release list`, and publish again",
  });
}

const mostTries = 20;

/** One as programs get it. */
export function releaseJson({ agent, buildId: build, target, publishedAt }: Releases["agents"][number]): object {
  return { agent, buildId: build, target, publishedAt: new Date(publishedAt).toISOString() };
}
