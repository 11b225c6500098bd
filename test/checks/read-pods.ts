/** Reads the pods of a kubeconfig's cluster once, and prints what came of it and the name of everything that it loaded. */
import { registerHooks } from "node:module";

const loaded: string[] = [];
registerHooks({
  resolve(specifier, context, next) {
    loaded.push(specifier);
    return next(specifier, context);
  },
});

const { findAccess, openCluster } = await import("@moorage/kubernetes");
const { awakeClock } = await import("@moorage/harness");
const { systemRandom } = await import("@moorage/keys");

const access = findAccess({ env: { KUBECONFIG: process.argv[2] }, home: null }, { context: null, namespace: null });
const cluster = openCluster({ access, env: {}, clock: awakeClock(), random: systemRandom, now: () => Date.now() });
const { kind } = await cluster.inventory.readScope();
cluster.close();
process.stdout.write(JSON.stringify({ answer: kind, loaded }));
