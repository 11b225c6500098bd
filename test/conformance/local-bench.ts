/** The bench over one state directory: real supervisors, real agents, callers in processes of their own. */
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import type { Marks, StartOutcome, StopOutcome } from "@moorage/core";
import {
  createAbort,
  instanceMarks,
  instanceName,
  intentDigest,
  moorageProfile,
  parseAttempt,
  secretName,
  startAgent,
  stopAgent,
} from "@moorage/core";
import { sha256, systemRandom } from "@moorage/keys";
import { awakeClock, openScope } from "@moorage/local";
import { agentsBelow, endProcessesBelow, signal, supervisorsBelow, untilDead } from "../machine/processes.ts";
import { until } from "../machine/until.ts";
import type { Ask, Bench, Death, Fixture, Foreign, Planted } from "./bench.ts";
import { callersApart } from "./callers-apart.ts";
import { identityOf, secretValue, startRequestOf, subjectOf } from "./local-agent.ts";
import type { CallerTask } from "./local-caller.ts";

const deadlineMs = 90_000;
/** Milliseconds for each of many callers that share this machine's processors. */
const crowdMs = 240_000;
const callerPath = fileURLToPath(new URL("./local-caller.ts", import.meta.url));

export const local: Fixture = {
  name: "one machine",
  starts: 64,
  exceptions: {
    invalidImage: "no images on one machine",
    pullFailing: "no images on one machine",
    interrupted: "a supervisor runs its agent once and never restarts it in place",
  },
  make: makeBench,
};

