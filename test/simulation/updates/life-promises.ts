/** What must hold between two events of a life: nothing runs on what it must never run on, and the life says what runs. */
import type { Life } from "@moorage/core";
import { firstDifference, inUse } from "@moorage/core";
import type { ChannelStore } from "./channel.ts";

/** `runs`: the bundle that the process works with; null: it runs without one; undefined: nothing runs. */
export function lifeFaults(
  life: Life,
  runs: string | null | undefined,
  store: ChannelStore,
): (readonly ["P8" | "P9", string])[] {
  const faults: (readonly ["P8" | "P9", string])[] = [];
  const used = inUse(life);
  const { use, next, run } = life;
  const bundle = store.find(runs ?? null);
  if (bundle !== undefined) {
    const axis = firstDifference(bundle.target, run.target);
    if (axis !== null) faults.push(["P8", `it runs on ${bundle.digest}, which is for another ${axis}`]);
    if (bundle.nature === "broken") faults.push(["P9", `it runs on ${bundle.digest}, which never verifies`]);
    if (bundle.catalogHash !== used?.catalogHash)
      faults.push(["P9", `it runs on ${bundle.digest}, and its life says ${used?.digest ?? "nothing"}`]);
  }
  if (runs === null && used !== null) faults.push(["P9", `it runs on nothing, and its life says ${used.digest}`]);
  if (use.kind === "confirmed" && store.find(use.bundle.digest)?.nature === "bad")
    faults.push(["P9", `${use.bundle.digest} is bad and confirmed`]);
  if (
    used !== null &&
    use.kind !== "ended" &&
    next !== null &&
    JSON.stringify(next).includes(`"digest":"${used.digest}"`)
  )
    faults.push(["P9", `${used.digest} is in two states at once`]);
  return faults;
}
