/** `moorage explain`: what is, why, what a deploy would do now, and what to do about it. */
import type { Condition } from "@moorage/core";
import type { ClusterEvent } from "@moorage/kubernetes";
import type { JournalLine } from "@moorage/local";
import type { Invocation, Run } from "../args/command-spec.ts";
import { usageError } from "../errors/cli-error.ts";
import { exit } from "../errors/exit-code.ts";
import type { ErrorReport } from "../errors/report.ts";
import { reportOf } from "../errors/report.ts";
import type { Host } from "../host.ts";
import { resolveSelf } from "../inside.ts";
import { declaredElsewhere, recordedPlan } from "../launch/recorded-plan.ts";
import type { LaunchPlan } from "../launch/start-request.ts";
import { logTail } from "../log-tail.ts";
import type { Output } from "../output/output.ts";
import type { AgentScope } from "../scope/agent-scope.ts";
import { checkName, declaredIfAny } from "../selection.ts";
import type { Session } from "../session.ts";
import { knownAgents, withSession } from "../session.ts";
import type { AgentStatus } from "../status/agent-status.ts";
import { readStatus } from "../status/read-status.ts";
import { bytes } from "../status/status-table.ts";
import { clockText, sinceText } from "../text/time.ts";
import type { CatalogExplained } from "../update/explain-catalog.ts";
import type { PreviewResult } from "./dry-run.ts";
import { preview, previewText } from "./dry-run.ts";
import { eventText, stepText } from "./journal.ts";

const stepsShown = 8;

interface Explanation {
  readonly agent: string;
  readonly status: AgentStatus;
  readonly declared: boolean;
  /** What a deploy would do; null when it is not declared here, or its declaration cannot be used. */
  readonly deploy: PreviewResult | null;
  /** Why a deploy could not even look. */
  readonly fault: ErrorReport | null;
  readonly warnings: readonly string[];
  /** Its life with bundles, and the mail that waits, in sentences. */
  readonly catalog: readonly string[];
  readonly journal: readonly JournalLine[];
  /** What the cluster itself tells of it. */
  readonly events: readonly ClusterEvent[];
  readonly log: readonly string[];
  /** Why it waits, where more is known of that than the status says. */
  readonly why: Pick<Condition, "code" | "message"> | null;
  readonly advice: readonly string[];
}

export const explain: Run = async (invocation, host) => {
  if (invocation.flags["pull-message"] !== undefined) {
    const { explainPullMessage } = await import("./explain-pull-message.ts");
    return explainPullMessage(invocation, host);
  }
  if (invocation.words.length === 0)
    throw usageError("explain needs NAME", "`moorage status` lists the names; `moorage explain --help` says more");
  if (invocation.flags["reason"] !== undefined)
    throw usageError("--reason goes with --pull-message", "leave --reason out, or give the text too");
  const [name = ""] = resolveSelf(invocation.words, host.env);
  checkName(name);
  return withSession(invocation, host, { mode: "read" }, async (session) => {
    const declared = await plannedAgent(name, session, invocation, host);
    const explanation = await explainOne(name, declared, session, host);
    const { output } = host;
    if (output.json) {
      const { deploy, ...rest } = explanation;
      output.object("ExplainResult", { ...rest, deploy: deploy === null ? null : deployJson(deploy) });
    } else for (const line of text(explanation, output)) output.line(line);
    return exit.ok;
  });
};

interface Planned {
  readonly declared: boolean;
  readonly plan: LaunchPlan | null;
  readonly fault: ErrorReport | null;
}

const unplanned: Planned = { declared: false, plan: null, fault: null };

/** The plan of a start, from where it was started last. A declaration that cannot be used is part of the explanation. */
async function plannedAgent(name: string, session: Session, invocation: Invocation, host: Host): Promise<Planned> {
  let declared = false;
  try {
    const instance = (await knownAgents(session.scope)).find(({ agent }) => agent === name);
    // On a cluster nobody has recorded where its declaration lies.
    const recorded = instance !== undefined && session.scope.on === "local";
    const here = invocation.flags["file"] !== undefined || !recorded;
    const agent = here
      ? (await declaredIfAny(invocation, host.cwd)).find((each) => each.name === name)
      : await declaredElsewhere(name, instance);
    declared = agent !== undefined;
    if (agent !== undefined) {
      const { launchPlan } = await import("../launch/start-request.ts");
      const { demandNoObstacle } = await import("../start/start-agents.ts");
      const plan = await launchPlan(agent, {
        environment: host.env,
        on: session.scope.on,
        launchEnv: session.launchEnv,
      });
      host.output.hide(plan.secretValues);
      demandNoObstacle([plan]);
      return { declared, plan, fault: null };
    }
    if (instance === undefined) return unplanned;
    const [facts] = await session.scope.facts([instance.observed.name]);
    return { declared, plan: recordedPlan(name, instance, facts), fault: null };
  } catch (error) {
    return { declared, plan: null, fault: reportOf(error) };
  }
}

