/** The digests behind each declared version: content that moves without its version is told, by file, with what to do. */
import { type Axis, axes, axisWords, type RuntimeTarget } from "@moorage/core";

export interface LockedFile {
  /** Below the folder of the lock file, with "/" between its parts. */
  readonly path: string;
  /** 64 hex digits. */
  readonly sha256: string;
}

/** Sorted by path, in UTF-16 code units. */
export type FormatContent = readonly LockedFile[];

/** What lies behind one axis, by its number. */
export interface AxisLock {
  readonly version: RuntimeTarget[Axis];
  readonly files: FormatContent;
  /** Contents that were locked under the same version before: a person's word is that each is compatible, both ways. */
  readonly accepted: readonly FormatContent[];
  /** Every content under every version before. */
  readonly earlier: readonly { readonly version: RuntimeTarget[Axis]; readonly contents: readonly FormatContent[] }[];
}

export type FormatLock = { readonly [A in Axis]?: AxisLock };

/** What is declared now: the version, and the files behind it. An axis without files has nothing to be compared. */
export type DeclaredFormats = {
  readonly [A in Axis]: { readonly version: RuntimeTarget[Axis]; readonly files: FormatContent };
};

export interface LockFinding {
  readonly kind: /** Nothing is locked for the axis so far. */
    | "notLocked"
    /** Content moved, and its version did not. */
    | "contentMoved"
    /** The version moved: the lock does not know what is behind it. */
    | "versionMoved"
    /** The version is one that stood for other content before. */
    | "versionReused";
  readonly axis: Axis;
  readonly files: readonly FileMove[];
  readonly message: string;
  readonly hint: string;
}

export interface FileMove {
  readonly path: string;
  readonly change: "changed" | "added" | "removed";
}

/** Empty: the lock says what is. In the order of the axes. */
export function checkLock(declared: DeclaredFormats, lock: FormatLock): LockFinding[] {
  return axes.flatMap((axis) => {
    const { version, files } = declared[axis];
    const locked = lock[axis];
    if (locked === undefined) return files.length === 0 ? [] : [notLocked(axis)];
    if (locked.version !== version) return [versionMoved(axis, version, files, locked)];
    const moves = movesBetween(locked.files, files);
    return moves.length === 0 ? [] : [contentMoved(axis, version, moves)];
  });
}

export type LockUpdate =
  | { readonly kind: "updated"; readonly lock: FormatLock }
  /** It already says what is. */
  | { readonly kind: "unchanged" }
  /** These need a new version, or a person's word. */
  | { readonly kind: "refused"; readonly findings: readonly LockFinding[] };

/**
 * The lock as it is declared now. `acceptCompatible` is a person's word that content which moved under its version is
 * compatible with every content that was ever locked under it, both ways; all of them are kept.
 */
export function updateLock(declared: DeclaredFormats, lock: FormatLock, acceptCompatible: boolean): LockUpdate {
  const findings = checkLock(declared, lock);
  const refused = findings.filter(
    ({ kind }) => kind === "versionReused" || (kind === "contentMoved" && !acceptCompatible),
  );
  if (refused.length > 0) return { kind: "refused", findings: refused };
  if (findings.length === 0) return { kind: "unchanged" };
  const next: { [A in Axis]?: AxisLock } = { ...lock };
  for (const { axis } of findings) next[axis] = lockAxis(declared[axis], lock[axis]);
  return { kind: "updated", lock: next };
}

function lockAxis({ version, files }: DeclaredFormats[Axis], locked: AxisLock | undefined): AxisLock {
  if (locked === undefined) return { version, files, accepted: [], earlier: [] };
  if (locked.version === version) return { ...locked, files, accepted: [...locked.accepted, locked.files] };
  const contents = [...locked.accepted, locked.files];
  const earlier = [...locked.earlier, { version: locked.version, contents }];
  const back = earlier.find((one) => one.version === version);
  return {
    version,
    files,
    accepted: back?.contents.filter((content) => movesBetween(content, files).length > 0) ?? [],
    earlier: earlier.filter((one) => one !== back),
  };
}

/** What changed from one content to the other, by path. */
function movesBetween(before: FormatContent, after: FormatContent): FileMove[] {
  const old = new Map(before.map(({ path, sha256 }) => [path, sha256]));
  const moves: FileMove[] = [];
  for (const { path, sha256 } of after) {
    const digest = old.get(path);
    if (digest === undefined) moves.push({ path, change: "added" });
    else if (digest !== sha256) moves.push({ path, change: "changed" });
    old.delete(path);
  }
  for (const path of old.keys()) moves.push({ path, change: "removed" });
  return moves.sort((one, other) => (one.path < other.path ? -1 : 1));
}

function notLocked(axis: Axis): LockFinding {
  return {
    kind: "notLocked",
    axis,
    files: [],
    message: `nothing is locked for the ${axisWords[axis]}`,
    hint: "run `moorage fingerprint`, and commit fingerprint.lock.json",
  };
}

function contentMoved(axis: Axis, version: RuntimeTarget[Axis], files: readonly FileMove[]): LockFinding {
  return {
    kind: "contentMoved",
    axis,
    files,
    message: `what is behind the ${axisWords[axis]} ${version} moved, and the version did not: ${movesText(files)}`,
    hint:
      `declare another ${axis}; or, if builds with either content can read each other's data, both ways, say so: ` +
      "`moorage fingerprint --accept compatible`",
  };
}

function versionMoved(axis: Axis, version: RuntimeTarget[Axis], files: FormatContent, locked: AxisLock): LockFinding {
  const contents = locked.earlier.find((one) => one.version === version)?.contents;
  const last = contents?.at(-1);
  if (contents === undefined || last === undefined || contents.some((one) => movesBetween(one, files).length === 0))
    return {
      kind: "versionMoved",
      axis,
      files: movesBetween(locked.files, files),
      message: `the ${axisWords[axis]} is ${version} now, and ${locked.version} is locked`,
      hint: "run `moorage fingerprint`, and commit fingerprint.lock.json",
    };
  const moves = movesBetween(last, files);
  return {
    kind: "versionReused",
    axis,
    files: moves,
    message: `the ${axisWords[axis]} ${version} stood for other content before: ${movesText(moves)}`,
    hint: `declare a number that was never used: builds of the earlier ${axis} may still run`,
  };
}

function movesText(moves: readonly FileMove[]): string {
  const shown = moves.slice(0, 5).map(({ path, change }) => `${path} (${change})`);
  return moves.length > shown.length ? `${shown.join(", ")} and ${moves.length - shown.length} more` : shown.join(", ");
}
