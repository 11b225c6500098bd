/** Publishes the folders that were edited, each step told: built, signed, published on what was there. */
import type { Publication } from "@moorage/bundle";
import { ensureTrust } from "@moorage/bundle";
import type { Channel } from "@moorage/core";
import { orderTexts } from "@moorage/core";
import { CliError } from "../errors/cli-error.ts";
import type { Output } from "../output/output.ts";
import type { MachineScope } from "../scope/agent-scope.ts";
import { bytes } from "../status/status-table.ts";
import { shortHash } from "./bundle-name.ts";
import type { CatalogLine } from "./catalog-line.ts";
import { channelText, folderState, storeOf } from "./catalog-line.ts";
import type { PublishedNow } from "./publish-content.ts";
import { publishContent } from "./publish-content.ts";

/**
 * All folders are read before any is published: what cannot be published holds up everything, and nothing was done. Throws
 * `catalogInvalid`, exit 2; `publishLost`, exit 5; errors of keys, trust and store.
 */
export function publishEdited(lines: readonly CatalogLine[], machine: MachineScope, output: Output): PublishedNow[] {
  if (lines.length === 0) return [];
  const { root } = ensureTrust(machine.trustFolder);
  const store = storeOf(machine);
  const edited = lines.flatMap((line) => {
    const state = folderState(store, line, root.version);
    return state.kind === "edited" ? [{ line, state }] : [];
  });
  return edited.map(({ line, state: { content, published } }) => {
    const name = channelText(line.channel);
    const { hash, components, ignored, unmatched } = content.catalog;
    const size = components.reduce((sum, component) => sum + component.size, 0);
    const left = ignored.length === 0 ? "" : `, ${ignored.length} ignored`;
    output.progress(
      `${name}: built ${shortHash(hash)}: ${components.length === 1 ? "1 file" : `${components.length} files`}, ${bytes(size)}${left}`,
    );
    for (const { file, glob } of unmatched) output.warn(`${name}: ${file}: ${glob} matches nothing`);
    const done = publishContent(line, content, published, machine);
    const sequence = sequenceOf(done, line.channel);
    output.progress(`${name}: signed with the key ${done.keyId.slice(0, 8)}`);
    output.progress(`${name}: published as ${sequence}${published === null ? "" : `, on ${published.head.sequence}`}`);
    return done;
  });
}

/** Throws `publishLost`: whoever was faster is named, and nothing is tried again. */
export function sequenceOf(publication: Publication, channel: Channel): number {
  const { kind, head } = publication;
  switch (kind) {
    case "published":
    case "already":
      return publication.head.sequence;
    case "worldMoved":
      throw new CliError({
        code: "publishLost",
        message: `${channelText(channel)}: somebody else has published ${head === null ? "" : `number ${head.sequence} `}meanwhile; nothing of yours was published`,
        hint: "look at it with `moorage update plan`, and run `moorage update apply` again if yours is to come after it",
        details: { sequence: head?.sequence ?? null },
      });
    case "refused":
      throw new CliError({
        code: "bundleRefused",
        message: `${channelText(channel)}: it cannot be published: ${orderTexts[publication.fault]}`,
        hint: "look at it with `moorage update plan`",
      });
    default:
      return kind satisfies never;
  }
}
