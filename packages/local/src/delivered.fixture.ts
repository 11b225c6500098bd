/** A channel with a publisher for tests, and agents that a channel delivers to. */
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { PublishedHead } from "@moorage/bundle";
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
import type { ProcessTemplate } from "@moorage/core";
import { moorageProfile } from "@moorage/core";
import type { Place, TestAgent } from "./scope.fixture.ts";
import { testAgent } from "./scope.fixture.ts";
import type { Scope } from "./scope.ts";

const channel = { fleet: "writers", catalog: "main" } as const;
const target = { wireVersion: 1, eventLogSchema: 1, crdApiVersion: "moorage.dev/v1alpha1" } as const;

export interface Publisher {
  /** Digest of the root that instances pin. */
  readonly trustRoot: string;
  /** Builds, signs and publishes these files as the channel's next bundle. */
  publish(files: Readonly<Record<string, string>>): PublishedHead & { readonly catalogHash: string };
  /** The same, for the whole fleet; whoever runs is poked. */
  assign(files: Readonly<Record<string, string>>): Promise<PublishedHead & { readonly catalogHash: string }>;
}

export function publisherFor(place: Place, scope: Scope): Publisher {
  const root = ensureTrust(scope.trustFolder);
  const key = signingKeyOf(scope.trustFolder);
  const store = openStore(scope.bundlesFolder, { now: Date.now });

  function publish(files: Readonly<Record<string, string>>): PublishedHead & { readonly catalogHash: string } {
    const directory = mkdtempSync(join(place.directory, "catalog-"));
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(directory, path)), { recursive: true });
      writeFileSync(join(directory, path), text);
    }
    const content = readCatalogContent(directory);
    const head = store.head(channel);
    const manifest = nextManifest(content.catalog, {
      channel,
      parent: head,
      target,
      created: new Date().toISOString(),
      expires: null,
      rootVersion: root.root.version,
    });
    const envelope = envelopeBytes(signManifest(manifest, [key]));
    const payload = content.payload;
    const verdict = verifyBundle(envelope, {
      root,
      channel,
      floor: store.floor(channel),
      accepted: new Set(),
      running: null,
      now: Date.now(),
      payload,
    });
    if (verdict.kind === "refused") throw new Error(verdict.message);
    store.put(verdict.bundle, payload);
    const published = store.publish(verdict.bundle);
    if (published.kind !== "published") throw new Error(published.kind);
    return { ...published.head, catalogHash: manifest.catalogHash };
  }

  return {
    trustRoot: root.digest,
    publish,
    async assign(files) {
      const head = publish(files);
      store.assign(channel, head.digest);
      scope.pokeAll((await scope.facts()).map(({ name }) => name));
      return head;
    },
  };
}

/** An agent of the channel; its folder of the catalog is never looked at. */
export function channelAgent(
  publisher: Publisher,
  name: string,
  command: readonly [string, ...string[]],
  template: Partial<ProcessTemplate> = {},
): TestAgent {
  const agent = testAgent(name, command, {
    fingerprint: target,
    catalog: { path: "/nowhere", signal: null, trial: { turns: 1, bakeMs: 300 } },
    ...template,
  });
  const key = (part: string): string => `${moorageProfile.domain}/${part}`;
  const marks = {
    [key("fleet")]: channel.fleet,
    [key("catalog")]: channel.catalog,
    [key("trust-root")]: publisher.trustRoot,
    [key("catalog-floor")]: "0",
  };
  return { ...agent, spec: { ...agent.spec, annotations: { ...agent.spec.annotations, ...marks } } };
}
