/** What an update goes by: the declared agents as they run, what a start would use now, and what is available to them. */
import type { Component, Manifest } from "@moorage/bundle";
import { catalogHashOf, readTrust, switchPoint } from "@moorage/bundle";
import type { Channel, FleetObservation, PlannedAgent, PublishedBundle, Release, RuntimeTarget } from "@moorage/core";
import { firstDifference, moorageProfile, readGate, readNotes, verify } from "@moorage/core";
import { sha256 } from "@moorage/keys";
import type { DeclaredAgent } from "../declaration/agent.ts";
import { defaultFormats } from "../declaration/agent.ts";
import { CliError } from "../errors/cli-error.ts";
import { buildId } from "../launch/build-id.ts";
import type { AgentFacts, MachineScope } from "../scope/agent-scope.ts";
import type { KnownAgent, Session } from "../session.ts";
import { knownAgents } from "../session.ts";
import type { CatalogLine } from "./catalog-line.ts";
import { catalogLines, channelText, folderState, publishedOf, storeOf } from "./catalog-line.ts";
import { mayShowItself } from "./shows-itself.ts";

/** What a channel has for its agents. */
export interface Available {
  readonly line: CatalogLine;
  /** `edited`: the folder as it would be published; `published`: the head of the channel. */
  readonly source: "edited" | "published" | "nothing";
  readonly bundle: PublishedBundle | null;
  readonly components: readonly Component[];
  /** Of the head; null when nothing is published. */
  readonly head: number | null;
  /** The content is that of the head, and what differs is the formats, or the trust root that it is signed for. */
  readonly sameContent: boolean;
}

/** One declared agent as it was seen. */
export interface AgentView {
  readonly declared: DeclaredAgent;
  /** What runs under its name; null: nothing does. */
  readonly instance: string | null;
  readonly facts: AgentFacts | null;
  /** What runs listens to the channel that is declared; else another catalog takes effect at its next start alone. */
  readonly listens: boolean;
  /** The path of the declaration that it runs from, where that is another one. */
  readonly otherSource: string | null;
  readonly available: Available | null;
  /** Null: what makes its build cannot be read; then it is said why. */
  readonly release: Release | null;
  readonly releaseFault: string | null;
}

export interface FleetView {
  readonly fleet: string;
  readonly observation: FleetObservation;
  /** All that were asked for, whether they run or not. */
  readonly agents: readonly AgentView[];
  readonly available: readonly Available[];
  /** The formats that its gate lets start; null: none, or whatever comes first. */
  readonly open: RuntimeTarget | null;
}

/** Whether no declared agent of a fleet may start before a cold move: its gate has other formats than any of them declares. */
export function startsAfterMove(open: RuntimeTarget | null, agents: readonly DeclaredAgent[]): boolean {
  return open !== null && agents.every(({ fingerprint }) => firstDifference(open, fingerprint) !== null);
}

/** Of an agent without a catalog: the hash of nothing. */
const noCatalog: string = catalogHashOf([]);

/**
 * Reads and changes nothing. `folders`: whether an edited folder counts as what is available, else the head of its channel does.
 * Throws `catalogInvalid` and `formatsDiffer`, exit 2, and a `StoreError`.
 */
export async function observeFleets(
  agents: readonly DeclaredAgent[],
  session: Session,
  machine: MachineScope,
  folders: "edited" | "published",
): Promise<FleetView[]> {
  const available = catalogLines(agents).map((line) => availableIn(line, machine, folders));
  const known = await knownAgents(session.scope);
  const facts = new Map((await session.scope.facts()).map((each) => [each.name, each] as const));
  const views = agents.map((declared) => viewOf(declared, known, facts, available));
  const fleets = [...new Set(agents.map(({ fleet }) => fleet))];
  return Promise.all(
    fleets.map(async (fleet) => {
      const members = views.filter(({ declared }) => declared.fleet === fleet);
      const { epoch, open } = (await readGate(machine.documents, fleet))?.gate ?? { epoch: 0, open: null };
      const observation = { fleet, epoch, agents: members.flatMap((view) => plannedAgent(view, machine) ?? []) };
      const lines = available.filter(({ line }) => line.channel.fleet === fleet);
      return { fleet, observation, agents: members, available: lines, open };
    }),
  );
}

/** The instances to which the plan gives a bundle, and which may still show when they take it up. */
export function unshownOnes({ agents }: FleetView): string[] {
  return agents.flatMap(({ instance, available, listens, facts }) => {
    const bundle = available?.bundle ?? null;
    if (instance === null || bundle === null || !listens) return [];
    return mayShowItself(facts) && facts?.process?.delivery?.inUse?.digest !== bundle.digest ? [instance] : [];
  });
}

