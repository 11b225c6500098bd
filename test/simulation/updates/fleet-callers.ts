/** The callers of a fleet's history: each a process with a wire of its own, until it answers, is lost or dies. */
import type { AbortSource, Admission, CallPorts, Documents, MoveSide, StartRequest, Substrate } from "@moorage/core";
import {
  carryOutMove,
  createAbort,
  firstDifference,
  gateAdmission,
  moveFacts,
  openMailbox,
  putForward,
  startAgent,
  stopAgent,
  turnBack,
  waitingNotices,
} from "@moorage/core";
import type { Agent } from "../agents.ts";
import { digest, startRequest, subjectOf } from "../agents.ts";
import { randomOf } from "../chance.ts";
import { memorySubstrate } from "../memory-substrate.ts";
import { Wire } from "../wire.ts";
import { fleetHands } from "./fleet-hands.ts";
import type { Decide, Execute, FleetCall, FleetStart, Publish } from "./fleet-history.ts";
import { secretValue } from "./fleet-promises.ts";
import type { FleetWorld } from "./fleet-world.ts";
import { fleet, fleetAgents, members } from "./fleet-world.ts";
import { Lost, told } from "./shared-documents.ts";

export interface FleetCaller {
  readonly wire: Wire;
  readonly abort: AbortSource;
  /** What it answered; null: it has not, or has died. */
  readonly answer: () => string | null;
  readonly isOver: () => boolean;
}

interface Session {
  readonly world: FleetWorld;
  readonly wire: Wire;
  readonly documents: Documents;
  readonly ports: CallPorts;
  readonly who: string;
  readonly number: number;
}

/** Begins at once; goes on as the scheduler lets it. */
export function callFleet(world: FleetWorld, step: FleetCall): FleetCaller {
  const { history, scheduler, store, weather, promises } = world;
  const who = `${step.kind} #${step.caller}`;
  const tell = (line: string): void => {
    if (line.includes(secretValue)) promises.broken("P7", `${who} tells a secret value`);
    world.tell(`${who}: ${line}`);
  };
  const { calm } = world;
  const wire = new Wire({
    history: calm ? { seed: history.seed, faults: { kind: "given", list: [] } } : history,
    caller: step.caller,
    crash: step.crash,
    calm,
    scheduler,
    store,
    weather,
    tell,
  });
  const abort = createAbort();
  const ports: CallPorts = {
    substrate: guarded(memorySubstrate(store, "memory", wire)),
    clock: wire.clock,
    random: randomOf(history.seed, step.caller),
    journal: { append: ({ step: what, message }) => tell(`  ${what}: ${message}`) },
    signal: abort.signal,
  };
  let answer: string | null = null;
  let over = false;
  const session = { world, wire, documents: world.documents.over(wire), ports, who, number: step.caller };
  run(session, step)
    .then((said) => {
      answer = said;
      tell(`answers ${said}`);
    })
    .catch((error: unknown) => {
      if (error instanceof Lost) tell(`is lost: ${error.message}`);
      else promises.broken("answer", `${who} threw ${error instanceof Error ? error.stack : String(error)}`);
    })
    .finally(() => {
      over = true;
    });
  return { wire, abort, answer: () => answer, isOver: () => over || wire.dead };
}

function run(session: Session, step: FleetCall): Promise<string> {
  switch (step.kind) {
    case "start":
      return start(session, step);
    case "stop":
      return stopAgent(subjectOf(agentOf(step.agent), 60_000), session.ports).then(({ outcome }) => outcome);
    case "publish":
      return publish(session, step);
    case "propose":
      return propose(session);
    case "execute":
      return execute(session, step);
    case "decide":
      return decide(session, step);
    case "turnBack":
      return turn(session);
    default:
      return step satisfies never;
  }
}

function agentOf(number: number): Agent {
  return fleetAgents[number] ?? agentOf(0);
}

/** A start of the fleet's agent with the build of one side, as every command asks for it. */
function startingOf({ world, documents }: Pick<Session, "world" | "documents">, agent: Agent, side: MoveSide) {
  const request: StartRequest = {
    ...startRequest(agent, 0, 60_000, 0),
    template: world.template(side),
    secrets: new Map([["API_KEY", secretValue]]),
  };
  return { request, admission: world.admission(gateAdmission(documents, fleet, world.target(side))) };
}

async function start(session: Session, { agent, side, slip, ignorant }: FleetStart): Promise<string> {
  const { world, wire, ports, who } = session;
  const slips = <T>(at: NonNullable<FleetStart["slip"]>["after"], value: T): T => {
    if (slip?.after === at) wire.freeze(slip.ms);
    return value;
  };
  const { request, admission } = startingOf(session, agentOf(agent), side);
  const slow: Admission = {
    begin: async () => slips("begin", await admission.begin()),
    stillHolds: async () => slips("stillHolds", await admission.stillHolds()),
  };
  const { substrate } = ports;
  const sleepy: Substrate = {
    ...substrate,
    createSecret: async (spec) => slips("secret", await substrate.createSecret(spec)),
  };
  const asked: StartRequest = ignorant ? request : { ...request, admission: slow };
  const outcome = await startAgent(asked, { ...ports, substrate: sleepy, digest });
  const { condition } = outcome;
  if (outcome.outcome === "refused" && (condition === null || condition.hint === ""))
    world.promises.broken("told", `${who} was refused, and nobody says why`);
  return `${outcome.outcome}${condition === null ? "" : ` (${condition.code})`}`;
}

