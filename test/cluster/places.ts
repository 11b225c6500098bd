/** Where the test cluster is and where its program comes from, by the environment. */
import { join } from "node:path";
import type { BinaryPlaces } from "./up/binary.ts";

export interface Places {
  readonly dir: string;
  readonly binaries: BinaryPlaces;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** `MOORAGE_CLUSTER_BINARIES` is a folder with the program; `MOORAGE_CLUSTER_DIR` is where the cluster lives. */
export function places(env: Environment, home: string): Places {
  const cacheHome = env["XDG_CACHE_HOME"] ?? join(home, ".cache");
  return {
    // Not in TMPDIR: test runs have one of their own, and sockets need a short path.
    dir: env["MOORAGE_CLUSTER_DIR"] ?? "/tmp/moorage-test-cluster",
    binaries: {
      given: env["MOORAGE_CLUSTER_BINARIES"] ?? null,
      cache: join(cacheHome, "moorage", "cluster"),
    },
  };
}
