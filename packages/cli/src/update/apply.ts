/** An update from edited files to agents that use them: published, planned, and carried out as long as the plan is true. */
import type { BundleStore, PublishedHead } from "@moorage/bundle";
import { StoreError } from "@moorage/bundle";
import type { AgentPlan, Channel, UpdatePlan } from "@moorage/core";
import { planUpdate, whatMoved } from "@moorage/core";
import type { MoveReport } from "../cold-move/move-report.ts";
import { exitOfMove } from "../cold-move/move-report.ts";
import { checkNoMove } from "../cold-move/under-way.ts";
import type { DeclaredAgent } from "../declaration/agent.ts";
import { CliError } from "../errors/cli-error.ts";
import { exit, worstExit } from "../errors/exit-code.ts";
import type { Host } from "../host.ts";
import type { Progress } from "../output/progress.ts";
import type { MachineScope } from "../scope/agent-scope.ts";
import type { Session } from "../session.ts";
import { readStatus } from "../status/read-status.ts";
import type { Delivered, Recipient } from "./await-answers.ts";
import { awaitAnswers } from "./await-answers.ts";
import { catalogLines, channelText, storeOf } from "./catalog-line.ts";
import { deliveredText } from "./delivered-text.ts";
import { heldWords } from "./delivery-words.ts";
import { hideSecrets } from "./hide-secrets.ts";
import { heldIn } from "./life-text.ts";
import { fleetsToMove, goOnWithMoves, moveFleets } from "./move-fleets.ts";
import type { AgentView, Available, FleetView } from "./observe-fleet.ts";
import { observeFleets, startsAfterMove } from "./observe-fleet.ts";
import { planText } from "./plan-text.ts";
import type { PublishedNow } from "./publish-content.ts";
import { publishEdited } from "./publish-edited.ts";
import { remedy } from "./remedy.ts";
import type { Restarted } from "./when-idle.ts";
import { restartWhenIdle } from "./when-idle.ts";

export interface ApplyOptions {
  /** This agent alone; null: all of them. */
  readonly only: string | null;
  readonly deadlineMs: number;
  readonly whenIdle: boolean;
  /** What carries data from the old format to the new, where a cold move needs it. */
  readonly migration: string | null;
}

export interface Applied {
  readonly published: readonly PublishedNow[];
  readonly plans: readonly UpdatePlan[];
  readonly deliveries: readonly Delivered[];
  readonly restarts: readonly Restarted[];
  readonly moves: readonly MoveReport[];
  /** To whom what is published was not offered, because it failed there before. */
  readonly heldBack: readonly HeldBackNow[];
  readonly exit: number;
}

interface HeldBackNow {
  readonly agent: string;
  readonly message: string;
  readonly hint: string;
}

interface Ports {
  readonly session: Session;
  readonly machine: MachineScope;
  readonly progress: Progress;
  readonly host: Host;
}

/** Throws what stands in the way before anything is delivered; what was published by then stays published, and is told. */
export async function applyUpdate(
  agents: readonly DeclaredAgent[],
  options: ApplyOptions,
  ports: Ports,
): Promise<Applied> {
  const { machine, host } = ports;
  const members = options.only === null ? agents : agents.filter(({ name }) => name === options.only);
  hideSecrets(members, host);
  if (options.only !== null) await demandRunning(options.only, ports);
  const fleets = [...new Set(members.map(({ fleet }) => fleet))];
  const earlier = await goOnWithMoves(fleets, ports);
  const unfinished = worstExit(earlier.map((report) => exitOfMove(report, "new")));
  if (unfinished !== exit.ok)
    return { published: [], plans: [], deliveries: [], restarts: [], moves: earlier, heldBack: [], exit: unfinished };
  const published = publishEdited(catalogLines(members), machine, host.output);
  const applied = await deliverPublished(members, published, options, ports);
  const later = await coldMoves(applied.plans, agents, options, ports);
  const moved = later.map((report) => exitOfMove(report, "new"));
  return { ...applied, moves: [...earlier, ...later], exit: worstExit([applied.exit, ...moved]) };
}

