/** Makes a supervisor small, and keeps it so: nothing in it ever needs V8's optimising compilers, or what only its start needed. */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** What a supervisor comes to need of Node; see below why it is loaded at once. */
const needed = ["node:child_process", "node:cluster", "node:net", "node:os", "node:sqlite"] as const;

/**
 * The pages of those compilers are 8 MB, and a few seconds of looking at a record already bring them in. As flags on the
 * command line they would cost half a boot: Node's own modules carry their compiled code along, which is accepted only
 * under the flags that it was made with. Hence the modules first.
 */
export function doWithoutCompilers(): void {
  for (const name of needed) process.getBuiltinModule(name);
  for (const flag of ["--no-opt", "--no-maglev", "--no-sparkplug"]) setFlagsFromString(flag);
}

/** Milliseconds after which V8 has forgotten that there was a collection. */
const forgottenMs = 10_000;

/**
 * One thorough collection. What a start leaves would stay for as long as the agent lives. V8 would take it as a reason for
 * another one eight seconds later, which finds nothing and wakes all of its threads; what bundles leave later is its own affair.
 */
export function collectOnce(): void {
  setFlagsFromString("--expose-gc");
  setFlagsFromString("--memory-reducer-gc-count=0");
  const collect = runInNewContext("gc") as (how: { readonly type: "major"; readonly flavor: "last-resort" }) => void;
  collect({ type: "major", flavor: "last-resort" });
  setTimeout(() => setFlagsFromString("--memory-reducer-gc-count=2"), forgottenMs).unref();
}
