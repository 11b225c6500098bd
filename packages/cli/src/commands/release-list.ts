/** `moorage release list`: the builds that are available, by fleet and agent. */
import { PlainDataError, readReleases } from "@moorage/core";
import type { Run } from "../args/command-spec.ts";
import { CliError } from "../errors/cli-error.ts";
import { exit } from "../errors/exit-code.ts";
import { releaseJson } from "../release/publish-releases.ts";
import { aligned } from "../text/aligned.ts";
import { withMachine } from "../update/with-machine.ts";

export const releaseList: Run = (invocation, host) =>
  withMachine(invocation, host, "read", async (_, { documents }) => {
    const { output } = host;
    const wanted = new Set(invocation.words);
    const stored = (await documents.list("release")).filter(({ name }) => wanted.size === 0 || wanted.has(name));
    const fleets = stored.map(({ name, text }) => readStored(name, text));
    const missing = [...wanted].filter((fleet) => !fleets.some((one) => one.fleet === fleet));
    if (output.json)
      output.object("ReleaseList", {
        fleets: fleets.map(({ fleet, agents }) => ({ fleet, agents: agents.map(releaseJson) })),
      });
    const rows = fleets.flatMap(({ fleet, agents }) =>
      agents.map(({ agent, buildId, target, publishedAt }) => [
        fleet,
        agent,
        buildId,
        `wire ${target.wireVersion}, event log ${target.eventLogSchema}, ${target.crdApiVersion}`,
        new Date(publishedAt).toISOString(),
      ]),
    );
    for (const line of aligned(rows)) output.line(line);
    if (rows.length === 0) output.line("no build was published: `moorage release publish` does it");
    else for (const fleet of missing) output.line(`${fleet}: no build was published`);
    return exit.ok;
  });

function readStored(fleet: string, written: string): ReturnType<typeof readReleases> {
  try {
    return readReleases(written);
  } catch (error) {
    if (!(error instanceof PlainDataError)) throw error;
    const message = `what was published for ${fleet} cannot be read: ${error.message}`;
    throw new CliError({ code: error.code, message, hint: error.hint });
  }
}
