/** `moorage keys init`: the key and the trust root of this machine; with `--lost` others in the place of a key that is gone. */
import type { PinnedRoot } from "@moorage/bundle";
import { ensureTrust, readTrust, replaceLostKey, signingKeyOf, TrustError } from "@moorage/bundle";
import type { Run } from "../args/command-spec.ts";
import { CliError, usageError } from "../errors/cli-error.ts";
import { exit } from "../errors/exit-code.ts";
import type { Host } from "../host.ts";
import { mustConfirm } from "../keys/ask.ts";
import { keyHere, keysJson, keysLines } from "../keys/keys-json.ts";
import type { Output } from "../output/output.ts";
import { withMachine } from "../update/with-machine.ts";

const consequences =
  "The key that signs bundles here is gone. Another one is made, and a trust root that trusts it alone.\nBundles that the old key signed are refused by agents that start from now on, until their catalogs are published again;\nagents that run go on with what they have, and refuse what is new until they are restarted.";

export const keysInit: Run = (invocation, host) => {
  const lost = invocation.flags["lost"] === true;
  const yes = invocation.flags["yes"] === true;
  if (yes && !lost) throw usageError("--yes confirms a lost key", "add --lost, or leave --yes out");
  return withMachine(invocation, host, "write", async (_, { trustFolder }) => {
    const { output } = host;
    const before = readTrust(trustFolder);
    const trust = lost ? await replace(trustFolder, yes, host) : ensureTrust(trustFolder);
    // A key that cannot sign is told, and mended by nobody but a person.
    if (!lost) signingKeyOf(trustFolder);
    const outcome = lost ? "replaced" : before === null ? "made" : "already";
    const here = keyHere(trustFolder);
    if (output.json) output.object("KeysInit", { ...keysJson(trustFolder, trust, here), outcome });
    output.line(outcomeText(outcome));
    for (const line of keysLines(trustFolder, trust, here)) output.line(line);
    if (lost) tellWhatFollows(output);
    return exit.ok;
  });
};

async function replace(folder: string, yes: boolean, host: Host): Promise<PinnedRoot> {
  checkLost(folder);
  if (!yes) await mustConfirm(consequences, host);
  return replaceLostKey(folder);
}

/** Nobody is asked about what is not so. */
function checkLost(folder: string): void {
  try {
    signingKeyOf(folder);
  } catch (error) {
    if (error instanceof TrustError && (error.code === "signingKeyLost" || error.code === "signingKeyNotTrusted"))
      return;
    throw error;
  }
  throw new CliError({
    code: "signingKeyThere",
    message: "the signing key is not lost: it is there, and it is trusted",
    hint: "leave --lost out",
  });
}

function outcomeText(outcome: "made" | "already" | "replaced"): string {
  switch (outcome) {
    case "made":
      return "made a key and a trust root";
    case "already":
      return "the key and the trust root are there already";
    case "replaced":
      return "made another key, and a trust root that trusts it alone; the old root is kept beside it";
    default:
      return outcome satisfies never;
  }
}

function tellWhatFollows(output: Output): void {
  output.progress("what is to be done now, in this order:");
  output.progress(
    "  1. `moorage update apply` in the folder of each declaration: its catalogs are published anew, signed with this key",
  );
  output.progress("  2. `moorage restart NAME…`: agents that run trust the old root until then");
}
