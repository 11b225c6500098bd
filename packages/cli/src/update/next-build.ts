/** The build that a start would use now. */
import { sha256 } from "@moorage/keys";
import type { DeclaredAgent } from "../declaration/agent.ts";
import { CliError } from "../errors/cli-error.ts";
import { buildId } from "../launch/build-id.ts";

/** Null: what makes it cannot be read. */
export function nextBuild(declared: DeclaredAgent): string | null {
  try {
    return buildId(declared, sha256);
  } catch (error) {
    if (error instanceof CliError) return null;
    throw error;
  }
}
