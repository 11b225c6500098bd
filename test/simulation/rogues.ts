/** Loops that break one promise each, so that the watch over the promises is itself seen to bite. */
import type { ObservedInstance, SecretSpec, StartOutcome, StartPorts, StartRequest } from "@moorage/core";
import {
  instanceMarks,
  instanceName,
  intentDigest,
  parseAttempt,
  secretMarks,
  secretName,
  startAgent,
  stopAgent,
} from "@moorage/core";
import type { Loops } from "./caller.ts";

type Start = Loops["start"];
type Rogue = "P1" | "P2" | "P3" | "P4" | "P5" | "P6";

/** For each promise a start that is the real one but for the one thing that the promise forbids. */
export const rogues: Readonly<Record<Rogue, Loops>> = {
  P1: { start: after(createsBeside), stop: stopAgent },
  P2: { start: after(removesStarted), stop: stopAgent },
  P3: { start: before(removesByOldFence), stop: stopAgent },
  P4: { start: before(removesWaiting), stop: stopAgent },
  P5: { start: claimsTooEarly, stop: stopAgent },
  P6: { start: after(loserRemovesWinner), stop: stopAgent },
};

type Deed = (request: StartRequest, ports: StartPorts, outcome: StartOutcome | null) => Promise<void>;

function after(deed: Deed): Start {
  return async (request, ports) => {
    const outcome = await startAgent(request, ports);
    await deed(request, ports, outcome);
    return outcome;
  };
}

function before(deed: Deed): Start {
  return async (request, ports) => {
    await deed(request, ports, null);
    return startAgent(request, ports);
  };
}

async function own(request: StartRequest, { substrate }: StartPorts): Promise<ObservedInstance | undefined> {
  const reading = await substrate.readInstances(request.identity);
  const name = instanceName(request.profile, request.identity);
  return reading.kind === "read" ? reading.instances.find((instance) => instance.name === name) : undefined;
}

/** A second instance, under another name. */
async function createsBeside(request: StartRequest, ports: StartPorts, outcome: StartOutcome | null): Promise<void> {
  const attempt = parseAttempt(ports.random.token(16));
  if (outcome?.outcome !== "started" || attempt === undefined) return;
  const { profile, identity, template, notes, secrets } = request;
  const name = `${instanceName(profile, identity)}-second`;
  const secret: SecretSpec = {
    name: secretName(profile, identity, attempt),
    data: secrets,
    ...secretMarks(profile, identity, 0),
  };
  await ports.substrate.createSecret(secret);
  const marks = instanceMarks(profile, identity, intentDigest(template, ports.digest), notes);
  await ports.substrate.createInstance({ name, secret: secret.name, template, ...marks });
}

/** A started agent whose intent diverges is "updated". */
async function removesStarted(request: StartRequest, ports: StartPorts, outcome: StartOutcome | null): Promise<void> {
  if (outcome?.outcome !== "alreadyRunning" || outcome.intent !== "diverged") return;
  const seen = await own(request, ports);
  if (seen !== undefined) await ports.substrate.deleteInstance(seen.name, seen.fence);
}

/** The fence of a read that another read has overtaken. */
async function removesByOldFence(request: StartRequest, ports: StartPorts): Promise<void> {
  const seen = await own(request, ports);
  await ports.clock.sleep(500);
  const now = await own(request, ports);
  if (seen !== undefined && now?.fence.resourceVersion !== seen.fence.resourceVersion)
    await ports.substrate.deleteInstance(seen.name, seen.fence);
}

/** What has not started after a while is "hung". */
async function removesWaiting(request: StartRequest, ports: StartPorts): Promise<void> {
  const first = await own(request, ports);
  await ports.clock.sleep(1_000);
  const seen = await own(request, ports);
  const waits = seen?.evidence.container.state === "waiting" && seen.fence.uid === first?.fence.uid;
  if (waits) await ports.substrate.deleteInstance(seen.name, seen.fence);
}

/** Accepted is not success. */
async function claimsTooEarly(request: StartRequest, ports: StartPorts): Promise<StartOutcome> {
  const outcome = await startAgent({ ...request, deadlineMs: 0 }, ports);
  if (outcome.outcome !== "notConfirmed" || outcome.attempt === null) return outcome;
  const { agentId, scope, actions, requests, intent, attempt } = outcome;
  return { agentId, scope, actions, requests, intent, attempt, outcome: "started", startedAt: null, condition: null };
}

/** It lost, and takes the winner's place. */
async function loserRemovesWinner(
  request: StartRequest,
  ports: StartPorts,
  outcome: StartOutcome | null,
): Promise<void> {
  const lost = outcome !== null && outcome.outcome === "alreadyRunning" && outcome.requests > 3;
  const seen = lost ? await own(request, ports) : undefined;
  if (seen !== undefined) await ports.substrate.deleteInstance(seen.name, seen.fence);
}
