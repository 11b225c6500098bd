/** What doctor looks at in the state directory: may it be used, is there space, whose are the agents in it. */
import { statfsSync, statSync } from "node:fs";
import type { Invocation } from "../args/command-spec.ts";
import { moveChecks } from "../cold-move/move-checks.ts";
import { reportOf } from "../errors/report.ts";
import type { Host } from "../host.ts";
import type { AgentFacts } from "../scope/agent-scope.ts";
import { stateDir } from "../scope/local-scope.ts";
import type { Session } from "../session.ts";
import { withSession } from "../session.ts";
import { readStatus } from "../status/read-status.ts";
import { bytes } from "../status/status-table.ts";
import { agentChecks } from "./agent-checks.ts";
import type { Check } from "./check.ts";
import { note, ok, problem, warning } from "./check.ts";

/** Bytes below which a full disk is near. */
const leastFree = 100_000_000;

export async function stateChecks(invocation: Invocation, host: Host): Promise<Check[]> {
  let directory: string;
  try {
    directory = stateDir(invocation, host);
  } catch (error) {
    return [faultCheck("state directory", error)];
  }
  const there = isDirectory(directory);
  const place = there ? placeChecks(directory) : [];
  try {
    const inside = await withSession(invocation, host, { mode: "read" }, (session) => insideChecks(session, host));
    if (there) return [...place, ...inside];
    return [note("state directory", `${directory} is not there yet`, "the first `moorage deploy` makes it")];
  } catch (error) {
    return [...place, faultCheck("state", error)];
  }
}

/** What else lies there, or cannot be reached, is told by whoever opens it. */
function isDirectory(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

function faultCheck(name: string, error: unknown): Check {
  const { message, hint } = reportOf(error);
  return problem(name, message, hint);
}

function placeChecks(directory: string): Check[] {
  const checks: Check[] = [];
  const { mode } = statSync(directory);
  checks.push(
    (mode & 0o077) === 0
      ? ok("state directory", directory)
      : problem("state directory", `others may look into ${directory}`, `run \`chmod 700 ${directory}\``),
  );
  const { bavail, bsize } = statfsSync(directory);
  const free = bavail * bsize;
  checks.push(
    free >= leastFree
      ? ok("disk", `${bytes(free)} free`)
      : warning(
          "disk",
          `only ${bytes(free)} free`,
          "make space: output is lost while the disk is full, nothing else is",
        ),
  );
  return checks;
}

async function insideChecks(session: Session, host: Host): Promise<Check[]> {
  const agents = await readStatus(session, { names: [], declared: null });
  const facts = (await session.scope.facts()).flatMap(({ process }) => process ?? []);
  const running = agents.filter(({ state }) => state === "running").length;
  const moves = await moveChecks(session.scope);
  return [
    ok("agents", `${agents.length} here, ${running} of them running`),
    ...agentChecks(agents, facts, host.env),
    ...moves,
    ...(await bundleChecks(session, facts)),
  ];
}

/** Of the channels that agents here listen to, or did. Loaded where there are any. */
async function bundleChecks(
  { scope: { machine } }: Session,
  processes: readonly NonNullable<AgentFacts["process"]>[],
): Promise<Check[]> {
  const channels = processes.flatMap(({ delivery }) => (delivery === null ? [] : [delivery.channel]));
  if (machine === null || channels.length === 0) return [];
  const [{ storeChecks }, { storeOf }] = await Promise.all([
    import("./store-checks.ts"),
    import("../update/catalog-line.ts"),
  ]);
  return storeChecks(storeOf(machine), channels);
}
