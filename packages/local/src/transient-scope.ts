/** A systemd scope of its own for each supervisor, so that neither a logout nor an out-of-memory kill of a terminal takes agents along. */
import { existsSync } from "node:fs";
import { join } from "node:path";

export interface TransientScope {
  /** Goes before the command line, and becomes that command. */
  readonly prefix: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/**
 * Null where the user has no manager (containers, `su`, macOS): a supervisor then stays where its caller is. Whether the
 * manager agrees shows only when it is asked: who boots something this way must be able to do without.
 */
export function findTransientScope(runtimeDir: string): TransientScope | null {
  if (process.platform !== "linux" || !existsSync(join(runtimeDir, "systemd", "private"))) return null;
  return {
    prefix: ["systemd-run", "--user", "--scope", "--quiet", "--collect", "--"],
    env: { XDG_RUNTIME_DIR: runtimeDir },
  };
}
