/** Where the test cluster is and where its program comes from, by the environment. */
import { join } from "node:path";
import type { BinaryPlaces } from "./up/binary.ts";
import type { Layout } from "./up/layout.ts";
import { layoutOf } from "./up/layout.ts";

export interface Places {
  readonly layout: Layout;
  readonly binaries: BinaryPlaces;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** `MOORAGE_CLUSTER_BINARIES` is a folder with the program; `MOORAGE_CLUSTER_DIR` and `MOORAGE_CLUSTER_NUMBER` say where the cluster lives, beside others on the same machine. */
export function places(env: Environment, home: string): Places {
  const cacheHome = env["XDG_CACHE_HOME"] ?? join(home, ".cache");
  return {
    layout: layoutIn(env) ?? layoutOf(`/tmp/moorage-test-cluster-${numberIn(env)}`, numberIn(env)),
    binaries: {
      given: env["MOORAGE_CLUSTER_BINARIES"] ?? null,
      cache: join(cacheHome, "moorage", "cluster"),
    },
  };
}

/** The cluster that the environment names; null when it names none. Not in TMPDIR: test runs have one of their own, and sockets need a short path. */
export function layoutIn(env: Environment): Layout | null {
  const dir = env["MOORAGE_CLUSTER_DIR"];
  return dir === undefined ? null : layoutOf(dir, numberIn(env));
}

function numberIn(env: Environment): number {
  return Number(env["MOORAGE_CLUSTER_NUMBER"] ?? 0);
}
