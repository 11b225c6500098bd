/** `moorage bundle sign`: this machine's signature on a bundle in a file. */
import type { Run } from "../args/command-spec.ts";
import { CliError } from "../errors/cli-error.ts";

export const bundleSign: Run = notYet;

function notYet({ command }: Parameters<Run>[0]): Promise<number> {
  const message = `moorage ${command} is not there yet`;
  throw new CliError({ code: "notAvailable", message, hint: "run `moorage --help` to see what is" });
}