/** What is published, to the agents that run: planned, and carried out while the plan is true. No format moves by it. */
export async function deliverPublished(
  members: readonly DeclaredAgent[],
  published: readonly PublishedNow[],
  options: ApplyOptions,
  ports: Ports,
): Promise<Applied> {
  const { output } = ports.host;
  const { views, plans } = await truePlans(members, ports);
  for (const [index, view] of views.entries()) {
    const plan = plans[index];
    if (plan !== undefined) for (const line of planText(view, plan, output)) output.progress(line);
  }
  for (const { digest, channel } of published) warnUnmatched(digest, channelText(channel), views, plans, ports.host);
  const deliveries = await deliver(views, plans, options, ports);
  const restarts = options.whenIdle ? await restartWhenIdle(warmOnes(views, plans), options.deadlineMs, ports) : [];
  const codes = [...deliveries, ...restarts].map((each) => each.exit);
  const heldBack = plannedAgents(views, plans).flatMap(({ view, plan }) => heldBackNow(view, plan) ?? []);
  // A person has to say that it is to be tried again.
  if (heldBack.length > 0) codes.push(exit.refused);
  return { published, plans, deliveries, restarts, moves: [], heldBack, exit: worstExit(codes) };
}

/** There has to be somebody to try it on. */
async function demandRunning(only: string, { session }: Ports): Promise<void> {
  const [status] = await readStatus(session, { names: [only], declared: null });
  if (status?.state === "running") return;
  throw new CliError({
    code: "notRunning",
    message: `${only} does not run: there is nobody to try it on; nothing was published`,
    hint: `\`moorage deploy ${only}\` starts it`,
  });
}

async function coldMoves(
  plans: readonly UpdatePlan[],
  agents: readonly DeclaredAgent[],
  { only, migration }: ApplyOptions,
  ports: Ports,
): Promise<MoveReport[]> {
  const fleets = await fleetsToMove(plans, agents, ports.machine);
  if (fleets.length === 0) return [];
  if (only !== null)
    throw new CliError({
      code: "wholeFleetMoves",
      message: `the formats that ${only} declares are not its fleet's, and no fleet runs two at the same time`,
      hint: "`moorage update apply` proposes the cold move of the whole fleet",
    });
  return moveFleets(fleets, agents, migration, ports);
}

/** A plan that is true at this moment: made again once, if agents moved and nobody has published. */
async function truePlans(
  members: readonly DeclaredAgent[],
  { session, machine }: Ports,
): Promise<{ readonly views: readonly FleetView[]; readonly plans: readonly UpdatePlan[] }> {
  let views = await observeFleets(members, session, machine, "published");
  for (let tries = 0; ; tries += 1) {
    const plans = views.map(({ observation }) => planUpdate(observation));
    const now = await observeFleets(members, session, machine, "published");
    const moved = plans.flatMap((plan, index) => {
      const seen = now[index];
      return seen === undefined ? [] : whatMoved(plan, seen.observation);
    });
    if (moved.length === 0) return { views, plans };
    if (tries > 0 || heads(views) !== heads(now))
      throw new CliError({
        code: "planMoved",
        message: `the world moved while it was looked at: ${[...new Set(moved)].join(", ")}; nothing was delivered`,
        hint: "look again: `moorage update plan`",
        details: { moved },
      });
    views = now;
  }
}

function heads(views: readonly FleetView[]): string {
  return JSON.stringify(views.map(({ available }) => available.map(({ head }) => head)));
}

/** Gives what is published to the fleet, or to one agent, and waits for what becomes of it. */
async function deliver(
  views: readonly FleetView[],
  plans: readonly UpdatePlan[],
  { only, deadlineMs }: ApplyOptions,
  ports: Ports,
): Promise<Delivered[]> {
  const { machine, session, progress, host } = ports;
  const store = storeOf(machine);
  const planned = plannedAgents(views, plans);
  // A move may have been approved since this call began.
  await checkNoMove(
    views.map(({ fleet }) => fleet),
    session.scope,
  );
  if (only === null)
    for (const { line, bundle } of views.flatMap(availableNow)) {
      const ofLine = planned.filter(({ view }) => view.available?.line === line);
      // What fits the build that is declared alone waits for the move that brings both.
      if (bundle === null || ofLine.some(({ plan }) => comesWithBuild(plan))) continue;
      if (assignedIn(store, line.channel)?.digest === bundle.digest) continue;
      store.assign(line.channel, bundle.digest);
      host.output.progress(`${channelText(line.channel)}: ${bundle.sequence} is given to the fleet`);
    }
  const recipients = planned.flatMap(({ view, plan }) => recipientOf(view, plan) ?? []);
  if (only !== null)
    for (const { instance, bundle } of recipients) {
      const { digest, catalogHash, sequence } = bundle;
      await machine.offer(instance, { digest, catalogHash, sequence });
    }
  machine.pokeAll(recipients.map(({ instance }) => instance));
  return awaitAnswers(recipients, deadlineMs, session, progress, host, (one) => deliveredText(one, host.output));
}

