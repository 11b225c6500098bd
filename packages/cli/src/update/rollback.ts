/** Going back: the content of an earlier bundle under a new sequence, signed as any other. */
import type { BundleStore, PublishedHead } from "@moorage/bundle";
import type { Channel } from "@moorage/core";
import { CliError } from "../errors/cli-error.ts";
import type { Output } from "../output/output.ts";
import type { MachineScope } from "../scope/agent-scope.ts";
import type { CatalogLine } from "./catalog-line.ts";
import { channelText, publishedOf, storeOf } from "./catalog-line.ts";
import type { FleetView } from "./observe-fleet.ts";
import type { PublishedNow } from "./publish-content.ts";
import { publishContent } from "./publish-content.ts";
import { sequenceOf } from "./publish-edited.ts";

/** Of every channel, or, with a sequence, of the only one. Throws `nothingPublished`, `noSuchBundle` and `channelUnclear`. */
export function rollBack(
  lines: readonly CatalogLine[],
  views: readonly FleetView[],
  to: number | null,
  machine: MachineScope,
  output: Output,
): PublishedNow[] {
  if (lines.length === 0)
    throw new CliError({
      code: "nothingPublished",
      message: "no agent here is declared with a catalog",
      hint: "`moorage status` lists what is there",
    });
  if (to !== null && lines.length > 1)
    throw new CliError({
      code: "channelUnclear",
      message: `several catalogs are declared here, and each counts by itself: ${lines.map(({ channel }) => channelText(channel)).join(", ")}`,
      hint: "leave --to out, or name a declaration with one of them: --file",
    });
  const store = storeOf(machine);
  // All that cannot be is told before anything is published.
  const targets = lines.map(({ channel }) => targetOf(store, channel, inUseOf(channel, views), to));
  return targets.map((target) => publishAgain(store, target, machine, output));
}

interface Target {
  readonly channel: Channel;
  readonly from: number;
  readonly to: PublishedHead;
}

/** The highest that an agent has in use; of a fleet that does not run, what it is given at its start. */
function inUseOf(channel: Channel, views: readonly FleetView[]): number | null {
  const used = views
    .flatMap(({ agents }) => agents)
    .flatMap(({ available, facts, listens }) =>
      listens && available !== null && channelText(available.line.channel) === channelText(channel)
        ? (facts?.process?.delivery?.inUse?.sequence ?? [])
        : [],
    );
  return used.length === 0 ? null : Math.max(...used);
}

function targetOf(store: BundleStore, channel: Channel, inUse: number | null, to: number | null): Target {
  const history = store.history(channel);
  const [head] = history;
  if (head === undefined)
    throw new CliError({
      code: "nothingPublished",
      message: `nothing is published in ${channelText(channel)}`,
      hint: "`moorage deploy` publishes a catalog at its first start, `moorage update apply` what was edited",
    });
  const from = inUse ?? store.assigned(channel)?.sequence ?? head.sequence;
  const found =
    to === null ? history.find(({ sequence }) => sequence < from) : history.find(({ sequence }) => sequence === to);
  if (found !== undefined) return { channel, from, to: found };
  throw new CliError({
    code: "noSuchBundle",
    message:
      to === null
        ? `${channelText(channel)}: number ${from} is in use, and nothing was published before it`
        : `${channelText(channel)} has no number ${to}: it counts from ${history.at(-1)?.sequence ?? 1} to ${head.sequence}`,
    hint: "`moorage bundle show` lists what there is",
    details: { channel, from },
  });
}

function publishAgain(
  store: BundleStore,
  { channel, from, to }: Target,
  machine: MachineScope,
  output: Output,
): PublishedNow {
  const published = publishedOf(store, channel);
  const manifest = store.manifest(to.digest);
  const name = channelText(channel);
  const done =
    manifest === null
      ? null
      : store.withPayload(manifest, (payload) => {
          if (payload === null) return null;
          const catalog = { hash: manifest.catalogHash, components: manifest.components };
          return publishContent({ channel, target: manifest.target }, { catalog, payload }, published, machine);
        });
  if (done === null)
    throw new CliError({
      code: "storeCorrupt",
      message: `${name}: the content of number ${to.sequence} is lost`,
      hint: "name another with --to",
    });
  output.line(`${name}: from ${from} back to the content of ${to.sequence}, published as ${sequenceOf(done, channel)}`);
  return done;
}
