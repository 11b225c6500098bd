/** The objects of one scope in memory: unique names, UIDs, one monotonic version, preconditions, marks, finalizers, a log of changes. */
import type {
  Attempt,
  Evidence,
  Fence,
  InstanceSpec,
  Marks,
  ObservedInstance,
  ObservedSecret,
  SecretSpec,
} from "@moorage/core";
import { attemptOfSecret, markedIdentity, moorageProfile } from "@moorage/core";

export type Change =
  | { readonly kind: "changed"; readonly version: number; readonly instance: ObservedInstance; readonly at: number }
  | { readonly kind: "removed"; readonly version: number; readonly instance: ObservedInstance; readonly at: number };

export interface StoreOptions {
  /** Milliseconds of the substrate's own time, on no particular clock. */
  readonly now: () => number;
  /** Milliseconds since 1970 at which `now` was 0. */
  readonly epoch: number;
  readonly scopeExists: boolean;
}

export type Created =
  | { readonly kind: "created"; readonly fence: Fence }
  | { readonly kind: "alreadyExists" | "scopeMissing" };
export type Deleted = "accepted" | "notFound" | "conflict";

const labelKey = `${moorageProfile.domain}/${moorageProfile.identityLabel}`;
const untouched: Evidence = {
  container: { state: "absent", cause: { code: "unscheduled", message: "it waits for a place to run" } },
  phase: "pending",
  nodeLost: null,
};

/** The label by which lists select. */
export function selectorOf(marks: Marks): string | undefined {
  return marks.labels[labelKey];
}

export class MemoryStore {
  readonly #options: StoreOptions;
  readonly #instances = new Map<string, ObservedInstance>();
  readonly #secrets = new Map<string, ObservedSecret>();
  readonly #values = new Map<string, ReadonlyMap<string, string>>();
  readonly #specs = new Map<string, InstanceSpec>();
  readonly #finalizers = new Map<string, readonly string[]>();
  readonly #listeners = new Set<(change: Change) => void>();
  #log: Change[] = [];
  #version = 100;
  #compacted = 0;
  #uids = 0;
  #clockStep = 0;
  scopeExists: boolean;
  /** False: answers carry no time of the server's. */
  tellsTime = true;

  constructor(options: StoreOptions) {
    this.#options = options;
    this.scopeExists = options.scopeExists;
  }

  get version(): number {
    return this.#version;
  }

  /** Milliseconds since 1970 by the server's clock. */
  time(): number {
    return this.#options.epoch + this.#options.now() + this.#clockStep;
  }

  stepClock(ms: number): void {
    this.#clockStep += ms;
  }

