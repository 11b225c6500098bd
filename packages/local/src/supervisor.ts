/** The entry point of a supervisor: `supervisor.ts STATE_DIR NAME UID REGISTRY_DIR`, one for each instance, and no daemon. */
import { flushCompileCache } from "node:module";
import { tmpdir } from "node:os";
import { awakeClock, closeInheritedDescriptors } from "@moorage/harness";
import { collectOnce, doWithoutCompilers } from "./at-rest.ts";
import { runSupervisor } from "./supervisor-run.ts";

const [stateDir, name, uid, registryDir] = process.argv.slice(2);
if (stateDir === undefined || name === undefined || uid === undefined || registryDir === undefined)
  throw new Error("a supervisor is booted by `moorage deploy`, not by hand");

doWithoutCompilers();
closeInheritedDescriptors();

const collectAfterMs = 8_000;

const stop = new AbortController();
for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, () => stop.abort());
// It outlives terminals.
process.on("SIGHUP", () => undefined);

// A supervisor that is killed would keep nothing for the next one.
flushCompileCache();
setTimeout(collectOnce, collectAfterMs).unref();
// No `await` at the top: its published form is CommonJS, which costs a resting process less than the loader of ES modules.
void runSupervisor({
  stateDir,
  name,
  uid,
  registryDir: registryDir === "" ? null : registryDir,
  temporaryDir: tmpdir(),
  clock: awakeClock(),
  stop: stop.signal,
}).then(() => {
  // Whatever may still hold the event loop: a supervisor without a task would seem to be one that is alive.
  process.exit(0);
});
