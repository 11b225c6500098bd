/** The hands of a cold move over the substrate of a history: real starts and stops, reads of all that lives, a migration. */
import type {
  Admission,
  CallPorts,
  FleetLook,
  MoveHands,
  MoveSide,
  ObservedInstance,
  StartRequest,
  Substrate,
} from "@moorage/core";
import {
  attemptOfSecret,
  decodeStartup,
  firstDifference,
  readMove,
  secretName,
  startAgent,
  stopAgent,
} from "@moorage/core";
import type { Agent } from "../agents.ts";
import { digest, profile, subjectOf } from "../agents.ts";
import type { FleetWorld } from "./fleet-world.ts";
import { fleet, fleetAgents, members } from "./fleet-world.ts";
import { Lost } from "./shared-documents.ts";

export interface HandsOptions {
  readonly world: FleetWorld;
  readonly ports: CallPorts;
  readonly isDead: () => boolean;
  readonly starting: (
    agent: Agent,
    side: MoveSide,
  ) => { readonly request: StartRequest; readonly admission: Admission };
}

interface There {
  readonly agent: Agent;
  readonly instance: ObservedInstance;
  /** `leftover`: it has never started, and its Secret is gone. */
  readonly life: "lives" | "ended" | "leftover";
}

export function fleetHands({ world, ports, isDead, starting }: HandsOptions): MoveHands {
  const { substrate, clock } = ports;

  /** The build that is the old or the new one of the move under way: a later move may lead back. */
  function buildOf(side: MoveSide): MoveSide {
    const move = readMove(world.documents.read("move", fleet)?.text ?? "");
    const target = side === "new" ? move.to : move.from;
    return firstDifference(target, world.target("new")) === null ? "new" : "old";
  }

  async function there(): Promise<There[]> {
    const found: There[] = [];
    for (const agent of fleetAgents) {
      const reading = await substrate.readInstances(agent.identity);
      if (reading.kind !== "read") throw new Lost(reading.kind);
      for (const instance of reading.instances) found.push({ agent, instance, life: await lifeOf(agent, instance) });
    }
    return found;
  }

  async function lifeOf({ identity }: Agent, { attempt, evidence }: ObservedInstance): Promise<There["life"]> {
    const startup = decodeStartup(evidence, new Set());
    if (startup.kind === "terminated") return "ended";
    if (startup.kind === "started" || startup.kind === "interrupted" || attempt === null) return "lives";
    const secret = await substrate.secretExists(secretName(profile, identity, attempt));
    if (secret.kind !== "absent" && secret.kind !== "present") throw new Lost(secret.kind);
    return secret.kind === "absent" ? "leftover" : "lives";
  }

  async function unused(agent: Agent): Promise<Awaited<ReturnType<typeof listed>>> {
    const secrets = await listed(substrate, agent);
    // Instances after the Secrets, so that one created in between still protects its own.
    const reading = await substrate.readInstances(agent.identity);
    if (reading.kind !== "read") throw new Lost(reading.kind);
    const used = new Set(reading.instances.map(({ attempt }) => attempt));
    return secrets.filter(({ name }) => !used.has(attemptOfSecret(profile, agent.identity, name) ?? null));
  }

  return {
    async hold() {
      // The lock ends with the process that has it.
      if (world.holder !== null && !world.holder()) return null;
      world.holder = isDead;
      return async () => {
        if (world.holder === isDead) world.holder = null;
      };
    },
    members: async () => members,
    async clear() {
      world.promises.acts("it clears");
      for (const agent of fleetAgents)
        for (const { name, fence } of await unused(agent)) {
          const removal = await substrate.deleteSecret(name, fence);
          if (removal.kind === "unavailable" || removal.kind === "unknownOutcome") throw new Lost(removal.detail);
        }
      for (const { agent, life } of await there()) if (life === "leftover") await stopAgent(subjectOf(agent, 0), ports);
    },
    async stop(agents) {
      world.promises.acts("it stops agents");
      for (const agent of fleetAgents.filter((one) => agents.includes(one.agent)))
        await stopAgent(subjectOf(agent, 0), ports);
    },
    async look() {
      let leftovers = 0;
      for (const agent of fleetAgents) leftovers += (await unused(agent)).length;
      const all = await there();
      leftovers += all.filter(({ life }) => life === "leftover").length;
      const living = all.filter(({ life }) => life === "lives");
      const of = (side: MoveSide): string[] =>
        living.flatMap(({ agent, instance }) => {
          const target = world.targetOf(instance.fence.uid);
          return target !== undefined && firstDifference(target, world.target(buildOf(side))) === null
            ? [agent.agent]
            : [];
        });
      return { old: of("old"), new: of("new"), unjudged: [], leftovers } satisfies FleetLook;
    },
    async switch(side) {
      await clock.sleep(20);
      world.promises.acts("it switches");
      world.side = buildOf(side);
      const newest = world.channel.line.findLast(
        (one) => firstDifference(one.target, world.target(world.side)) === null,
      );
      if (newest !== undefined) world.channel.assign(newest.digest);
    },
    async migrate() {
      world.promises.migrates();
      await clock.sleep(2_000);
      world.promises.migrates();
      if (world.failingMigrations > 0) {
        world.failingMigrations -= 1;
        throw new Error("node migrate.ts exits with code 1");
      }
    },
    async start(side, agents) {
      for (const agent of fleetAgents.filter((one) => agents.includes(one.agent))) {
        const { request, admission } = starting(agent, buildOf(side));
        const outcome = await startAgent({ ...request, admission }, { ...ports, digest });
        if (outcome.outcome === "refused") throw new Error(outcome.condition.message);
      }
    },
  };
}

async function listed(substrate: Substrate, { identity }: Agent) {
  const listing = await substrate.listSecrets(identity);
  if (listing.kind !== "read") throw new Lost(listing.kind);
  return listing.secrets;
}
