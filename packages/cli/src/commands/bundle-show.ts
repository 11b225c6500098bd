/** `moorage bundle show`: what a bundle is, of an agent the one that it has in use; and all that were published. */
import type { BundleStore, Manifest } from "@moorage/bundle";
import type { Run } from "../args/command-spec.ts";
import { findBundle, referenceName } from "../bundle/bundle-reference.ts";
import { bytesOf, manifestLines } from "../bundle/bundle-text.ts";
import { declaredLines } from "../bundle/declared-lines.ts";
import type { MadeOfIt } from "../bundle/known-lives.ts";
import { knownLives, madeOf } from "../bundle/known-lives.ts";
import { usageError } from "../errors/cli-error.ts";
import { exit } from "../errors/exit-code.ts";
import type { Output } from "../output/output.ts";
import { aligned } from "../text/aligned.ts";
import { shortHash } from "../update/bundle-name.ts";
import type { CatalogLine } from "../update/catalog-line.ts";
import { channelText, storeOf } from "../update/catalog-line.ts";
import { withMachine } from "../update/with-machine.ts";

export const bundleShow: Run = (invocation, host) =>
  withMachine(invocation, host, "read", async (session, machine) => {
    const { output } = host;
    const [word] = invocation.words;
    if (word === undefined)
      return list(await declaredLines(invocation, host), storeOf(machine), await knownLives(session), output);
    const reference = await findBundle(word, { invocation, host, session, machine });
    if (reference.kind === "folder")
      throw usageError(`${word} is a folder, and no bundle yet`, `run \`moorage bundle build ${word}\``);
    const { manifest, digest } = reference;
    const standing = standingOf(storeOf(machine), manifest.channel, digest);
    const name = referenceName(reference);
    const agent = reference.kind === "stored" ? reference.agent : null;
    if (output.json) {
      const { format: _, components, ...rest } = manifest;
      const bytes = bytesOf(components);
      output.object("BundleInfo", { name, agent, digest, ...rest, bytes, files: components, ...standing });
    }
    output.line(`${name}${standingText(standing, agent)}`);
    for (const line of manifestLines(manifest, digest)) output.line(line);
    return exit.ok;
  });

interface Standing {
  readonly head: boolean;
  readonly assigned: boolean;
  readonly confirmed: boolean;
}

function standingOf(store: BundleStore, channel: Manifest["channel"], digest: string): Standing {
  return {
    head: store.head(channel)?.digest === digest,
    assigned: store.assigned(channel)?.digest === digest,
    confirmed: store.confirmed(channel)?.digest === digest,
  };
}

/** The newest first. What of a bundle is lost is told as that. */
function list(
  lines: readonly CatalogLine[],
  store: BundleStore,
  lives: Awaited<ReturnType<typeof knownLives>>,
  output: Output,
): number {
  const channels = lines.map(({ channel }) => ({
    channel,
    bundles: store.history(channel).map(({ sequence, digest }) => {
      const { catalogHash, created } = store.manifest(digest) ?? { catalogHash: null, created: null };
      const standing = standingOf(store, channel, digest);
      const { proven, ...made } = madeOf(lives, channel, { digest, catalogHash });
      // The channel knows the newest alone that an agent confirmed.
      const confirmed = standing.confirmed || proven;
      return { sequence, digest, catalogHash, created, ...standing, confirmed, ...made };
    }),
  }));
  if (output.json) output.object("BundleList", { channels });
  for (const { channel, bundles } of channels) {
    output.line(`${channelText(channel)}:${bundles.length === 0 ? " nothing is published" : ""}`);
    const rows = bundles.map(({ sequence, catalogHash, created, ...standing }) => [
      `  ${sequence}`,
      catalogHash === null ? "lost" : shortHash(catalogHash),
      created ?? "",
      markText(standing),
    ]);
    for (const row of aligned(rows)) output.line(row);
  }
  return exit.ok;
}

/** So that a person sees where to go back to, and where not. */
function markText({ usedBy, failedWith, ...standing }: Standing & Omit<MadeOfIt, "proven">): string {
  return [
    standingText(standing, null).replace(/^: /, ""),
    usedBy.length === 0 ? "" : `in use by ${usedBy.join(", ")}`,
    failedWith.length === 0 ? "" : `failed with ${failedWith.join(", ")}`,
  ]
    .filter((mark) => mark !== "")
    .join("; ");
}

function standingText(standing: Standing, agent: string | null): string {
  const words = [
    ...(agent === null ? [] : ["in use"]),
    ...(standing.head ? ["published last"] : []),
    ...(standing.assigned ? ["given to the fleet"] : []),
    ...(standing.confirmed ? ["confirmed"] : []),
  ];
  return words.length === 0 ? "" : `: ${words.join(", ")}`;
}