function availableIn(line: CatalogLine, machine: MachineScope, folders: "edited" | "published"): Available {
  const store = storeOf(machine);
  if (folders === "edited") {
    const state = folderState(store, line, readTrust(machine.trustFolder)?.root.version ?? null);
    if (state.kind === "edited") {
      const { content, published } = state;
      const { hash, components } = content.catalog;
      const sequence = (published?.head.sequence ?? 0) + 1;
      // What is not published yet has no manifest: its content stands for it.
      const bundle = { target: line.target, catalogHash: hash, sequence, digest: hash };
      const sameContent = published?.manifest.catalogHash === hash;
      return { line, source: "edited", bundle, components, head: published?.head.sequence ?? null, sameContent };
    }
  }
  const published = publishedOf(store, line.channel);
  if (published === null)
    return { line, source: "nothing", bundle: null, components: [], head: null, sameContent: false };
  const { head, manifest } = published;
  const { target, catalogHash, components } = manifest;
  const bundle = { target, catalogHash, sequence: head.sequence, digest: head.digest };
  return { line, source: "published", bundle, components, head: head.sequence, sameContent: true };
}

function viewOf(
  declared: DeclaredAgent,
  known: readonly KnownAgent[],
  facts: ReadonlyMap<string, AgentFacts>,
  available: readonly Available[],
): AgentView {
  const named = known.filter(({ agent }) => agent === declared.name);
  if (named.length > 1)
    throw new CliError({
      code: "nameTwice",
      message: `two agents are recorded as ${declared.name}: ${named.map(({ observed }) => observed.name).join(", ")}`,
      hint: "`moorage status` tells them apart; stop the one that is not to be",
    });
  const running = named.find(isRunning);
  const notes = running === undefined ? {} : readNotes(running.observed, moorageProfile);
  const { name, source, fleet, catalog } = declared;
  return {
    declared,
    instance: running?.observed.name ?? null,
    facts: running === undefined ? null : (facts.get(running.observed.name) ?? null),
    listens: catalog !== null && (notes.fleet ?? name) === fleet && notes.catalog === catalog.name,
    otherSource: notes.source === undefined || notes.source === source ? null : notes.source,
    available: available.find(({ line }) => isIn(line.channel, declared)) ?? null,
    ...releaseOf(declared),
  };
}

function isIn(channel: Channel, { fleet, catalog }: DeclaredAgent): boolean {
  return catalog !== null && channelText(channel) === channelText({ fleet, catalog: catalog.name });
}

function isRunning({ observed, identity }: KnownAgent): boolean {
  const verified = verify(observed, moorageProfile, identity);
  return verified.kind === "verified" && verified.instance.startup.kind === "started" && observed.deletion === null;
}

/** What a start would use now: the declaration, whatever else was made available by name. */
function releaseOf(declared: DeclaredAgent): Pick<AgentView, "release" | "releaseFault"> {
  try {
    return { release: { buildId: buildId(declared, sha256), target: declared.fingerprint }, releaseFault: null };
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    return { release: null, releaseFault: error.message };
  }
}

/** Null for what does not run here, or runs from another declaration. */
function plannedAgent(view: AgentView, machine: MachineScope): PlannedAgent | null {
  const { declared, instance, facts, listens, available, release, otherSource } = view;
  const running = facts?.process ?? null;
  if (instance === null || running === null || otherSource !== null) return null;
  const { template, delivery } = running;
  const used = delivery?.inUse ?? null;
  const bundle = available?.bundle ?? null;
  const held = (delivery?.heldBack ?? []).filter(({ axis }) => axis === null);
  return {
    agent: declared.name,
    running: {
      buildId: template.buildId,
      fingerprint: { ...(template.fingerprint ?? defaultFormats), toolCatalogHash: used?.catalogHash ?? noCatalog },
    },
    takesPart: listens ? (delivery?.takesPart ?? "nothing") : "nothing",
    takesEffect: takesEffect(used?.digest ?? null, available, machine),
    quarantined:
      bundle !== null &&
      held.some(({ digest, catalogHash }) => digest === bundle.digest || catalogHash === bundle.catalogHash),
    release,
    bundle,
    version: sha256
      .text([instance, running.uid, used?.digest, ...held.map(({ digest }) => digest)].join("\0"))
      .slice(0, 16),
  };
}

function takesEffect(
  inUse: string | null,
  available: Available | null,
  machine: MachineScope,
): PlannedAgent["takesEffect"] {
  if (inUse === null || available === null) return "turn";
  const before: Pick<Manifest, "components"> | null = storeOf(machine).manifest(inUse);
  return before !== null && switchPoint(before, available) === "start" ? "start" : "turn";
}
