/** One state directory as its callers see it: the ports of core over it, and what people want to know and do beside them. */
import type { BindingProfile, Clock, Documents, Inventory, Random, Substrate } from "@moorage/core";
import type { Deliveries } from "./deliveries.ts";
import type { InstanceFacts } from "./facts.ts";
import type { LocalJournal } from "./journal.ts";
import type { Mount } from "./mount.ts";

export interface ScopeOptions {
  /** Absolute path. */
  readonly stateDir: string;
  /** `read` creates and changes nothing: a state directory that is not there reads as an empty scope. */
  readonly mode: "read" | "write";
  /** What an agent inherits, by `launchEnvironment`; by the instance's name where agents differ (`keep` hands recorded ones back). */
  readonly launchEnv: Readonly<Record<string, string>> | ((name: string) => Readonly<Record<string, string>>);
  readonly clock: Clock;
  readonly random: Random;
  /** Default: Moorage's own. */
  readonly profile?: BindingProfile;
  /** The command line that boots a supervisor; its arguments are appended. Default: this Node and `supervisor.ts` beside this package. */
  readonly supervisor?: readonly [string, ...string[]];
  /** Whether each supervisor is put into a transient systemd scope of its own where the user has a manager. Default false. */
  readonly systemdScope?: boolean;
  /** Where this user's live key identities are registered across state directories; null: nowhere. Default: below the home folder. */
  readonly registryDir?: string | null;
  /** For tests: where the user's systemd manager is. Default: below `/run/user`. */
  readonly runtimeDir?: string;
  /** For tests: the mount that a path is on. */
  readonly mountOf?: (path: string) => Mount | null;
}

export interface Scope extends Deliveries {
  readonly stateDir: string;
  readonly mode: "read" | "write";
  readonly substrate: Substrate;
  readonly inventory: Inventory;
  readonly journal: LocalJournal;
  readonly documents: Documents;
  /** The store of bundles, and what signs and verifies them; neither needs to be there. */
  readonly bundlesFolder: string;
  readonly trustFolder: string;
  /** What people want to know of the instances with these names, or of all; in the order of their names. */
  facts(names?: readonly string[]): Promise<readonly InstanceFacts[]>;
  /** Shortens the grace of a stop, asked for before or after it, in milliseconds from the stop's begin (`stop --now`). */
  setStopGrace(name: string, graceMs: number): Promise<"set" | "notFound">;
  /** Removes an ended agent's folder with its workspace, its logs and what it lived through with bundles. `stillThere`: its instance exists, stop it first. */
  purge(name: string): Promise<"purged" | "nothing" | "stillThere">;
  /** Times (milliseconds since 1970) of the revives of the last day, oldest first. */
  revives(name: string): Promise<readonly number[]>;
  /** Unless one is on record since then: of several who revive the same end, one counts. */
  recordRevive(name: string, at: number, since: number): Promise<void>;
  /** Resolves at the next change of any instance, after `ms` milliseconds, or when the signal aborts. */
  changed(ms: number, signal?: AbortSignal): Promise<void>;
  /** Resolves when what this process alone can do is done: creates until their supervisor has taken over, the ends of lost runs. */
  settled(): Promise<void>;
  /** Closes the database and the watch; to be called once `settled`. Marks go on to count as long as a supervisor lives. */
  close(): void;
}
