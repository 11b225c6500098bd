/** Which bundle a word on the command line means: what an agent has in use, one that is published, one in a file, or a folder. */
import { statSync } from "node:fs";
import { basename, resolve } from "node:path";
import type { BundleFile, BundleStore, CatalogContent, DiffSide, Manifest } from "@moorage/bundle";
import { greatestSequence, manifestDigest, readBundleFile, readCatalogContent } from "@moorage/bundle";
import type { Channel } from "@moorage/core";
import type { Invocation } from "../args/command-spec.ts";
import { CliError, usageError } from "../errors/cli-error.ts";
import { guarded } from "../fingerprint/formats.ts";
import type { Host } from "../host.ts";
import type { MachineScope } from "../scope/agent-scope.ts";
import { declaredAgents } from "../selection.ts";
import type { Session } from "../session.ts";
import { knownAgents } from "../session.ts";
import { didYouMean } from "../text/did-you-mean.ts";
import { catalogLines, channelText, storeOf } from "../update/catalog-line.ts";

/** A bundle in the store; its manifest is not verified. */
export interface StoredReference {
  readonly kind: "stored";
  /** Whose it is in use; null: it was named by sequence or digest. */
  readonly agent: string | null;
  readonly digest: string;
  readonly manifest: Manifest;
}

export interface FileReference {
  readonly kind: "file";
  readonly path: string;
  readonly digest: string;
  readonly manifest: Manifest;
  readonly file: BundleFile;
}

interface FolderReference {
  readonly kind: "folder";
  readonly path: string;
  readonly content: CatalogContent;
}

export type BundleReference = StoredReference | FileReference | FolderReference;

export interface Looking {
  readonly invocation: Invocation;
  readonly host: Host;
  readonly session: Session;
  readonly machine: MachineScope;
}

const digestForm = /^sha256:[0-9a-f]{64}$/;
const placeForm = /^([a-z0-9][a-z0-9.-]*)\/([a-z0-9][a-z0-9.-]*)@(\d{1,10})$/;

/** Throws `noSuchBundle` (exit 4) for what is none, `bundleFileInvalid` and `catalogInvalid` for what is a damaged one. */
export async function findBundle(word: string, looking: Looking): Promise<BundleReference> {
  const { machine, host } = looking;
  const store = storeOf(machine);
  if (/^\d+$/.test(word)) return atSequence(await declaredChannel(word, looking), Number(word), store);
  const [, fleet = "", catalog = "", sequence] = placeForm.exec(word) ?? [];
  if (sequence !== undefined) return atSequence({ fleet, catalog }, Number(sequence), store);
  if (word.startsWith("sha256:")) return atDigest(word, store);
  const path = resolve(host.cwd, word);
  if (/[/\\]/.test(word) || word.startsWith(".")) return atPath(path);
  const ofAgent = await inUseBy(word, looking, store);
  return ofAgent ?? atPath(path);
}

/** Calls with what a difference is made of. */
export function withSide<T>(reference: BundleReference, store: BundleStore, use: (side: DiffSide) => T): T {
  switch (reference.kind) {
    case "folder": {
      const { catalog, payload } = reference.content;
      return use({ components: catalog.components, payload });
    }
    case "file":
      return use({ components: reference.manifest.components, payload: reference.file.payload });
    case "stored": {
      const { manifest } = reference;
      return store.withPayload(reference, (payload) =>
        use({ components: manifest.components, payload: payload ?? (() => null) }),
      );
    }
    default:
      return reference satisfies never;
  }
}

/** How it is called in front of people. */
export function referenceName(reference: BundleReference): string {
  switch (reference.kind) {
    case "folder":
      return reference.path;
    case "file":
      return basename(reference.path);
    case "stored": {
      const { agent, manifest } = reference;
      const place = `${channelText(manifest.channel)}@${manifest.sequence}`;
      return agent === null ? place : `${agent} (${place})`;
    }
    default:
      return reference satisfies never;
  }
}

async function declaredChannel(word: string, { invocation, host }: Looking): Promise<Channel> {
  const lines = catalogLines(await declaredAgents(invocation, host.cwd));
  const [line, ...others] = lines;
  if (line !== undefined && others.length === 0) return line.channel;
  const known = lines.map(({ channel }) => `${channelText(channel)}@${word}`);
  if (line === undefined)
    throw usageError(
      `no declared agent has a catalog, so ${word} is a bundle of no channel`,
      "write FLEET/CATALOG@SEQUENCE",
    );
  throw usageError(`${word} is a bundle of several channels`, `write one of: ${known.join(", ")}`);
}

function atSequence(channel: Channel, sequence: number, store: BundleStore): StoredReference {
  const history = store.history(channel);
  const found = history.find((head) => head.sequence === sequence);
  const [newest] = history;
  if (found === undefined || sequence > greatestSequence)
    throw new CliError({
      code: "noSuchBundle",
      message: `there is no bundle ${sequence} in ${channelText(channel)}`,
      hint:
        newest === undefined
          ? "nothing is published in it yet: `moorage bundle publish`, or `moorage deploy`, publishes its folder"
          : `the newest one is ${newest.sequence}`,
    });
  return stored(found.digest, null, store);
}

function atDigest(digest: string, store: BundleStore): StoredReference {
  if (!digestForm.test(digest))
    throw usageError(`${JSON.stringify(digest)} is no digest of a bundle`, "write sha256: and all 64 hex digits of it");
  return stored(digest, null, store);
}

function stored(digest: string, agent: string | null, store: BundleStore): StoredReference {
  const manifest = store.manifest(digest);
  if (manifest !== null) return { kind: "stored", agent, digest, manifest };
  throw new CliError({
    code: "noSuchBundle",
    message: `the bundle ${digest} is not in the store of this machine`,
    hint: "if it was, it is lost: publish its catalog again",
  });
}

function atPath(path: string): FileReference | FolderReference {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true)
    return { kind: "folder", path, content: guarded(() => readCatalogContent(path), "catalogInvalid") };
  const file = readBundleFile(path);
  return { kind: "file", path, digest: manifestDigest(file.envelope.payload), manifest: file.manifest, file };
}

/** Null when no agent of that name is here, and a file or a folder of that name is. */
async function inUseBy(name: string, { session, host }: Looking, store: BundleStore): Promise<StoredReference | null> {
  const known = await knownAgents(session.scope);
  const found = known.find(({ agent, observed }) => agent === name || observed.name === name);
  if (found === undefined) {
    if (statSync(resolve(host.cwd, name), { throwIfNoEntry: false }) !== undefined) return null;
    const meant = didYouMean(
      name,
      known.map(({ agent }) => agent),
    );
    throw new CliError({
      code: "noSuchBundle",
      message: `${JSON.stringify(name)} is no agent that is here, no bundle, and no file`,
      hint: meant === undefined ? "name an agent, a sequence, a digest or a file" : `did you mean ${meant}?`,
    });
  }
  const [facts] = await session.scope.facts([found.observed.name]);
  const used = facts?.process?.delivery?.inUse ?? null;
  if (used !== null) return stored(used.digest, found.agent, store);
  throw new CliError({
    code: "noBundleInUse",
    message: `${found.agent} has no bundle in use`,
    hint: "it has none when no catalog is declared for it, or when it was started before bundles were delivered to it",
  });
}