async function explainOne(name: string, planned: Planned, session: Session, host: Host): Promise<Explanation> {
  const [status] = await readStatus(session, { names: [name], declared: null });
  if (status === undefined) throw new Error("a name gave no status");
  const deploy = planned.plan === null ? null : await preview(planned.plan, session, host.interrupt);
  const ended = status.state === "ended" || status.state === "broken";
  const { scope } = session;
  const waits = status.agentId !== null && !ended && status.state !== "running";
  const catalog = await explainedCatalog(status, session);
  const why = waits ? await scope.whyWaiting(status.agentId) : null;
  return {
    agent: name,
    status,
    declared: planned.declared,
    deploy,
    fault: planned.fault,
    warnings: planned.plan?.warnings ?? [],
    catalog: catalog.lines,
    journal: scope.journal.read({ agent: name, last: stepsShown }),
    events: status.agentId === null ? [] : (await clusterEvents(scope, status.agentId)).slice(-stepsShown),
    log:
      ended && status.agentId !== null
        ? (await logTail(session, status.agentId)).map((line) => host.output.redact(line))
        : [],
    why: why === null ? null : { code: why.code, message: why.message },
    advice: why === null ? advice(name, status, planned, deploy, catalog.advice) : [why.hint],
  };
}

/** Loaded for an agent to which bundles are delivered, and for nobody else. */
async function explainedCatalog(status: AgentStatus, session: Session): Promise<CatalogExplained> {
  const { agent, delivery, agentId, state } = status;
  const { machine } = session.scope;
  if (delivery === null || agentId === null || machine === null) return { lines: [], advice: null };
  const { explainCatalog } = await import("../update/explain-catalog.ts");
  const runs = state !== "ended" && state !== "broken";
  return explainCatalog({ agent, instance: agentId, runs }, delivery, machine, session);
}

/** Words beside the answer: a cluster that does not tell them takes nothing away. */
async function clusterEvents(scope: AgentScope, instance: string): Promise<readonly ClusterEvent[]> {
  try {
    return await scope.events(instance);
  } catch {
    return [];
  }
}

function deployJson({ exit: _, condition, agent: __, agentId: ___, scope: ____, ...rest }: PreviewResult): object {
  return { ...rest, condition: condition === null ? null : { code: condition.code, message: condition.message } };
}

/** The exact commands that help, the most useful first. */
function advice(
  name: string,
  status: AgentStatus,
  planned: Planned,
  deploy: PreviewResult | null,
  ofCatalog: string | null,
): string[] {
  const { supervisor } = status;
  if (planned.fault !== null)
    return status.state === "running"
      ? [`\`moorage logs ${name} -f\` shows what it writes`, `before a restart from here: ${planned.fault.hint}`]
      : [planned.fault.hint];
  if (supervisor?.state === "stopped")
    return [`its supervisor is stopped and answers nobody: run \`kill -CONT ${supervisor.pid ?? "PID"}\``];
  const stuck = deploy?.condition ?? null;
  if (stuck !== null) return [stuck.hint];
  switch (status.state) {
    case "running":
      return [
        ...(deploy?.intent === "diverged" ? [`\`moorage restart ${name}\` takes the changed declaration over`] : []),
        ...(ofCatalog === null ? [] : [ofCatalog]),
        `\`moorage logs ${name} -f\` shows what it writes`,
      ];
    case "starting":
      return [`\`moorage deploy ${name}\` waits for it, \`moorage stop ${name}\` gives it up`];
    case "ending":
      return [`\`moorage stop ${name}\` waits for its end, \`moorage stop ${name} --now\` does not wait for the turn`];
    case "ended":
      // Not `deploy`: that needs the declaration, which may be elsewhere or none at all.
      return [
        ...(supervisor?.state === "lost"
          ? [`what may be left of it is ended first, by a restart and by \`moorage stop ${name}\` alike`]
          : []),
        `\`moorage logs ${name}\` shows what it said, \`moorage restart ${name}\` starts it again`,
      ];
    case "broken":
      return [`\`moorage restart ${name}\` makes it anew`];
    case "cannotTell":
      return [`look from where it was started; \`moorage doctor\` says more. Nothing is ended and nothing created`];
    case "absent":
      return [planned.declared ? `\`moorage deploy ${name}\` starts it` : "`moorage status` lists what is there"];
    default:
      return status.state satisfies never;
  }
}