  /** Called with every change, in order, at the moment of the change. */
  listen(listener: (change: Change) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  instance(name: string): ObservedInstance | undefined {
    return this.#instances.get(name);
  }

  byUid(uid: string): ObservedInstance | undefined {
    for (const instance of this.#instances.values()) if (instance.fence.uid === uid) return instance;
    return undefined;
  }

  spec(uid: string): InstanceSpec | undefined {
    return this.#specs.get(uid);
  }

  secret(name: string): ObservedSecret | undefined {
    return this.#secrets.get(name);
  }

  secretValues(name: string): ReadonlyMap<string, string> | undefined {
    return this.#values.get(name);
  }

  /** Most recent: everything that carries the label value; everything at all without one. */
  instances(selector?: string): ObservedInstance[] {
    const all = [...this.#instances.values()];
    return selector === undefined ? all : all.filter((instance) => selectorOf(instance) === selector);
  }

  secrets(selector?: string): ObservedSecret[] {
    const all = [...this.#secrets.values()];
    return selector === undefined ? all : all.filter((secret) => selectorOf(secret) === selector);
  }

  createSecret(spec: SecretSpec): Created {
    if (!this.scopeExists) return { kind: "scopeMissing" };
    if (this.#secrets.has(spec.name)) return { kind: "alreadyExists" };
    const fence = this.#fence();
    const { name, labels, annotations } = spec;
    this.#secrets.set(name, { name, labels, annotations, fence, createdAt: this.time() });
    this.#values.set(name, spec.data);
    return { kind: "created", fence };
  }

  createInstance(spec: InstanceSpec): Created {
    const { name, labels, annotations } = spec;
    const created = this.plant({ name, labels, annotations, attempt: attemptOf(spec), evidence: untouched });
    if (created.kind === "created") this.#specs.set(created.fence.uid, spec);
    return created;
  }

  /** An object with this evidence, made by anybody. */
  plant(object: Pick<ObservedInstance, "name" | "labels" | "annotations" | "attempt" | "evidence">): Created {
    if (!this.scopeExists) return { kind: "scopeMissing" };
    if (this.#instances.has(object.name)) return { kind: "alreadyExists" };
    const fence = this.#fence();
    const { name, labels, annotations, attempt, evidence } = object;
    this.#put({ name, labels, annotations, attempt, evidence, fence, deletion: null, startedAt: null });
    return { kind: "created", fence };
  }

  /** Marks for deletion under its preconditions; only `finish` and `remove` take the object away. */
  markInstance(name: string, fence: Fence): Deleted {
    const instance = this.#instances.get(name);
    if (instance === undefined) return "notFound";
    if (!sameFence(instance.fence, fence)) return "conflict";
    if (instance.deletion === null) {
      const finalizers = this.#finalizers.get(instance.fence.uid) ?? [];
      this.update(name, { deletion: { since: this.stamp(), finalizers } });
    }
    return "accepted";
  }

  /** Sets who must let go before a marked object may disappear. */
  setFinalizers(name: string, finalizers: readonly string[]): void {
    const instance = this.#instances.get(name);
    if (instance === undefined) return;
    this.#finalizers.set(instance.fence.uid, finalizers);
    if (instance.deletion !== null) this.update(name, { deletion: { ...instance.deletion, finalizers } });
  }

  deleteSecret(name: string, fence: Fence): Deleted {
    const secret = this.#secrets.get(name);
    if (secret === undefined) return "notFound";
    if (!sameFence(secret.fence, fence)) return "conflict";
    this.removeSecret(name);
    return "accepted";
  }

  removeSecret(name: string): void {
    this.#version += 1;
    this.#secrets.delete(name);
    this.#values.delete(name);
  }

  /** A new version of the object; nothing but the given fields changes. */
  update(name: string, fields: Partial<Pick<ObservedInstance, "evidence" | "deletion" | "startedAt">>): void {
    const instance = this.#instances.get(name);
    if (instance === undefined) return;
    this.#version += 1;
    const fence = { uid: instance.fence.uid, resourceVersion: String(this.#version) };
    this.#put({ ...instance, ...fields, fence });
  }

  /** Removes a marked object that no finalizer holds. */
  finish(name: string): boolean {
    const instance = this.#instances.get(name);
    if (instance === undefined || instance.deletion === null || instance.deletion.finalizers.length > 0) return false;
    this.remove(name);
    return true;
  }

  /** Removes the object at once, whatever still runs. */
  remove(name: string): void {
    const instance = this.#instances.get(name);
    if (instance === undefined) return;
    this.#version += 1;
    this.#instances.delete(name);
    this.#finalizers.delete(instance.fence.uid);
    this.#tell({ kind: "removed", version: this.#version, instance, at: this.#options.now() });
  }

  /** Changes after that version, or undefined when they were compacted away (410). */
  changesAfter(version: number, selector: string): Change[] | undefined {
    if (version < this.#compacted) return undefined;
    return this.#log.filter((change) => change.version > version && selectorOf(change.instance) === selector);
  }

  compact(): void {
    this.#compacted = this.#version;
    this.#log = [];
  }

  /** The server's time in ISO 8601. */
  stamp(): string {
    return new Date(this.time()).toISOString();
  }

  #fence(): Fence {
    this.#version += 1;
    this.#uids += 1;
    return { uid: `u${this.#uids}`, resourceVersion: String(this.#version) };
  }

  #put(instance: ObservedInstance): void {
    this.#instances.set(instance.name, instance);
    this.#tell({ kind: "changed", version: this.#version, instance, at: this.#options.now() });
  }

  #tell(change: Change): void {
    this.#log.push(change);
    for (const listener of this.#listeners) listener(change);
  }
}

function sameFence(a: Fence, b: Fence): boolean {
  return a.uid === b.uid && a.resourceVersion === b.resourceVersion;
}

function attemptOf(spec: InstanceSpec): Attempt | null {
  const identity = markedIdentity(spec, moorageProfile);
  if (identity === undefined) return null;
  return attemptOfSecret(moorageProfile, identity, spec.secret) ?? null;
}
