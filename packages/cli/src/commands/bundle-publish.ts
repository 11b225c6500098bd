/** `moorage bundle publish`: catalogs of the declaration, or a bundle in a file, at the head of their channels. It delivers nothing. */
import { statSync } from "node:fs";
import { resolve } from "node:path";
import type { PublishedHead } from "@moorage/bundle";
import { readBundleFile } from "@moorage/bundle";
import type { Channel } from "@moorage/core";
import type { Invocation, Run } from "../args/command-spec.ts";
import { countOf } from "../bundle/bundle-text.ts";
import { declaredLineOf, declaredLines } from "../bundle/declared-lines.ts";
import type { Matching } from "../bundle/matching-agents.ts";
import { matchingAgents } from "../bundle/matching-agents.ts";
import type { PublishedBundle } from "../bundle/publish-catalog.ts";
import { movedText, publishCatalog, publishFile } from "../bundle/publish-catalog.ts";
import { exit, worstExit } from "../errors/exit-code.ts";
import type { Host } from "../host.ts";
import type { Output } from "../output/output.ts";
import type { MachineScope } from "../scope/agent-scope.ts";
import type { Session } from "../session.ts";
import { bundleName } from "../update/bundle-name.ts";
import { channelText } from "../update/catalog-line.ts";
import { withMachine } from "../update/with-machine.ts";

interface Result {
  readonly channel: Channel;
  readonly bundle: PublishedBundle;
  readonly agents: Matching;
  readonly from: string;
}

/** One channel that is to get a bundle. */
interface Job {
  readonly channel: Channel;
  /** The file or the folder, as it can be named on the command line. */
  readonly from: string;
  readonly publish: (machine: MachineScope) => PublishedBundle;
}

export const bundlePublish: Run = async (invocation, host) => {
  const { output } = host;
  const jobs = await jobsOf(invocation, host);
  return withMachine(invocation, host, "write", async (session, machine) => {
    const results: Result[] = [];
    for (const job of jobs) {
      const result = await carryOut(job, session, machine);
      results.push(result);
      tell(result, output);
    }
    if (output.json) output.object("BundlesPublished", { bundles: results.map(resultJson) });
    if (results.some(({ bundle }) => bundle.kind !== "worldMoved"))
      output.progress("nothing is delivered by this: `moorage update apply` gives it to agents that run");
    return worstExit(results.map(({ bundle }) => (bundle.kind === "worldMoved" ? exit.worldMoved : exit.ok)));
  });
};

/** Everything that is named is read before anything is opened or made. */
async function jobsOf(invocation: Invocation, host: Host): Promise<Job[]> {
  const [word] = invocation.words;
  const path = word === undefined ? null : resolve(host.cwd, word);
  if (word !== undefined && path !== null && statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) {
    const file = readBundleFile(path);
    const publish = (machine: MachineScope): PublishedBundle => publishFile(file, word, machine);
    return [{ channel: file.manifest.channel, from: word, publish }];
  }
  const lines =
    word === undefined ? await declaredLines(invocation, host) : [await declaredLineOf(word, invocation, host)];
  return lines.map((line) => ({
    channel: line.channel,
    from: word ?? line.path,
    publish: (machine) => publishCatalog(line, machine),
  }));
}

async function carryOut({ channel, from, publish }: Job, session: Session, machine: MachineScope): Promise<Result> {
  const bundle = publish(machine);
  const agents =
    bundle.kind === "worldMoved" ? { running: 0, matching: 0 } : await matchingAgents(bundle.manifest, session);
  return { channel, bundle, agents, from };
}

/** What came in between against what was to be published, as it can be run. */
function afterLostRace(channel: Channel, head: PublishedHead | null, from: string): string {
  if (head === null) return "publish again if yours is still right";
  const before = `${channelText(channel)}@${head.sequence}`;
  return `run \`moorage bundle diff ${before} ${from}\`, and publish again if yours is still right`;
}

function tell({ channel, bundle, agents, from }: Result, output: Output): void {
  if (bundle.kind === "worldMoved") {
    output.line(movedText(channel, bundle.head));
    output.progress(`  → ${afterLostRace(channel, bundle.head, from)}`);
    return;
  }
  const name = bundleName(bundle.manifest);
  const where = channelText(channel);
  output.line(bundle.kind === "published" ? `published ${name} in ${where}` : `${where} has it already: ${name}`);
  if (agents.running > 0 && agents.matching === 0)
    output.warn(
      `none of the ${countOf(agents.running, "agent")} of ${where} that ${agents.running === 1 ? "runs" : "run"} has the formats that it is for: no one will use it before its next start`,
    );
}

function resultJson({ channel, bundle, agents }: Result): object {
  const { head } = bundle;
  return {
    channel,
    outcome: bundle.kind,
    sequence: head?.sequence ?? null,
    digest: head?.digest ?? null,
    catalogHash: bundle.kind === "worldMoved" ? null : bundle.manifest.catalogHash,
    ...agents,
  };
}