function text(explanation: Explanation, output: Output): string[] {
  const { agent, status, declared, deploy, fault, warnings, journal, events, log } = explanation;
  const heading = (words: string): string => output.style("bold", words);
  const lines = [heading("What is"), ...whatIs(status, declared).map((line) => `  ${line}`)];
  if (explanation.why !== null) lines.push(`  ${explanation.why.message}`);
  const refused = status.state === "absent" ? lastFailure(journal) : null;
  if (refused !== null) lines.push(`  the last start did not come through: ${refused}`);
  if (log.length > 0)
    lines.push("", heading("What it said last"), ...log.map((line) => `  ${output.style("dim", "│")} ${line}`));
  if (explanation.catalog.length > 0)
    lines.push("", heading("Its catalog"), ...explanation.catalog.map((line) => `  ${line}`));
  if (journal.length > 0)
    lines.push("", heading("What happened last"), ...journal.map((line) => `  ${stepText(line)}`));
  if (events.length > 0)
    lines.push("", heading("What the cluster says"), ...events.map((event) => `  ${eventText(event)}`));
  lines.push("", heading("What a deploy would do now"));
  if (fault !== null) lines.push(...`it would not begin: ${fault.message}`.split("\n").map((line) => `  ${line}`));
  else if (deploy === null)
    lines.push(`  ${agent} is not declared in this folder: \`moorage explain ${agent} --file PATH\` says it`);
  else
    lines.push(
      ...previewText({ ...deploy, condition: null })
        .split("\n")
        .map((line) => `  ${line}`),
    );
  for (const warning of warnings) lines.push(`  ${output.style("yellow", "warning:")} ${warning}`);
  lines.push("", heading("What to do"), ...explanation.advice.map((line) => `  → ${line}`));
  return lines;
}

/** Codes of ends that leave no question. */
const settled = new Set(["started", "alreadyRunning", "stopped", "nothing"]);

/** Why the last call that ended did not get what it wanted; null where it did, or nobody knows. */
function lastFailure(journal: readonly JournalLine[]): string | null {
  const last = journal.findLast(({ step }) => step === "end");
  return last === undefined || settled.has(last.code) ? null : last.message;
}

function whatIs(status: AgentStatus, declared: boolean): string[] {
  const now = Date.now();
  const { agent, state, since, reason, turn, health } = status;
  if (state === "absent")
    return [`${agent} does not run, and nothing of it is here${declared ? "; it is declared" : ""}`];
  const lines = [
    `${agent} (${status.agentId ?? ""}): ${state === "cannotTell" ? "cannot be told" : state}${since === null ? "" : ` since ${sinceText(since, now)}`}`,
  ];
  if (reason !== null) lines.push(reason);
  if (status.node !== null) lines.push(`on the node ${status.node}`);
  if (status.image !== null) lines.push(`image ${status.image}`);
  if (status.pid !== null) lines.push(`process ${status.pid}, supervisor ${status.supervisor?.pid ?? "unknown"}`);
  if (turn !== null && turn.inFlight > 0) lines.push(turnLine(turn, state, now));
  else if (turn !== null && turn.lastAt !== null) lines.push(`last turn at ${clockText(turn.lastAt, now)}`);
  if (health.state !== "unknown")
    lines.push(`${health.state}${health.since === null ? "" : ` since ${sinceText(health.since, now)}`}`);
  if (status.memoryBytes !== null) lines.push(`${bytes(status.memoryBytes)} of memory`);
  if (status.revives > 0) lines.push(`revived ${status.revives} times`);
  if (status.source !== null) lines.push(`started from ${status.source}`);
  return lines;
}

/** Turns of an agent that is gone were lost with it. */
function turnLine(turn: NonNullable<AgentStatus["turn"]>, state: AgentStatus["state"], now: number): string {
  const { inFlight, since, names } = turn;
  const count = inFlight === 1 ? "1 turn" : `${inFlight} turns`;
  const named = names.length === 0 ? "" : ` (${names.join(", ")}${names.length < inFlight ? ", …" : ""})`;
  const lost = state === "ended" ? `${inFlight === 1 ? "was" : "were"} lost` : "in flight";
  return `${count}${named} ${lost}${since === null ? "" : `, begun at ${sinceText(since, now)}`}`;
}
