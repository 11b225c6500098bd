/** `moorage keep`: stays in the foreground and revives what the declaration allows; `--install` has a user manager do that. */
import type { Invocation, Run } from "../args/command-spec.ts";
import type { DeclaredAgent } from "../declaration/agent.ts";
import { CliError } from "../errors/cli-error.ts";
import { exit } from "../errors/exit-code.ts";
import type { Host } from "../host.ts";
import { keepLoop } from "../keep/keep-loop.ts";
import type { LaunchPlan } from "../launch/start-request.ts";
import { logTail } from "../log-tail.ts";
import { selectDeclared } from "../selection.ts";
import type { Session } from "../session.ts";
import { knownAgents, withSession } from "../session.ts";
import { launchPlans } from "../start/start-agents.ts";
import { clockText } from "../text/time.ts";

/** Lines of output that a notice shows. */
const lastLines = 5;

type Environment = Readonly<Record<string, string>>;

export const keep: Run = async (invocation, host) => {
  const agents = await revivable(invocation, host);
  if (agents.length === 0)
    throw new CliError({
      code: "nothingToKeep",
      message: "no agent here is declared with revive: onFailure",
      hint: "declare revive: onFailure for what may be started again after a failure",
    });
  if (invocation.flags["install"] === true) {
    const { install } = await import("../keep/install.ts");
    return install(agents, invocation, host);
  }
  return stay(agents, invocation, host);
};

async function revivable(invocation: Invocation, host: Host): Promise<DeclaredAgent[]> {
  return (await selectDeclared(invocation, host.cwd)).filter(({ revive }) => revive === "onFailure");
}

async function stay(agents: readonly DeclaredAgent[], invocation: Invocation, host: Host): Promise<number> {
  const { output, interrupt } = host;
  const recorded: Recorded = { byInstance: new Map(), byAgent: new Map() };
  let own: Environment = {};
  // A revived agent gets what it had at its deploy, whatever keep itself was started with.
  const launchEnv = (instance: string): Environment => recorded.byInstance.get(instance) ?? own;
  return withSession(invocation, host, { mode: "write", launchEnv }, async (session) => {
    own = session.launchEnv;
    const until = AbortSignal.any([interrupt, output.closed]);
    const planOf = async (agent: DeclaredAgent): Promise<LaunchPlan> => {
      await readRecorded(session, recorded);
      const launchEnv = recorded.byAgent.get(agent.name) ?? own;
      const options = { environment: host.env, on: session.scope.on, launchEnv };
      const [plan] = await launchPlans([agent], options, host);
      if (plan === undefined) throw new Error("one agent gave no plan");
      return plan;
    };
    const plans: LaunchPlan[] = [];
    for (const agent of agents) plans.push(await planOf(agent));
    await keepLoop(plans, {
      session,
      journal: session.scope.journal,
      signal: until,
      wallTime: () => Date.now(),
      plan: async (name) => {
        const agent = (await revivable({ ...invocation, words: [name] }, host))[0];
        if (agent === undefined) throw new Error("it is not declared with revive: onFailure any more");
        return planOf(agent);
      },
      lastWords: (instance) => logTail(session, instance, lastLines),
      tell: (news) => {
        const at = new Date().toISOString();
        if (output.json) output.object("KeepNews", { at, ...news });
        else if (news.notice) output.warn([`${news.agent}: ${news.message}`, ...news.log].join("\n  │ "));
        else output.progress(`${clockText(at, Date.now())} ${news.agent}: ${news.message}`);
      },
    });
    return interrupt.aborted ? exit.interrupted : exit.ok;
  });
}

/** What the agents inherited at their deploy, as the state directory has it. */
interface Recorded {
  readonly byInstance: Map<string, Environment>;
  readonly byAgent: Map<string, Environment>;
}

async function readRecorded(session: Session, { byInstance, byAgent }: Recorded): Promise<void> {
  for (const { name, process } of await session.scope.facts())
    if (process !== null) byInstance.set(name, process.launchEnv);
  for (const { agent, observed } of await knownAgents(session.scope)) {
    const env = byInstance.get(observed.name);
    if (env !== undefined) byAgent.set(agent, env);
  }
}
