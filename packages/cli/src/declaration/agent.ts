/** A declared agent in domain words: defaults filled in, durations in milliseconds, paths absolute. */
import { basename, resolve } from "node:path";
import type { RuntimeTarget } from "@moorage/core";
import { usualTrial } from "@moorage/core";
import { parseDuration } from "../text/duration.ts";
import type {
  AgentDocument,
  CatalogDocument,
  HealthDocument,
  KubernetesDocument,
  ValueSourceDocument,
} from "./document.ts";

export type ValueSource =
  | { readonly kind: "env"; readonly name: string }
  | { readonly kind: "file"; readonly path: string; readonly shown: string };

type DeclaredIdentity =
  | { readonly kind: "name" }
  | { readonly kind: "key"; readonly from: ValueSource; readonly as: string | null };

type DeclaredHealth =
  | { readonly kind: "none" }
  | { readonly kind: "socket" }
  | { readonly kind: "file"; readonly path: string; readonly maxAgeMs: number };

/** What a bundle on trial has to get through. */
interface DeclaredTrial {
  readonly turns: number;
  readonly bakeMs: number;
}

interface DeclaredCatalog {
  readonly path: string;
  readonly signal: string | null;
  /** Of its channel: agents of one fleet with the same folder share it. */
  readonly name: string;
  readonly trial: DeclaredTrial;
}

export interface DeclaredAgent {
  readonly name: string;
  readonly fleet: string;
  /** What is recorded as the declaration's path. */
  readonly source: string;
  /** The declaration's folder: the agent's working directory. */
  readonly directory: string;
  readonly identity: DeclaredIdentity;
  /** Program and arguments; empty when nothing is declared for this machine. */
  readonly command: readonly string[];
  /** On Kubernetes: what takes the place of the image's entrypoint, and of its arguments; empty: they stay. */
  readonly entrypoint: readonly string[];
  readonly args: readonly string[];
  readonly image: string | null;
  readonly harness: boolean;
  /** null: the default, which is the script that the command names. */
  readonly files: readonly string[] | null;
  readonly env: Readonly<Record<string, string>>;
  readonly secretEnv: ReadonlyMap<string, ValueSource>;
  readonly passEnv: readonly string[];
  readonly catalog: DeclaredCatalog | null;
  readonly fingerprint: RuntimeTarget;
  readonly drainMs: number;
  readonly graceMs: number;
  readonly idleMs: number | null;
  readonly revive: "never" | "onFailure";
  readonly health: DeclaredHealth;
  readonly kubernetes: DeclaredPod;
}

/** What a declaration says of the pod; what is absent takes its default. */
interface DeclaredPod extends Omit<KubernetesDocument, "activeDeadline"> {
  readonly activeDeadlineMs?: number;
}

export const defaultDrainMs = 30_000;
export const defaultGraceMs = 60_000;
const defaultMaxAgeMs = 60_000;

/** The formats of a build that declares none. */
export const defaultFormats: RuntimeTarget = {
  wireVersion: 1,
  eventLogSchema: 1,
  crdApiVersion: "moorage.dev/v1alpha1",
};

/** What stands for the agent when nothing but its name and command is known. */
export function undeclaredAgent(name: string, command: readonly string[], directory: string): DeclaredAgent {
  return {
    name,
    fleet: name,
    source: `${directory === "/" ? "" : directory}/`,
    directory,
    identity: { kind: "name" },
    command,
    image: null,
    harness: false,
    files: null,
    env: {},
    secretEnv: new Map(),
    passEnv: [],
    catalog: null,
    fingerprint: defaultFormats,
    drainMs: defaultDrainMs,
    graceMs: defaultGraceMs,
    idleMs: null,
    revive: "never",
    health: { kind: "none" },
    kubernetes: {},
    entrypoint: [],
    args: [],
  };
}

/** The agent of a document whose shape has been checked. */
export function agentOf(document: AgentDocument, source: string, directory: string): DeclaredAgent {
  const { metadata, spec } = document;
  const { run, identity } = spec;
  const base = undeclaredAgent(metadata.name, [...(run.command ?? []), ...(run.args ?? [])], directory);
  return {
    ...base,
    source,
    fleet: spec.fleet ?? base.fleet,
    identity:
      identity === undefined
        ? base.identity
        : { kind: "key", from: sourceOf(identity.keyFrom, directory), as: identity.as ?? null },
    command: run.command === undefined ? [] : base.command,
    image: run.image ?? null,
    harness: run.harness ?? false,
    files: run.files?.map((path) => resolve(directory, path)) ?? null,
    env: spec.env ?? {},
    secretEnv: new Map(
      Object.entries(spec.secretEnv ?? {}).map(([key, value]) => [key, sourceOf(value, directory)] as const),
    ),
    passEnv: spec.passEnv ?? [],
    catalog: catalogOf(spec.catalog, directory),
    fingerprint: {
      wireVersion: spec.fingerprint?.wireVersion ?? base.fingerprint.wireVersion,
      eventLogSchema: spec.fingerprint?.eventLogSchema ?? base.fingerprint.eventLogSchema,
      crdApiVersion: spec.fingerprint?.crdApiVersion ?? base.fingerprint.crdApiVersion,
    },
    drainMs: milliseconds(spec.drain, defaultDrainMs),
    graceMs: milliseconds(spec.grace, defaultGraceMs),
    idleMs: spec.idle === undefined || spec.idle === "never" ? null : milliseconds(spec.idle, 0),
    revive: spec.revive ?? "never",
    health: healthOf(spec.health, directory),
    kubernetes: podOf(spec.kubernetes),
    entrypoint: run.command ?? [],
    args: run.args ?? [],
  };
}

function podOf({ activeDeadline, ...pod }: KubernetesDocument = {}): DeclaredPod {
  return activeDeadline === undefined ? pod : { ...pod, activeDeadlineMs: milliseconds(activeDeadline, 0) };
}

/** Milliseconds of a duration that has been checked, or the default. */
export function milliseconds(text: string | undefined, otherwise: number): number {
  if (text === undefined) return otherwise;
  const parsed = parseDuration(text);
  return parsed.kind === "duration" ? parsed.ms : otherwise;
}

function sourceOf(source: ValueSourceDocument, directory: string): ValueSource {
  return source.env === undefined
    ? { kind: "file", path: resolve(directory, source.file ?? ""), shown: source.file ?? "" }
    : { kind: "env", name: source.env };
}

function catalogOf(catalog: AgentDocument["spec"]["catalog"], directory: string): DeclaredAgent["catalog"] {
  if (catalog === undefined) return null;
  const { path, signal, name, trial }: CatalogDocument = typeof catalog === "string" ? { path: catalog } : catalog;
  return {
    path: resolve(directory, path),
    signal: signal ?? null,
    name: name ?? defaultCatalogName(path, directory),
    trial: {
      turns: trial?.turns ?? usualTrial.turns,
      bakeMs: trial?.bake === "none" ? 0 : milliseconds(trial?.bake, usualTrial.bakeMs),
    },
  };
}

/** The base name of the folder, which may be none that a channel can have. */
export function defaultCatalogName(path: string, directory: string): string {
  return basename(resolve(directory, path));
}

function healthOf(health: "none" | HealthDocument | undefined, directory: string): DeclaredHealth {
  if (health === undefined || health === "none") return { kind: "none" };
  if (health.file === undefined) return { kind: "socket" };
  return {
    kind: "file",
    path: resolve(directory, health.file),
    maxAgeMs: milliseconds(health.maxAge, defaultMaxAgeMs),
  };
}
