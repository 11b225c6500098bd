/** The scope of a command on this machine: one state directory. */
import { resolve } from "node:path";
import type { Clock } from "@moorage/core";
import { systemRandom } from "@moorage/keys";
import type { InstanceFacts, ScopeOptions } from "@moorage/local";
import { defaultStateDir, openScope, outputFolders, readLog } from "@moorage/local";
import type { Invocation } from "../args/command-spec.ts";
import type { Host } from "../host.ts";
import type { AgentFacts, AgentScope } from "./agent-scope.ts";

const lookMs = 2_000;

/** The state directory: `--state`, else the user's own. Inside an agent it is the agent's. */
export function stateDir(invocation: Invocation, host: Host): string {
  const named = invocation.flags["state"];
  if (typeof named === "string") return resolve(host.cwd, named);
  return host.env["MOORAGE_STATE"] ?? defaultStateDir(host.env);
}

export type LocalScopeOptions = Pick<ScopeOptions, "mode" | "launchEnv">;

/** Throws a `StateError` when the state directory cannot be used. */
export async function openLocalScope(directory: string, clock: Clock, options: LocalScopeOptions): Promise<AgentScope> {
  const scope = await openScope({ ...options, stateDir: directory, clock, random: systemRandom, systemdScope: true });
  return {
    on: "local",
    substrate: scope.substrate,
    inventory: scope.inventory,
    machine: scope,
    journal: scope.journal,
    lookMs,
    facts: async (names) => (await scope.facts(names)).map(factsOf),
    async setStopGrace(name, graceMs) {
      await scope.setStopGrace(name, graceMs);
    },
    purge: (name) => scope.purge(name),
    revives: (name) => scope.revives(name),
    recordRevive: (name, at, since) => scope.recordRevive(name, at, since),
    changed: (ms, signal) => scope.changed(ms, signal),
    async whyWaiting(name) {
      try {
        const [facts] = await scope.facts([name]);
        return facts?.supervisor.state === "stopped" ? stoppedSupervisor(facts.supervisor.pid) : null;
      } catch {
        // The answer that there is stands.
        return null;
      }
    },
    output(name, { previous, present, since, tail, follow }) {
      // Without an instance the newest run is already the one before.
      const directoryOfRun = outputFolders(directory, name)[previous && present ? 1 : 0];
      if (directoryOfRun === undefined) return null;
      return readLog({
        directory: directoryOfRun,
        ...(since === undefined ? {} : { since }),
        ...(tail === undefined ? {} : { tail }),
        ...(follow === null ? {} : { follow: { clock, until: follow } }),
      });
    },
    events: () => Promise.resolve([]),
    async *followEvents() {
      // Everything that happens on one machine is in the journal.
    },
    settled: () => scope.settled(),
    close: () => scope.close(),
  };
}

function factsOf(facts: InstanceFacts): AgentFacts {
  const { name, createdAt, template, revives, turn, health, memoryBytes, cpuMs } = facts;
  const { graceMs, catalog } = template;
  return {
    name,
    createdAt,
    graceMs,
    catalog: catalog?.path ?? null,
    revives,
    turn,
    health,
    memoryBytes,
    cpuMs,
    process: facts,
    pod: null,
  };
}

/** A wait that nobody will end: the supervisor holds its lock and answers nobody. */
function stoppedSupervisor(pid: number | null): Awaited<ReturnType<AgentScope["whyWaiting"]>> {
  return {
    code: "supervisorStopped",
    message: `its supervisor, process ${pid ?? "?"}, is stopped (SIGSTOP) and answers nobody`,
    hint: `run \`kill -CONT ${pid ?? "PID"}\`; whatever was asked for is carried out then`,
  };
}
