/** What a notice tells, as it is found at this moment: a decision that does not fit it any more is refused. */
import type { Life, Notice, NoticeDraft } from "@moorage/core";
import {
  bundleOnItsWay,
  instanceName,
  moorageProfile,
  moveFacts,
  nameIdentity,
  PlainDataError,
  readStoredMove,
} from "@moorage/core";
import { sha256 } from "@moorage/keys";
import { declaredNow } from "../cold-move/declared-now.ts";
import { readLaunches } from "../cold-move/launch-record.ts";
import { buildId } from "../launch/build-id.ts";
import type { MachineScope } from "../scope/agent-scope.ts";
import type { Session } from "../session.ts";
import { knownAgents } from "../session.ts";
import { storeOf } from "../update/catalog-line.ts";

/** For the decisions of one call. Null: there is nothing to decide any more. */
export function factsNow(machine: MachineScope, session: Session): (notice: Notice) => Promise<NoticeDraft | null> {
  return async (notice) => {
    switch (notice.about) {
      case "coldMove":
        return (await buildsMoved(notice, machine)) ? null : moveFacts(machine.documents)(notice);
      case "moveHeld":
      case "pointOfNoReturn":
        return moveFacts(machine.documents)(notice);
      case "bundleRefused":
      case "bundleReverted":
      case "equivocation":
        return (await isQuarantined(notice, machine, session)) ? notice : null;
      case "bundlePutOff":
        return (await isOnItsWay(notice, machine, session)) ? notice : null;
      case "agentEnded":
      case "cannotStart":
        return (await runs(notice, session)) ? null : notice;
      case "nodeLost":
        return notice;
      default:
        return notice.about satisfies never;
    }
  };
}

/** What was proposed is not what would be started: the files of a build were edited, the formats declared anew, or an agent not any more. */
async function buildsMoved({ subject }: Notice, { documents }: MachineScope): Promise<boolean> {
  const stored = await readStoredMove(documents, subject.name);
  const record = stored === null ? null : await readLaunches(documents, stored.move.id);
  if (stored === null || record === null) return false;
  const declared = await declaredNow(record);
  return stored.move.members.some(({ agent, newBuild }) => {
    const now = declared.find(({ name }) => name === agent);
    return now === undefined || buildId(now, sha256) !== newBuild;
  });
}

async function isQuarantined(notice: Notice, machine: MachineScope, session: Session): Promise<boolean> {
  const life = await lifeOf(notice, machine, session);
  if (life === null || isOvertaken(notice, life, machine)) return false;
  const { bundle, build } = notice.evidence;
  return life.quarantine.some(
    ({ digest, buildId: held, until }) => digest === bundle && held === build && Date.now() < until,
  );
}

/** A later one was accepted, or is given to the fleet: tried again, it would not be offered. */
function isOvertaken({ evidence }: Notice, { channel, floor }: Life, machine: MachineScope): boolean {
  const store = storeOf(machine);
  const own = store.history(channel).find(({ digest }) => digest === evidence["bundle"]);
  return own !== undefined && Math.max(floor.sequence, store.assigned(channel)?.sequence ?? 0) > own.sequence;
}

async function isOnItsWay(notice: Notice, machine: MachineScope, session: Session): Promise<boolean> {
  const next = (await lifeOf(notice, machine, session))?.next ?? null;
  return next !== null && bundleOnItsWay(next).digest === notice.evidence["bundle"];
}

async function runs({ subject }: Notice, { scope }: Session): Promise<boolean> {
  const known = (await knownAgents(scope)).find(({ agent }) => agent === subject.name);
  return known?.observed.evidence.container.state === "running";
}

/** Null: nothing was ever delivered to it, its folder was purged, or another version wrote it. */
async function lifeOf(
  { subject }: Notice,
  machine: MachineScope,
  session: Session,
): ReturnType<MachineScope["delivery"]> {
  try {
    return await machine.delivery(await instanceOf(subject.name, session));
  } catch (error) {
    if (error instanceof PlainDataError) return null;
    throw error;
  }
}

/** The name of an agent's instance; of one that is not there, what its name alone gives. */
export async function instanceOf(agent: string, { scope }: Session): Promise<string> {
  const known = (await knownAgents(scope)).find((each) => each.agent === agent);
  return known?.observed.name ?? instanceName(moorageProfile, nameIdentity(agent, sha256));
}
