// Agents with one catalog, and who publishes it again and again as `update apply` does: read, sign, store, publish, assign, wake.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  ensureTrust,
  envelopeBytes,
  nextManifest,
  openStore,
  readCatalogContent,
  signingKeyOf,
  signManifest,
  verifyBundle,
} from "@moorage/bundle";
import { bareFloor } from "@moorage/core";
import { systemRandom } from "@moorage/keys";
import { awakeClock, openScope } from "@moorage/local";
import type { Place } from "../place.ts";
import { run } from "../run-process.ts";

const channel = { fleet: "bench", catalog: "catalog" };
const target = { wireVersion: 1, eventLogSchema: 1, crdApiVersion: "moorage.dev/v1alpha1" };

export interface Fleet {
  /** The folders in which each agent's delivery is on record, in the order of the instances' names. */
  readonly deliveries: readonly string[];
  /** Sockets of the agents' harnesses, in the same order. */
  readonly sockets: readonly string[];
  /** A prompt with this text, as somebody saves it. */
  edit(text: string): void;
  /** Publishes what was edited and wakes the agents; the digest of what was published. */
  publish(): string;
  close(): Promise<void>;
}

/** A fleet that runs. `command` is each agent's; a bundle is proven by one turn, without any time to live on. */
export async function openFleet(
  place: Place,
  count: number,
  command: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<Fleet> {
  const folder = place.folder();
  const state = join(place.folder(), "state");
  const catalog = join(folder, "catalog");
  mkdirSync(join(catalog, "prompts"), { recursive: true });
  const write = (text: string): void => writeFileSync(join(catalog, "prompts/system.md"), `${text}\n`);
  write("0");
  const documents = Array.from({ length: count }, (_, at) =>
    [
      "apiVersion: moorage.dev/v1alpha1",
      "kind: Agent",
      `metadata: { name: agent-${at} }`,
      `spec: { fleet: bench, run: { command: ${JSON.stringify(command)} }, env: ${JSON.stringify(env)}, catalog: { path: ./catalog, trial: { bake: none } } }`,
    ].join("\n"),
  );
  const file = join(folder, "agent.yaml");
  writeFileSync(file, `${documents.join("\n---\n")}\n`);
  await run([...place.moorage, "deploy", "--quiet", "--file", file, "--state", state], place);
  const scope = await openScope({
    stateDir: state,
    mode: "write",
    launchEnv: {},
    clock: awakeClock(),
    random: systemRandom,
  });
  const names = (await scope.facts()).map(({ name }) => name);
  const deliveries = names.map((name) => scope.deliveryFolder(name));
  const store = openStore(scope.bundlesFolder, { now: Date.now });
  const root = ensureTrust(scope.trustFolder);
  const key = signingKeyOf(scope.trustFolder);
  return {
    deliveries,
    sockets: names.map((name) => join(state, "instances", name, "current", "sock")),
    edit: write,
    publish() {
      const parent = store.head(channel);
      const rootVersion = parent === null ? 0 : (store.manifest(parent.digest)?.rootVersion ?? 0);
      const floor = parent === null ? bareFloor : { ...parent, rootVersion };
      const content = readCatalogContent(catalog);
      const manifest = nextManifest(content.catalog, {
        channel,
        parent,
        target,
        rootVersion: root.root.version,
        created: new Date().toISOString(),
        expires: null,
      });
      const { payload } = content;
      const options = { root, channel, accepted: new Set<string>(), running: null, now: Date.now(), payload };
      const envelope = envelopeBytes(signManifest(manifest, [key]));
      const verified = verifyBundle(envelope, { ...options, floor });
      if (verified.kind === "refused") throw new Error(verified.message);
      store.put(verified.bundle, payload);
      if (store.publish(verified.bundle).kind !== "published") throw new Error("somebody else publishes");
      store.assign(channel, verified.bundle.digest);
      scope.pokeAll(names);
      return verified.bundle.digest;
    },
    async close() {
      scope.close();
      await place.endAgents(state);
    },
  };
}
