/** Does what a decision asks for: tries a bundle again, or goes on with a cold move. */
import type { Notice, NoticeChoice } from "@moorage/core";
import { isAsleep, readStoredMove } from "@moorage/core";
import type { ColdMovePorts } from "../cold-move/carry-out.ts";
import { carryOutFleet } from "../cold-move/carry-out.ts";
import { readLaunches } from "../cold-move/launch-record.ts";
import type { MoveReport } from "../cold-move/move-report.ts";
import { exitOfMove, moveJson } from "../cold-move/move-report.ts";
import { memberPlans } from "../cold-move/start-members.ts";
import { CliError } from "../errors/cli-error.ts";
import { exit } from "../errors/exit-code.ts";
import { knownAgents } from "../session.ts";
import { instanceOf } from "./facts-now.ts";

export interface Acted {
  /** Lines for people. */
  readonly lines: readonly string[];
  readonly retry: { readonly agent: string; readonly bundle: string } | null;
  readonly move: MoveReport | null;
  readonly exit: number;
}

const wantedBy = { approve: "new", reject: "old", goOn: "either", goBack: "old", leave: "old" } as const;

const nothing: Acted = { lines: [], retry: null, move: null, exit: exit.ok };

/**
 * Before a fleet is stopped: throws, such as `secretMissing`, when this call could not start it again. What has moved in its
 * builds is told by the decision itself.
 */
export async function checkStartable(notice: Notice, choice: NoticeChoice, ports: ColdMovePorts): Promise<void> {
  const { documents } = ports.machine;
  if (notice.about !== "coldMove" || choice !== "approve") return;
  const stored = await readStoredMove(documents, notice.subject.name);
  const record = stored === null ? null : await readLaunches(documents, stored.move.id);
  if (stored === null || record === null || stored.move.state.kind !== "proposed") return;
  // Nobody is started by it.
  if (isAsleep(stored.move)) return;
  try {
    await memberPlans(record.new, record.fleet, ports.host);
  } catch (error) {
    if (!(error instanceof CliError) || error.code === "buildMoved" || error.code === "notDeclared") return;
    const { code, message, hint, details } = error;
    throw new CliError({ code, message: `${message}; nothing was decided, and nothing stopped`, hint, details });
  }
}

/** Of a notice that has been decided. */
export async function actOnDecision(notice: Notice, ports: ColdMovePorts): Promise<Acted> {
  const { state } = notice;
  if (state.kind !== "decided") return nothing;
  switch (state.choice) {
    case "approve":
    case "reject":
    case "goOn":
    case "goBack":
    case "leave": {
      if (!isAboutMove(notice)) return nothing;
      const move = await carryOutFleet(notice.subject.name, ports);
      return { ...nothing, move, exit: exitOfMove(move, wantedBy[state.choice]) };
    }
    case "retry":
      return retry(notice, ports);
    case "acknowledge":
      return nothing;
    default:
      return state.choice satisfies never;
  }
}

export function isAboutMove({ about }: Notice): boolean {
  return about === "coldMove" || about === "moveHeld" || about === "pointOfNoReturn";
}

async function retry({ subject, evidence }: Notice, { machine, session }: ColdMovePorts): Promise<Acted> {
  const { bundle } = evidence;
  const agent = subject.name;
  if (bundle === undefined) return nothing;
  await machine.retry(await instanceOf(agent, session), bundle);
  const known = (await knownAgents(session.scope)).find((one) => one.agent === agent);
  const runs = known?.observed.evidence.container.state === "running";
  const line = runs
    ? `${agent} is offered the bundle again; \`moorage update status ${agent}\` shows what becomes of it`
    : `${agent} does not run: it is offered the bundle again at its next start`;
  return { ...nothing, lines: [line], retry: { agent, bundle } };
}

/** For `--json`. */
export function actedJson({ retry: again, move }: Acted): object {
  return { retry: again, move: move === null ? null : moveJson(move) };
}
