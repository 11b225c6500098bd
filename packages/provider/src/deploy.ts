/** Brings about that an agent runs exactly once in its namespace, by the loop of core over the adapter of the cluster. */
import type { Abort, Clock, Condition, Identity, Journal, NotRunning, PodTemplate, Random } from "@moorage/core";
import { createAbort, instanceName, startAgent } from "@moorage/core";
import { KeyError, keyIdentity, sha256 } from "@moorage/keys";
import type { Cluster, ClusterAccess } from "@moorage/kubernetes";
import { findAccess, openCluster, podTemplate } from "@moorage/kubernetes";
import type { Answer } from "./answer.ts";
import { buzzProfile } from "./buzz-profile.ts";
import type { DeployRequest } from "./deploy-request.ts";
import { environmentOf } from "./environment.ts";
import { wantingFirstAnswer } from "./first-answer.ts";
import { lastLines } from "./last-lines.ts";
import type { ProviderConfig } from "./provider-config.ts";
import { Refused } from "./refused.ts";
import { remedyFor } from "./remedy.ts";
import { searchPath } from "./search-path.ts";

/** An answer is due at 600 s; what is told at the end of the loop needs a moment. */
const deadlineMs = 570_000;
/** Milliseconds for what is only told beside it. */
const asideMs = 10_000;

export interface DeploySurroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The user's home folder, or null. */
  readonly home: string | null;
  readonly random: Random;
  /** By which the answer is due. */
  readonly clock: Clock;
  readonly journal: Journal;
  /** What others say passes it before any of it is cut off. */
  readonly redact: (text: string) => string;
  /** Aborts when the process is asked to end. */
  readonly signal: Abort;
}

/** Throws `Refused` before anything is reached, and a `ClusterError` where no cluster is described. */
export async function deploy(request: DeployRequest, around: DeploySurroundings): Promise<Answer> {
  const { agent, config } = request;
  const identity = await identityOf(agent.privateKey);
  const secrets = environmentOf(agent, config.inactivitySeconds);
  const pod = instanceName(buzzProfile, identity);
  const { home, random, clock } = around;
  const env = { ...around.env, PATH: searchPath(around.env["PATH"], home) };
  const access = findAccess({ env, home }, { context: config.context, namespace: config.namespace });
  const cluster = openCluster({ access, env, clock, random, now: () => Date.now(), profile: buzzProfile });
  try {
    const outcome = await startAgent(
      {
        agent: pod,
        profile: buzzProfile,
        identity,
        template: templateOf(pod, config, secrets.keys()),
        notes: { image: config.image },
        secrets,
        deadlineMs,
        settleMs: 0,
      },
      {
        substrate: wantingFirstAnswer(cluster.substrate, clock, access.server),
        clock,
        random,
        digest: sha256,
        journal: around.journal,
        signal: around.signal,
      },
    );
    switch (outcome.outcome) {
      case "started":
      case "alreadyRunning":
        return { ok: true, agent_id: outcome.agentId };
      default:
        return { ok: false, error: await errorOf(outcome, { cluster, access, ...around }) };
    }
  } finally {
    cluster.close();
  }
}

async function identityOf(privateKey: string): Promise<Identity> {
  try {
    return await keyIdentity(privateKey);
  } catch (error) {
    if (!(error instanceof KeyError)) throw error;
    throw new Refused("agent.private_key_nsec", `${error.message}; ${error.hint}`);
  }
}

/** What the client calls the agent is nobody's business on the cluster: nothing of it is written, and it changes no intent. */
function templateOf(pod: string, config: ProviderConfig, secretKeys: Iterable<string>): PodTemplate {
  const { image, requests, limits, nodeSelector, tolerations, serviceAccount } = config;
  const { workspaceSizeLimit: sizeLimit, activeDeadlineSeconds } = config;
  return podTemplate({
    name: buzzProfile.container,
    fleet: buzzProfile.id,
    image,
    env: {},
    secretKeys: [...secretKeys].sort(),
    resources: { requests, limits },
    nodeSelector,
    tolerations,
    ...(sizeLimit === null ? {} : { workspace: { sizeLimit } }),
    ...(serviceAccount === null ? {} : { serviceAccount }),
    ...(activeDeadlineSeconds === null ? {} : { activeDeadlineMs: activeDeadlineSeconds * 1000 }),
  });
}

interface Telling extends Pick<DeploySurroundings, "clock" | "redact"> {
  readonly cluster: Cluster;
  readonly access: ClusterAccess;
}

/** What is so, what helps, and of an agent that has ended what it said. */
async function errorOf(end: NotRunning, telling: Telling): Promise<string> {
  const { agentId } = end;
  const { access, cluster, clock, redact } = telling;
  const told = end.outcome === "notConfirmed" ? await whyLate(end, telling) : end.condition;
  const lines = told.code === "agentEnded" ? await inTime(lastLines(cluster, agentId, redact), clock) : null;
  const wrote = lines === null || lines.length === 0 ? "" : `; its last lines:\n${lines.join("\n")}`;
  return `${agentId}: ${told.message}; ${remedyFor(told, access, agentId)}${wrote}`;
}

/** Whose pod it is matters more than why that one does not start. */
async function whyLate({ agentId, condition, waitedFor }: NotRunning, { cluster, clock }: Telling): Promise<Condition> {
  const code = waitedFor ?? condition.code;
  const waiting = await inTime(cluster.whyWaiting(agentId), clock);
  if (waiting === null) return { ...condition, code };
  const message = `not confirmed within ${deadlineMs / 1000} s: ${waiting.message}`;
  return code === "intentNotComparable"
    ? { ...waiting, code, message: `${message}; ${otherCreator}` }
    : { ...waiting, message };
}

const otherCreator = "another version created it, so whether it is what you asked for cannot be told";

/** For people only: nobody is kept waiting for it, and nothing is lost without it. */
async function inTime<Value>(work: Promise<Value>, clock: Clock): Promise<Value | null> {
  const over = createAbort();
  const late = clock.sleep(asideMs, over.signal).then(() => null);
  try {
    return await Promise.race([work.catch(() => null), late]);
  } finally {
    over.abort();
  }
}
