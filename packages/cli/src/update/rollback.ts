/** Going back: the content of an earlier bundle under a new sequence, signed as any other. */
import type { BundleStore, PublishedHead } from "@moorage/bundle";
import type { Channel } from "@moorage/core";
import { CliError } from "../errors/cli-error.ts";
import type { Output } from "../output/output.ts";
import type { MachineScope } from "../scope/agent-scope.ts";
import type { CatalogLine } from "./catalog-line.ts";
import { channelText, publishedOf, storeOf } from "./catalog-line.ts";
import { heldWords } from "./delivery-words.ts";
import type { HeldBackHere, HeldBackIn } from "./held-back.ts";
import type { FleetView } from "./observe-fleet.ts";
import type { PublishedNow } from "./publish-content.ts";
import { publishContent } from "./publish-content.ts";
import { sequenceOf } from "./publish-edited.ts";

/** What was, and who holds what of it back. */
interface Past {
  readonly store: BundleStore;
  readonly heldBack: HeldBackIn;
}

/**
 * Of every channel, or, with a sequence, of the only one, as `views` saw them: whoever has published since wins. What is held back
 * here, and what is in use anyway, is passed over. Throws `nothingPublished`, `noSuchBundle`, `heldBack` and `channelUnclear`;
 * `publishLost`, exit 5.
 */
export function rollBack(
  lines: readonly CatalogLine[],
  views: readonly FleetView[],
  to: number | null,
  machine: MachineScope,
  output: Output,
  heldBack: HeldBackIn,
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
  const past = { store, heldBack };
  // All that cannot be is told before anything is published.
  const targets = lines.map(({ channel }) => targetOf(past, channel, inUseOf(channel, views), to));
  return targets.map((target) => publishAgain(store, target, headIn(views, target.channel), machine, output));
}

interface Target {
  readonly channel: Channel;
  readonly from: number;
  readonly to: PublishedHead;
  /** What lies between and is no way back, each with why. */
  readonly passedOver: readonly string[];
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

/** The number that was published last when the fleet was looked at. */
function headIn(views: readonly FleetView[], channel: Channel): number | null {
  const seen = views
    .flatMap(({ available }) => available)
    .find(({ line }) => channelText(line.channel) === channelText(channel));
  return seen?.head ?? null;
}

function targetOf(past: Past, channel: Channel, inUse: number | null, to: number | null): Target {
  const { store } = past;
  const history = store.history(channel);
  const [head] = history;
  if (head === undefined)
    throw new CliError({
      code: "nothingPublished",
      message: `nothing is published in ${channelText(channel)}`,
      hint: "`moorage deploy` publishes a catalog at its first start, `moorage update apply` what was edited",
    });
  const from = inUse ?? store.assigned(channel)?.sequence ?? head.sequence;
  if (to === null) return before(past, channel, history, from);
  const found = history.find(({ sequence }) => sequence === to);
  if (found === undefined)
    throw new CliError({
      code: "noSuchBundle",
      message: `${channelText(channel)} has no number ${to}: it counts from ${history.at(-1)?.sequence ?? 1} to ${head.sequence}`,
      hint: "`moorage bundle show` lists what there is",
      details: { channel, from },
    });
  const held = past.heldBack(channel, named(store, found));
  if (held !== null)
    throw new CliError({
      code: "heldBack",
      message: `the content of number ${to} would not be taken: ${heldText(held)}; nothing was published`,
      hint: "`moorage mailbox` has it tried again, if that is what you want; `moorage bundle show` lists the others",
      details: { channel, agent: held.agent, to },
    });
  return { channel, from, to: found, passedOver: [] };
}

/** The newest content before the one in use that is another one, and that nobody holds back. */
function before({ store, heldBack }: Past, channel: Channel, history: readonly PublishedHead[], from: number): Target {
  const used = contentOf(
    store,
    history.find(({ sequence }) => sequence === from),
  );
  const passedOver: string[] = [];
  for (const head of history.filter(({ sequence }) => sequence < from)) {
    const bundle = named(store, head);
    const held = heldBack(channel, bundle);
    if (held !== null) passedOver.push(`${head.sequence} is passed over: ${heldText(held)}`);
    else if (used !== null && used === bundle.catalogHash)
      passedOver.push(`${head.sequence} is passed over: its content is in use`);
    else return { channel, from, to: head, passedOver };
  }
  const nothing = passedOver.length === 0 ? "nothing was published before it" : "nothing before it can be used";
  throw new CliError({
    code: "noSuchBundle",
    message: [`${channelText(channel)}: number ${from} is in use, and ${nothing}`, ...passedOver].join("; "),
    hint:
      passedOver.length === 0
        ? "correct the folder and run `moorage update apply`"
        : "correct the folder and run `moorage update apply`; `moorage mailbox` has what failed tried again",
    details: { channel, from },
  });
}

function named(
  store: BundleStore,
  head: PublishedHead,
): { readonly digest: string; readonly catalogHash: string | null } {
  return { digest: head.digest, catalogHash: contentOf(store, head) };
}

function contentOf(store: BundleStore, head: PublishedHead | undefined): string | null {
  return head === undefined ? null : (store.manifest(head.digest)?.catalogHash ?? null);
}

function heldText({ agent, held }: HeldBackHere): string {
  return `${agent}: ${heldWords(held, Date.now()).message}`;
}

function publishAgain(
  store: BundleStore,
  { channel, from, to, passedOver }: Target,
  seen: number | null,
  machine: MachineScope,
  output: Output,
): PublishedNow {
  const published = publishedOf(store, channel);
  if ((published?.head.sequence ?? null) !== seen)
    sequenceOf({ kind: "worldMoved", head: published?.head ?? null }, channel);
  const manifest = store.manifest(to.digest);
  const name = channelText(channel);
  const done =
    manifest === null
      ? null
      : store.withPayload({ manifest, digest: to.digest }, (payload) => {
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
  for (const text of passedOver) output.line(`${name}: ${text}`);
  output.line(`${name}: from ${from} back to the content of ${to.sequence}, published as ${sequenceOf(done, channel)}`);
  return done;
}
