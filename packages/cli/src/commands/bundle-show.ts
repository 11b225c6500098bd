/** `moorage bundle show`: what a bundle is, of an agent the one that it has in use. */
import type { Run } from "../args/command-spec.ts";
import { findBundle, referenceName } from "../bundle/bundle-reference.ts";
import { bytesOf, manifestLines } from "../bundle/bundle-text.ts";
import { usageError } from "../errors/cli-error.ts";
import { exit } from "../errors/exit-code.ts";
import { storeOf } from "../update/catalog-line.ts";
import { withMachine } from "../update/with-machine.ts";

export const bundleShow: Run = (invocation, host) =>
  withMachine(invocation, host, "read", async (session, machine) => {
    const { output } = host;
    const [word = ""] = invocation.words;
    const reference = await findBundle(word, { invocation, host, session, machine });
    if (reference.kind === "folder")
      throw usageError(`${word} is a folder, and no bundle yet`, `run \`moorage bundle build ${word}\``);
    const { manifest, digest } = reference;
    const store = storeOf(machine);
    const standing = {
      head: store.head(manifest.channel)?.digest === digest,
      assigned: store.assigned(manifest.channel)?.digest === digest,
      confirmed: store.confirmed(manifest.channel)?.digest === digest,
    };
    const name = referenceName(reference);
    const agent = reference.kind === "stored" ? reference.agent : null;
    if (output.json) {
      const { format: _, components, ...rest } = manifest;
      const bytes = bytesOf(components);
      output.object("BundleInfo", { name, agent, digest, ...rest, bytes, files: components, ...standing });
    }
    output.line(`${name}${standingText(standing, agent)}`);
    for (const line of manifestLines(manifest, digest)) output.line(line);
    return exit.ok;
  });

function standingText(
  standing: Readonly<Record<"head" | "assigned" | "confirmed", boolean>>,
  agent: string | null,
): string {
  const words = [
    ...(agent === null ? [] : ["in use"]),
    ...(standing.head ? ["published last"] : []),
    ...(standing.assigned ? ["given to the fleet"] : []),
    ...(standing.confirmed ? ["confirmed"] : []),
  ];
  return words.length === 0 ? "" : `: ${words.join(", ")}`;
}
