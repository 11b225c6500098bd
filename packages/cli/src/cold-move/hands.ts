/** What a cold move does on this machine: holds its fleet, clears, stops, looks, switches, migrates and starts. */
import type { Journal, MoveHands } from "@moorage/core";
import { readMove } from "@moorage/core";
import { takeLock } from "@moorage/local";
import { defaultGraceMs } from "../declaration/agent.ts";
import { CliError } from "../errors/cli-error.ts";
import { exit } from "../errors/exit-code.ts";
import type { Host } from "../host.ts";
import type { Progress } from "../output/progress.ts";
import type { MachineScope } from "../scope/agent-scope.ts";
import type { Session } from "../session.ts";
import { stopOne } from "../stop/stop-one.ts";
import { stopText } from "../stop/stop-text.ts";
import { declaredNow } from "./declared-now.ts";
import type { LaunchRecord } from "./launch-record.ts";
import { fleetInstances, lookAtFleet, mayLive, orphanedSecrets } from "./look-fleet.ts";
import { migrate } from "./migrate.ts";
import { movePlace } from "./move-folder.ts";
import { startMembers } from "./start-members.ts";
import { assignFor } from "./switch-catalogs.ts";

export interface HandsPorts {
  readonly machine: MachineScope;
  readonly session: Session;
  readonly progress: Progress;
  readonly host: Host;
}

/** `record`: what was recorded when the fleet's move was proposed. `journal` takes what starts and stops tell. */
export function machineHands(
  record: LaunchRecord,
  { machine, session, progress, host }: HandsPorts,
  journal: Journal,
): MoveHands {
  const { fleet } = record;
  const { scope, clock } = session;
  const place = movePlace(machine.stateDir, fleet);

  return {
    async hold() {
      const lock = takeLock(place.lock, 0);
      return lock === null ? null : async () => lock.release();
    },

    async members() {
      const declared = (await declaredNow(record)).map(({ name }) => name);
      const living = (await fleetInstances(fleet, record, scope)).filter(mayLive);
      return [...new Set([...declared, ...living.map(({ agent }) => agent)])];
    },

    async clear() {
      for (const { name, fence } of await orphanedSecrets(fleet, record, scope)) {
        // Refused or unavailable: the look that follows counts it.
        await scope.substrate.deleteSecret(name, fence);
      }
      for (const { life, observed } of await fleetInstances(fleet, record, scope))
        if (life === "stillborn") await scope.substrate.deleteInstance(observed.name, observed.fence);
    },

    async stop(agents) {
      const targets = (await fleetInstances(fleet, record, scope)).filter(
        (instance) => mayLive(instance) && agents.includes(instance.agent),
      );
      const results = await Promise.all(
        targets.map(async ({ agent, identity, graceMs }) => {
          progress.begin(agent, "stopping");
          const target = { agent, identity, graceMs: graceMs ?? defaultGraceMs, inside: false };
          const options = { deadlineMs: null, now: false, purge: false };
          const result = await stopOne(target, options, session, journal, host.interrupt);
          progress.end(agent, stopText(result, host.output));
          return result;
        }),
      );
      const failed = results.filter((result) => result.exit === exit.refused || result.exit === exit.fault);
      if (host.interrupt.aborted || failed.length === 0) return;
      throw new CliError({
        code: "stopFailed",
        message: failed.map(({ agent, condition }) => `${agent}: ${condition?.message ?? "not stopped"}`).join("; "),
        hint: failed.map(({ condition }) => condition?.hint ?? "").join("; "),
      });
    },

    async look() {
      const move = await currentMove(machine, fleet);
      const look = await lookAtFleet(move, record, scope);
      const { state } = move;
      if (state.kind !== "returning" || state.phase !== "starting") return look;
      // Who did not run before is back where it was.
      const before = new Set(record.old.map(({ agent }) => agent));
      const asBefore = move.members.flatMap(({ agent }) => (before.has(agent) ? [] : [agent]));
      return { ...look, old: [...new Set([...look.old, ...asBefore])] };
    },

    async switch(side) {
      const { from, to } = await currentMove(machine, fleet);
      for (const { catalog, old, new: fresh } of record.catalogs) {
        const digest = side === "new" ? fresh : old;
        // Nothing was ever given to the fleet before: what it runs on, it has on its own record.
        if (digest === null) continue;
        assignFor({ fleet, catalog }, side === "new" ? to : from, digest, machine);
      }
    },

    async migrate(command) {
      const move = await currentMove(machine, fleet);
      const directory = record.new[0]?.template.directory ?? "/";
      await migrate({ move, command, directory, env: host.env, place }, clock, host);
    },

    async start(side, agents) {
      const launches = record[side].filter(({ agent }) => agents.includes(agent));
      await startMembers(launches, fleet, { session, progress, host }, journal);
    },
  };
}

async function currentMove({ documents }: MachineScope, fleet: string): Promise<ReturnType<typeof readMove>> {
  const stored = await documents.read("move", fleet);
  if (stored === null) throw new Error(`the cold move of the fleet ${fleet} is gone`);
  return readMove(stored.text);
}