/** A damaged record does not stand in the way of a later one, which takes its place. */
function assignedIn(store: BundleStore, channel: Channel): PublishedHead | null {
  try {
    return store.assigned(channel);
  } catch (error) {
    if (error instanceof StoreError && error.code === "storeCorrupt") return null;
    throw error;
  }
}

/** A fleet that only a move lets start gets its bundles by that. */
function availableNow({ available, open, agents }: FleetView): readonly Available[] {
  const declared = agents.map((agent) => agent.declared);
  return agents.every(({ instance }) => instance === null) && startsAfterMove(open, declared) ? [] : available;
}

interface Planned {
  readonly view: AgentView;
  readonly plan: AgentPlan;
}

function plannedAgents(views: readonly FleetView[], plans: readonly UpdatePlan[]): Planned[] {
  const byName = new Map(plans.flatMap(({ agents }) => agents).map((plan) => [plan.agent, plan] as const));
  return views
    .flatMap(({ agents }) => agents)
    .flatMap((view) => {
      const plan = byName.get(view.declared.name);
      return plan === undefined ? [] : [{ view, plan }];
    });
}

function comesWithBuild({ effect }: AgentPlan): boolean {
  return effect.includes("with the bundle");
}

/** Null for who has it, for whom it is held back, and for whom it comes with the build. */
function recipientOf({ declared, instance, available, listens, facts }: AgentView, plan: AgentPlan): Recipient | null {
  const bundle = available?.bundle ?? null;
  if (instance === null || bundle === null || declared.catalog === null || !listens) return null;
  const inUse = facts?.process?.delivery?.inUse?.digest;
  if (inUse === bundle.digest || comesWithBuild(plan) || isHeldBack(plan)) return null;
  const { name, fleet, catalog } = declared;
  // The same content under another number is taken up where it is, without a trial of its own.
  const sameContent = plan.bundle.tier === "none";
  const signal = facts?.process?.template.catalog?.signal ?? null;
  return { agent: name, fleet, instance, bundle, sameContent, bakeMs: catalog.trial.bakeMs, signal };
}

function isHeldBack({ effect }: AgentPlan): boolean {
  return effect.includes("held back");
}

function heldBackNow({ declared: { name }, available, facts }: AgentView, plan: AgentPlan): HeldBackNow | null {
  if (!isHeldBack(plan)) return null;
  const { delivery = null, template } = facts?.process ?? {};
  const bundle = available?.bundle ?? null;
  const held = delivery === null || bundle === null ? null : heldIn(delivery, bundle);
  if (held === null) return null;
  const { message } = heldWords(held, Date.now());
  return { agent: name, message, hint: remedy(held, name, template?.catalog?.signal ?? null) };
}

function warmOnes(views: readonly FleetView[], plans: readonly UpdatePlan[]): AgentView[] {
  return plannedAgents(views, plans).flatMap(({ view, plan }) => (plan.release.tier === "warm" ? [view] : []));
}

/** Whoever publishes for another runtime is told how many cannot use it. */
function warnUnmatched(
  digest: string,
  channel: string,
  views: readonly FleetView[],
  plans: readonly UpdatePlan[],
  { output }: Host,
): void {
  const ofBundle = plannedAgents(views, plans).filter(({ view }) => view.available?.bundle?.digest === digest);
  const unfit = ofBundle.filter(({ plan }) => plan.bundle.tier === "incompatible" && !comesWithBuild(plan));
  if (ofBundle.length > 0 && unfit.length === ofBundle.length)
    output.warn(`${channel}: what was published fits no agent that runs (${unfit.length}): it is for other formats`);
}
