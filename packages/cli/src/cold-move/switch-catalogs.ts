/** Gives a fleet's channels the bundles of one side of a cold move: what is assigned only ever rises, so old content comes under a new sequence. */
import type { BundleStore, Manifest, PublishedHead } from "@moorage/bundle";
import type { Channel, RuntimeTarget } from "@moorage/core";
import { firstDifference } from "@moorage/core";
import { CliError } from "../errors/cli-error.ts";
import type { MachineScope } from "../scope/agent-scope.ts";
import { channelText, publishedOf, storeOf } from "../update/catalog-line.ts";
import { publishContent } from "../update/publish-content.ts";

/** How often somebody else may publish in between. */
const tries = 5;

/**
 * What the fleet is given of the channel from here on is for these formats. A newer bundle for them that came meanwhile
 * counts; else it is the content of `digest`. Done twice, it is done. Throws errors of the store, the trust and the keys.
 */
export function assignFor(
  channel: Channel,
  target: RuntimeTarget,
  digest: string,
  machine: MachineScope,
): PublishedHead {
  const store = storeOf(machine);
  for (let attempt = 1; ; attempt += 1) {
    const assigned = store.assigned(channel);
    if (assigned !== null && isFor(store, assigned, target)) return assigned;
    const newer = store
      .history(channel)
      .find((head) => head.sequence > (assigned?.sequence ?? 0) && isFor(store, head, target));
    if (newer !== undefined) return store.assign(channel, newer.digest);
    const published = publishAgain(store, channel, digest, machine);
    if (published !== null) return store.assign(channel, published.digest);
    if (attempt === tries)
      throw new CliError({
        code: "worldMoved",
        message: `others keep publishing in ${channelText(channel)}`,
        hint: "run it again once they are done",
      });
  }
}

function isFor(store: BundleStore, { digest }: PublishedHead, target: RuntimeTarget): boolean {
  const manifest = store.manifest(digest);
  return manifest !== null && firstDifference(manifest.target, target) === null;
}

/** The content of an earlier bundle under the next sequence; null: somebody was faster. */
function publishAgain(
  store: BundleStore,
  channel: Channel,
  digest: string,
  machine: MachineScope,
): PublishedHead | null {
  const manifest = store.manifest(digest);
  if (manifest === null) throw lost(channel, digest);
  const parent = publishedOf(store, channel);
  return store.withPayload({ manifest, digest }, (payload) => {
    if (payload === null) throw lost(channel, digest);
    const catalog = catalogOf(manifest);
    const published = publishContent({ channel, target: manifest.target }, { catalog, payload }, parent, machine);
    return published.kind === "published" || published.kind === "already" ? published.head : null;
  });
}

function catalogOf({ catalogHash, components }: Manifest): {
  readonly hash: string;
  readonly components: Manifest["components"];
} {
  return { hash: catalogHash, components };
}

function lost(channel: Channel, digest: string): CliError {
  return new CliError({
    code: "storeCorrupt",
    message: `the bundle ${digest} of ${channelText(channel)}, which the move needs, is lost or damaged`,
    hint: "`moorage doctor` looks at everything",
  });
}