async function publish({ world, wire, who }: Session, { content, nature, side, thinkMs }: Publish): Promise<string> {
  const { channel, promises } = world;
  const head = told(await wire.read("readChannel", "head", () => ({ kind: "told", value: channel.head() })));
  await wire.clock.sleep(thinkMs);
  const what = { content, nature, target: world.target(side) };
  const sequence = (head?.sequence ?? 0) + 1;
  const verdict = told(
    await wire.write("publish", String(sequence), () => ({
      kind: "told",
      value: channel.publish(what, head?.digest ?? null, sequence, side === world.side),
    })),
  );
  if (verdict.kind === "lost" && verdict.head?.digest === head?.digest)
    promises.broken("told", `${who} lost to nobody`);
  if (new Set(channel.line.map((one) => one.sequence)).size !== channel.line.length)
    promises.broken("P9", "the channel says two things at once");
  return verdict.kind;
}

async function propose({ world, documents, number }: Session): Promise<string> {
  const [from, to] = world.side === "old" ? (["old", "new"] as const) : (["new", "old"] as const);
  const bundle = world.channel.line.findLast((one) => firstDifference(one.target, world.target(to)) === null);
  const put = await putForward(documents, {
    id: `m${number}`,
    fleet,
    from: world.target(from),
    to: world.target(to),
    members: members.map((agent) => ({ agent, oldBuild: from, newBuild: to })),
    bundle: bundle === undefined ? "none" : { digest: bundle.digest, target: world.target(to) },
    migration: world.history.migration,
  });
  return put.kind;
}

async function execute(session: Session, { deadlineMs }: Execute): Promise<string> {
  const { world, documents, ports, wire, number } = session;
  const mailbox = openMailbox(documents, ports.random);
  const hands = fleetHands({
    world,
    ports,
    isDead: () => wire.dead,
    starting: (agent, side) => startingOf(session, agent, side),
  });
  const outcome = await carryOutMove(
    { fleet, deadlineMs },
    {
      documents,
      mailbox,
      hands,
      clock: wire.clock,
      time: () => world.time(),
      signal: ports.signal,
      tell: ({ id, state }, detail) =>
        world.tell(`#${number}: ${id} is ${state.kind}${detail === null ? "" : `: ${detail}`}`),
    },
  );
  return outcome.kind;
}

/** An operator: looks, thinks, and says what they think of what they have seen. */
async function decide({ world, documents, ports, wire, number }: Session, step: Decide): Promise<string> {
  const mailbox = openMailbox(documents, ports.random);
  const { notices } = await mailbox.list();
  const ways = step.favours === "forward" ? ["approve", "goOn", "acknowledge"] : ["reject", "goBack", "acknowledge"];
  const moves = waitingNotices(notices, world.time()).filter(({ subject }) => subject.kind === "fleet");
  const asked = moves.at(-1) ?? waitingNotices(notices, world.time())[0];
  const choice = asked?.choices.find((one) => ways.includes(one));
  if (asked === undefined || choice === undefined) return "nothing waits";
  await wire.clock.sleep(step.thinkMs);
  const word = { by: `person ${number}`, at: world.time(), revision: asked.revision };
  const decided = step.snoozes
    ? await mailbox.snooze(asked.id, word, world.time() + 30_000)
    : await mailbox.decide(
        asked.id,
        { ...word, choice },
        asked.subject.kind === "fleet" ? moveFacts(documents) : async () => asked,
      );
  if (decided.kind === "lost" && decided.notice.state.kind === "open")
    world.promises.broken("told", `#${number} lost a decision to nobody`);
  return `${choice} ${decided.kind}`;
}

async function turn({ world, documents, ports, number }: Session): Promise<string> {
  const by = `person ${number}`;
  world.promises.turns(by);
  const turned = await turnBack(documents, fleet, { by, at: world.time() });
  if (turned.kind === "noReturn") await openMailbox(documents, ports.random).raise(turned.draft, world.time());
  return turned.kind;
}

/** An admission policy of the place: what does not say its fleet has passed no gate. */
function guarded(substrate: Substrate): Substrate {
  return {
    ...substrate,
    createInstance: async (spec) =>
      spec.annotations["moorage.dev/fleet"] === undefined
        ? { kind: "refused", refusal: { kind: "admissionDenied", by: "the policy", detail: "it names no fleet" } }
        : substrate.createInstance(spec),
  };
}
