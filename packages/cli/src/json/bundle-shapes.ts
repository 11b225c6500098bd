/** The shapes of what the commands about bundles, keys and releases print with `--json`. */
import * as z from "zod/mini";

const text = z.string();
const maybe = z.nullable(text);
const whole = z.int().check(z.nonnegative());
const channel = z.strictObject({ fleet: text, catalog: text });
const target = z.strictObject({ wireVersion: whole, eventLogSchema: whole, crdApiVersion: text });
const component = z.strictObject({
  path: text,
  kind: z.enum(["prompt", "persona", "route", "tool", "data"]),
  effect: z.enum(["turn", "start"]),
  size: whole,
  sha256: text,
});
const files = z.array(component);
const anything = z.unknown();

const leaf = z.discriminatedUnion("kind", [
  z.strictObject({
    kind: z.literal("lines"),
    before: whole,
    after: whole,
    removed: z.array(text),
    added: z.array(text),
  }),
  z.strictObject({ kind: z.literal("added"), path: text, after: anything }),
  z.strictObject({ kind: z.literal("removed"), path: text, before: anything }),
  z.strictObject({ kind: z.literal("changed"), path: text, before: anything, after: anything }),
  z.strictObject({ kind: z.literal("reordered"), path: text, before: z.array(text), after: z.array(text) }),
]);

const change = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("added"), after: component }),
  z.strictObject({ kind: z.literal("removed"), before: component }),
  z.strictObject({ kind: z.literal("moved"), before: component, after: component }),
  z.strictObject({
    kind: z.literal("changed"),
    before: component,
    after: component,
    leaves: z.nullable(z.array(leaf)),
  }),
]);

const side = z.strictObject({ name: text, digest: maybe, catalogHash: text });

const root = z.strictObject({ version: whole, threshold: whole, digest: text, expires: maybe });
const keys = {
  folder: text,
  root,
  keys: z.array(z.strictObject({ keyId: text, publicKey: text })),
  here: z.strictObject({ state: z.enum(["there", "lost", "unusable"]), keyId: maybe, fault: maybe }),
};

const release = z.strictObject({
  agent: text,
  buildId: text,
  target,
  publishedAt: text,
});

export type BundleResultKind =
  | "BundleBuild"
  | "BundleInfo"
  | "BundleList"
  | "BundleDiff"
  | "BundleSigned"
  | "BundleVerification"
  | "BundlesPublished"
  | "KeysList"
  | "KeysInit"
  | "ReleasePublished"
  | "ReleaseList";

/** What each kind holds beside `apiVersion` and `kind`. */
export const bundleFields: Readonly<Record<BundleResultKind, z.core.$ZodShape>> = {
  BundleBuild: {
    catalogs: z.array(
      z.strictObject({
        channel: z.nullable(channel),
        directory: text,
        target: z.nullable(target),
        catalogHash: text,
        bytes: whole,
        files,
        ignored: z.array(z.strictObject({ path: text, rule: text })),
        unmatched: z.array(z.strictObject({ file: text, glob: text })),
      }),
    ),
    output: z.nullable(z.strictObject({ file: text, sequence: whole, parent: maybe, digest: text })),
  },
  BundleInfo: {
    name: text,
    agent: maybe,
    digest: text,
    channel,
    sequence: whole,
    parent: maybe,
    target,
    catalogHash: text,
    created: text,
    expires: maybe,
    rootVersion: whole,
    bytes: whole,
    files,
    head: z.boolean(),
    assigned: z.boolean(),
    confirmed: z.boolean(),
  },
  BundleList: {
    channels: z.array(
      z.strictObject({
        channel,
        bundles: z.array(
          z.strictObject({
            sequence: whole,
            digest: text,
            catalogHash: maybe,
            created: maybe,
            head: z.boolean(),
            assigned: z.boolean(),
            confirmed: z.boolean(),
            usedBy: z.array(text),
            failedWith: z.array(text),
          }),
        ),
      }),
    ),
  },
  BundleDiff: { before: side, after: side, changes: z.array(change) },
  BundleSigned: { file: text, digest: text, keyId: text, signatures: whole, added: z.boolean() },
  BundleVerification: {
    name: text,
    verdict: z.enum(["verified", "refused"]),
    digest: maybe,
    channel: z.nullable(channel),
    sequence: z.nullable(whole),
    root: z.nullable(root),
    signers: z.array(text),
    checked: z.nullable(z.strictObject({ files: whole, bytes: whole })),
    reason: maybe,
    message: text,
    hint: maybe,
    expected: z.nullable(z.union([text, z.number()])),
    actual: z.nullable(z.union([text, z.number()])),
  },
  BundlesPublished: {
    bundles: z.array(
      z.strictObject({
        channel,
        outcome: z.enum(["published", "already", "worldMoved"]),
        sequence: z.nullable(whole),
        digest: maybe,
        catalogHash: maybe,
        running: whole,
        matching: whole,
      }),
    ),
  },
  KeysList: keys,
  KeysInit: { ...keys, outcome: z.enum(["made", "already", "replaced"]) },
  ReleasePublished: {
    fleets: z.array(
      z.strictObject({ fleet: text, agents: z.array(z.strictObject({ ...release.def.shape, moved: z.boolean() })) }),
    ),
  },
  ReleaseList: { fleets: z.array(z.strictObject({ fleet: text, agents: z.array(release) })) },
};
