/** `moorage bundle diff`: what changed between two bundles, or folders, down to the line and the value. */
import { bundleDiff as differenceOf, diffText } from "@moorage/bundle";
import type { Run } from "../args/command-spec.ts";
import type { BundleReference } from "../bundle/bundle-reference.ts";
import { findBundle, referenceName, withSide } from "../bundle/bundle-reference.ts";
import { exit } from "../errors/exit-code.ts";
import { storeOf } from "../update/catalog-line.ts";
import { withMachine } from "../update/with-machine.ts";

export const bundleDiff: Run = (invocation, host) =>
  withMachine(invocation, host, "read", async (session, machine) => {
    const { output } = host;
    const [first = "", second = ""] = invocation.words;
    const looking = { invocation, host, session, machine };
    const before = await findBundle(first, looking);
    const after = await findBundle(second, looking);
    const store = storeOf(machine);
    const changes = withSide(before, store, (old) => withSide(after, store, (fresh) => differenceOf(old, fresh)));
    if (output.json) output.object("BundleDiff", { before: sideJson(before), after: sideJson(after), changes });
    if (changes.length === 0) output.line(`${referenceName(before)} and ${referenceName(after)} hold the same`);
    else output.progress(`${referenceName(before)} → ${referenceName(after)}`);
    for (const line of diffText(changes)) output.line(line);
    return exit.ok;
  });

function sideJson(reference: BundleReference): object {
  const name = referenceName(reference);
  return reference.kind === "folder"
    ? { name, digest: null, catalogHash: reference.content.catalog.hash }
    : { name, digest: reference.digest, catalogHash: reference.manifest.catalogHash };
}
