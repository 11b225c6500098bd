/** Where things of an instance lie, and the making and clearing away of the folders of its incarnations. */
import { mkdirSync, readdirSync, readlinkSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { probeLock } from "./lock.ts";

export interface InstancePaths {
  /** Everything of the instance's name, all incarnations of it. */
  readonly base: string;
  /** The agent's lasting folder. */
  readonly workspace: string;
  /** Its life with bundles, and the copies that it runs on: lasting as well. */
  readonly delivery: string;
  /** Of this incarnation alone. */
  readonly folder: string;
  readonly supervisorLock: string;
  readonly creatorLock: string;
  readonly stdout: string;
  readonly stderr: string;
  readonly socket: string;
  readonly facts: string;
  readonly logs: string;
  readonly catalog: string;
  /** What the supervisor itself has to say, which is nothing unless it is broken. */
  readonly supervisorLog: string;
}

/** Plain concatenation: the state directory is resolved, and `join` was a tenth of what a status of 200 agents costs. */
export function instancePaths(
  stateDir: string,
  instance: { readonly name: string; readonly folder: string },
): InstancePaths {
  const folder = `${stateDir}/${instance.folder}`;
  const base = instanceBase(stateDir, instance.name);
  return {
    base,
    workspace: `${base}/workspace`,
    delivery: deliveryFolder(stateDir, instance.name),
    folder,
    supervisorLock: `${folder}/supervisor.lock`,
    creatorLock: `${folder}/creator.lock`,
    stdout: `${folder}/stdout`,
    stderr: `${folder}/stderr`,
    socket: `${folder}/sock`,
    facts: `${folder}/facts`,
    logs: `${folder}/logs`,
    catalog: `${folder}/catalog`,
    supervisorLog: `${folder}/supervisor.log`,
  };
}

export function instanceBase(stateDir: string, name: string): string {
  return `${stateDir}/instances/${name}`;
}

export function deliveryFolder(stateDir: string, name: string): string {
  return `${instanceBase(stateDir, name)}/delivery`;
}

/** The store of the bundles of all channels. */
export function bundlesFolder(stateDir: string): string {
  return `${stateDir}/bundles`;
}

/** The key that signs here, and the root of what is trusted. */
export function trustFolder(stateDir: string): string {
  return `${stateDir}/trust`;
}

const incarnation = /^(\d+)-[0-9a-f]{6}$/;

/** The incarnations' folders, newest first, relative to the state directory. */
export function incarnationsOf(stateDir: string, name: string): string[] {
  return numbered(stateDir, name).map(({ entry }) => join("instances", name, entry));
}

/** The folders with the output of every run that is still there, newest first; of an agent whose instance is gone too. */
export function outputFolders(stateDir: string, name: string): string[] {
  return incarnationsOf(stateDir, name).map((folder) => join(stateDir, folder, "logs"));
}

/** Makes the folder of a new incarnation; returns it relative to the state directory. */
export function makeIncarnation(stateDir: string, name: string, uid: string): string {
  mkdirSync(instanceBase(stateDir, name), { recursive: true, mode: 0o700 });
  const entry = `${(numbered(stateDir, name)[0]?.number ?? 0) + 1}-${uid.slice(0, 6)}`;
  const folder = join("instances", name, entry);
  mkdirSync(join(stateDir, folder), { mode: 0o700 });
  mkdirSync(join(stateDir, folder, "logs"), { mode: 0o700 });
  return folder;
}

/** `current` leads to the folder of the incarnation that runs. */
export function linkCurrent(stateDir: string, name: string, folder: string): void {
  const link = join(instanceBase(stateDir, name), "current");
  const entry = folder.slice(folder.lastIndexOf("/") + 1);
  if (currentOf(link) === entry) return;
  rmSync(`${link}.${entry}`, { force: true });
  symlinkSync(entry, `${link}.${entry}`);
  renameSync(`${link}.${entry}`, link);
}

/** Removes all but the newest two incarnations; one that somebody still holds stays. */
export function clearOldIncarnations(stateDir: string, name: string): void {
  for (const folder of incarnationsOf(stateDir, name).slice(2)) {
    const { supervisorLock, creatorLock } = instancePaths(stateDir, { name, folder });
    if (probeLock(supervisorLock) !== "held" && probeLock(creatorLock) !== "held")
      rmSync(join(stateDir, folder), { recursive: true, force: true });
  }
}

function numbered(stateDir: string, name: string): { entry: string; number: number }[] {
  return entriesOf(instanceBase(stateDir, name))
    .flatMap((entry) => {
      const number = incarnation.exec(entry)?.[1];
      return number === undefined ? [] : [{ entry, number: Number(number) }];
    })
    .sort((a, b) => b.number - a.number);
}

function entriesOf(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}

function currentOf(link: string): string | null {
  try {
    return readlinkSync(link);
  } catch {
    return null;
  }
}