async function makeBench(): Promise<Bench> {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), "mc-")));
  const stateDir = join(directory, "state");
  const agent = "scribe";
  const identity = identityOf(agent);
  const name = instanceName(moorageProfile, identity);
  const clock = awakeClock();
  const scope = await openScope({
    stateDir,
    mode: "write",
    launchEnv: { PATH: process.env["PATH"] ?? "", HOME: directory, TMPDIR: directory },
    clock,
    random: systemRandom,
    registryDir: null,
  });
  const { substrate } = scope;
  const ports = {
    substrate,
    clock,
    random: systemRandom,
    journal: { append: () => undefined },
    signal: createAbort().signal,
  };

  const start = (ask: Ask = {}): Promise<StartOutcome> =>
    startAgent(
      { ...startRequestOf(agent, ask), deadlineMs: ask.deadlineMs ?? deadlineMs },
      { ...ports, digest: sha256 },
    );
  const stop = (ms: number = deadlineMs): Promise<StopOutcome> => stopAgent(subjectOf(agent, ms), ports);

  const callers = callersApart<CallerTask>(callerPath);
  const callApart = (task: Partial<CallerTask>): Promise<StartOutcome | StopOutcome | null> =>
    callers.call({
      kind: "start",
      stateDir,
      directory,
      agent,
      ask: {},
      deadlineMs,
      death: null,
      supervisor: null,
      stays: false,
      ...task,
    });
  const died = async (task: Partial<CallerTask>, death: Death): Promise<boolean> =>
    (await callApart({ ...task, death })) === null;

  const state = async (): Promise<string> => {
    const reading = await substrate.readInstances(identity);
    const own = reading.kind === "read" ? reading.instances.find((instance) => instance.name === name) : undefined;
    return own?.evidence.container.state ?? "nothing";
  };
  const untilState = (wanted: string): Promise<unknown> =>
    until(`it is ${wanted}`, async () => (await state()) === wanted, 30_000);

  const plant = async (wanted: Planted): Promise<void> => {
    // Nobody reads it: what it is given as arguments lets the end of the test find it.
    const never = ["tail", "-f", "/dev/null"] as const;
    switch (wanted) {
      case "running":
        await start();
        return;
      case "ending":
        await start({ behaviour: "endsSlowly" });
        await stop(0);
        return;
      case "terminated":
        await start({ behaviour: "endsAtOnce" });
        await untilState("terminated");
        return;
      case "recoverable":
        await callApart({ supervisor: never, deadlineMs: 0, stays: true });
        return;
      case "abandoned":
        await died({ supervisor: never }, { request: 4, after: false });
        await untilState("abandoned");
        return;
      case "secretMissing":
        await substrate.createInstance(withoutSecret(agent));
        await untilState("waiting");
        return until("it misses its Secret", async () => {
          const reading = await substrate.readInstances(identity);
          const container = reading.kind === "read" ? reading.instances[0]?.evidence.container : undefined;
          return container?.state === "waiting" && container.suspicion.kind === "secretMissing";
        }).then(() => undefined);
      case "unjudgeable":
        await start();
        return until("it is of another machine, and unsupervised", async () => {
          // A lock that is held would be proof enough.
          for (const { pid } of supervisorsBelow(directory)) {
            signal(pid, "SIGKILL");
            await untilDead(pid);
          }
          onAnotherMachine(stateDir);
          return (await state()) === "unjudgeable";
        }).then(() => undefined);
      case "invalidImage":
      case "pullFailing":
      case "interrupted":
        throw new Error(`${wanted} is a declared exception`);
      default:
        wanted satisfies never;
    }
  };

  return {
    agent,
    identity,
    name,
    substrate,
    secretValue,
    start,
    async startAll(asks) {
      const outcomes = await Promise.all(asks.map((ask) => callApart({ ask, deadlineMs: crowdMs })));
      return outcomes.map((outcome) => outcome as StartOutcome);
    },
    stop,
    startAndDie: (death) => died({}, death),
    stopAndDie: (death) => died({ kind: "stop" }, death),
    plant,
    plantForeign: (what) => plantForeign(stateDir, agent, what),
    async removeSecret() {
      const listing = await substrate.listSecrets(identity);
      for (const secret of listing.kind === "read" ? listing.secrets : [])
        await substrate.deleteSecret(secret.name, secret.fence);
    },
    alive() {
      const agents = agentsBelow(directory).filter(({ command }) => !/supervisor\.[jt]s/.test(command));
      return Promise.resolve(agents.length);
    },
    async until(what, holds) {
      await until(what, holds, 60_000);
    },
    async end() {
      callers.end();
      await endProcessesBelow([directory]);
      await scope.settled();
      scope.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** What a create would send, with a Secret that nobody has written. */
function withoutSecret(agent: string) {
  const { template, notes, identity } = startRequestOf(agent, {});
  const attempt = parseAttempt(systemRandom.token(16));
  if (attempt === undefined) throw new Error("no attempt");
  return {
    name: instanceName(moorageProfile, identity),
    secret: secretName(moorageProfile, identity, attempt),
    template,
    ...instanceMarks(moorageProfile, identity, intentDigest(template, sha256), notes),
  };
}

/** Whoever holds it is on another machine, as far as the record tells. */
function onAnotherMachine(stateDir: string): void {
  const database = new DatabaseSync(join(stateDir, "state.db"));
  try {
    database.exec("PRAGMA busy_timeout = 5000");
    database.exec(
      "UPDATE instances SET claim = json_set(claim, '$.machine.machineId', 'another'), version = version + 1",
    );
  } finally {
    database.close();
  }
}

/** An ended instance that somebody else made, under our name or with our label. */
async function plantForeign(stateDir: string, agent: string, what: Foreign): Promise<void> {
  const spec = withoutSecret(agent);
  const marks = foreignMarks(spec, what);
  const scope = await openScope({
    stateDir,
    mode: "write",
    launchEnv: { PATH: process.env["PATH"] ?? "" },
    clock: awakeClock(),
    random: systemRandom,
    registryDir: null,
    supervisor: ["false"],
  });
  try {
    await scope.substrate.createInstance({
      ...spec,
      ...marks,
      name: what === "ourLabel" ? "something-else" : spec.name,
    });
    await scope.settled();
  } finally {
    scope.close();
  }
}

function foreignMarks({ labels, annotations }: Marks, what: Foreign): Marks {
  const label = `${moorageProfile.domain}/${moorageProfile.identityLabel}`;
  const identity = `${moorageProfile.domain}/${moorageProfile.identityAnnotation}`;
  switch (what) {
    case "ourName":
      return { labels: { app: "something-else" }, annotations: {} };
    case "ourLabel":
      return { labels: { [label]: labels[label] ?? "" }, annotations: {} };
    case "halfOfOurMarks":
      return {
        labels,
        annotations: { ...annotations, [identity]: (annotations[identity] ?? "").slice(0, 32) + "0".repeat(32) },
      };
    default:
      return what satisfies never;
  }
}
