/** `moorage release publish`: the declared builds, made available to their fleets. */
import type { Releases } from "@moorage/core";
import type { Run } from "../args/command-spec.ts";
import { exit } from "../errors/exit-code.ts";
import { checkCatalogs, declaredRelease, recordReleases, releaseJson } from "../release/publish-releases.ts";
import { selectDeclared } from "../selection.ts";
import { shortHash } from "../update/bundle-name.ts";
import { withMachine } from "../update/with-machine.ts";

interface Published {
  readonly fleet: string;
  readonly agents: readonly (Releases["agents"][number] & { readonly moved: boolean })[];
}

export const releasePublish: Run = async (invocation, host) => {
  const { output } = host;
  const agents = await selectDeclared(invocation, host.cwd);
  const releases = agents.map(declaredRelease);
  return withMachine(invocation, host, "write", async (_, machine) => {
    checkCatalogs(agents, machine);
    const at = Date.now();
    const fleets: Published[] = [];
    for (const fleet of new Set(agents.map((agent) => agent.fleet))) {
      const names = new Set(agents.filter((agent) => agent.fleet === fleet).map(({ name }) => name));
      const mine = releases.filter(({ agent }) => names.has(agent));
      const all = await recordReleases(machine.documents, fleet, mine, at);
      const now = all.agents.filter(({ agent }) => names.has(agent));
      fleets.push({ fleet, agents: now.map((one) => ({ ...one, moved: one.publishedAt === at })) });
    }
    if (output.json) output.object("ReleasePublished", { fleets: fleets.map(publishedJson) });
    for (const { fleet, agents: all } of fleets)
      for (const { agent, buildId, moved } of all)
        output.line(
          `${agent} of ${fleet}: build ${shortHash(buildId)} ${moved ? "is published" : "was published already"}`,
        );
    output.progress("nothing is restarted by this: each agent takes its build at its next start");
    return exit.ok;
  });
};

function publishedJson({ fleet, agents }: Published): object {
  return { fleet, agents: agents.map((one) => ({ ...releaseJson(one), moved: one.moved })) };
}
