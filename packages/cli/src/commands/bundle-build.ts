/** `moorage bundle build`: checks and hashes a catalog. */
import type { Run } from "../args/command-spec.ts";
import { CliError } from "../errors/cli-error.ts";

export const bundleBuild: Run = notYet;

function notYet({ command }: Parameters<Run>[0]): Promise<number> {
  const message = `moorage ${command} is not there yet`;
  throw new CliError({ code: "notAvailable", message, hint: "run `moorage --help` to see what is" });
}
