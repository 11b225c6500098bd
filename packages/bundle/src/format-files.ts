/** The files behind the formats: `fingerprint.yaml` names them, the lock file keeps what they were. */
import { isUtf8 } from "node:buffer";
import { hash } from "node:crypto";
import fs from "node:fs";
import { join } from "node:path";
import { type Axis, axes, type RuntimeTarget } from "@moorage/core";
import { BundleError, type Flaw, fileFlaw, throwFlaws } from "./bundle-error.ts";
import { readDocument } from "./canonical-document.ts";
import { byPath } from "./catalog-hash.ts";
import { pathMistake } from "./catalog-path.ts";
import { catalogLimits, walkCatalog } from "./collect.ts";
import { DocumentFault, faultFlaw } from "./document.ts";
import {
  checkFormat,
  type Field,
  fail,
  fieldsOf,
  hexDigits,
  listOf,
  matching,
  oneOf,
  textOf,
  wholeNumber,
} from "./fields.ts";
import { FileReader } from "./file-content.ts";
import type { AxisLock, FormatContent, FormatLock, LockedFile } from "./format-lock.ts";
import { ignoreRules } from "./ignore-file.ts";
import { codeOf } from "./node-error.ts";
import { strictYaml } from "./strict-yaml.ts";
import { utf8Text } from "./text-file.ts";

export const formatSourcesName = "fingerprint.yaml";
export const formatLockName = "fingerprint.lock.json";

const lockFormat = "moorage.dev/fingerprint-lock/v1";
const most = 10_000;

/** Of each axis the files and folders behind it, relative to the file that says so. */
export type FormatSources = { readonly [A in Axis]?: readonly string[] };

/** Reads a `fingerprint.yaml`: of each axis a list of files and folders. Throws a `BundleError` with the place. */
export function parseFormatSources(source: string, file: string = formatSourcesName): FormatSources {
  try {
    const [node, second] = strictYaml(source);
    if (node === undefined || (node.kind === "value" && node.value === null)) return {};
    if (second !== undefined) fail({ node: second, steps: [] }, "wrongType", "is a second document");
    const fields = fieldsOf({ node, steps: [] }, [], axes);
    return Object.fromEntries(
      axes.flatMap((axis) => {
        const field = fields[axis];
        return field === undefined ? [] : [[axis, listOf(field, most).map(readPath)]];
      }),
    );
  } catch (error) {
    if (!(error instanceof DocumentFault)) throw error;
    const hint = `write of each axis a list of files: \`${axes[0]}: [proto/descriptors.binpb]\``;
    throw new BundleError("not valid", [{ ...faultFlaw(error, source, file), hint }]);
  }
}

/** What the sources hold now. Text counts with LF, however it was checked out. Throws a `BundleError`. */
export function readFormatContent(sources: FormatSources, folder: string): { readonly [A in Axis]: FormatContent } {
  const content = (axis: Axis): FormatContent => {
    const files = new Map<string, LockedFile>();
    for (const source of sources[axis] ?? [])
      for (const file of filesAt(join(folder, source), source)) files.set(file.path, file);
    return [...files.values()].sort(byPath);
  };
  return {
    wireVersion: content("wireVersion"),
    eventLogSchema: content("eventLogSchema"),
    crdApiVersion: content("crdApiVersion"),
  };
}

/** Throws a `BundleError` with the place of whatever is unknown, missing, repeated or wrong. */
export function parseFormatLock(bytes: Uint8Array, file: string = formatLockName): FormatLock {
  return readDocument(bytes, file, (root) => {
    checkFormat(root, lockFormat);
    const { format, axes: locked } = fieldsOf(root, ["format", "axes"]);
    oneOf(format, [lockFormat]);
    const fields = fieldsOf(locked, [], axes);
    return Object.fromEntries(
      axes.flatMap((axis) => {
        const field = fields[axis];
        return field === undefined ? [] : [[axis, readAxis(field, axis)]];
      }),
    );
  });
}

/** As it is committed: one value a line, in an order that makes short differences. */
export function formatLockText(lock: FormatLock): string {
  const ordered = Object.fromEntries(axes.flatMap((axis) => (lock[axis] === undefined ? [] : [[axis, lock[axis]]])));
  return `${JSON.stringify({ format: lockFormat, axes: ordered }, null, 2)}\n`;
}

function readAxis(field: Field, axis: Axis): AxisLock {
  const { version, files, accepted, earlier } = fieldsOf(field, ["version", "files", "accepted", "earlier"]);
  const versions = new Set([readVersion(version, axis)]);
  return {
    version: readVersion(version, axis),
    files: readContent(files),
    accepted: listOf(accepted, most).map(readContent),
    earlier: listOf(earlier, most).map((one) => {
      const fields = fieldsOf(one, ["version", "contents"]);
      const before = readVersion(fields.version, axis);
      // As it is left where two branches were merged by keeping both.
      if (versions.has(before)) fail(fields.version, "versionTwice", "is there twice");
      versions.add(before);
      return { version: before, contents: listOf(fields.contents, most).map(readContent) };
    }),
  };
}

function readVersion(field: Field, axis: Axis): RuntimeTarget[Axis] {
  return axis === "crdApiVersion"
    ? matching(field, /^[^/\s]+\/[^/\s]+$/, "group/version")
    : wholeNumber(field, 0, 2 ** 32 - 1);
}

function readContent(field: Field): FormatContent {
  let last = "";
  return listOf(field, most).map((item) => {
    const fields = fieldsOf(item, ["path", "sha256"]);
    const path = readPath(fields.path);
    if (path <= last) fail(fields.path, "notSorted", "is not sorted, or is there twice");
    last = path;
    return { path, sha256: hexDigits(fields.sha256) };
  });
}

function readPath(field: Field): string {
  const path = textOf(field);
  const mistake = pathMistake(path);
  return mistake === null ? path : fail(field, "pathInvalid", mistake);
}

function filesAt(place: string, path: string): LockedFile[] {
  try {
    return filesBelow(place, path);
  } catch (error) {
    const code = codeOf(error);
    if (error instanceof BundleError || code === null) throw error;
    throw flawed("unreadable", path, `cannot be read (${code})`, "see to its permissions");
  }
}

function filesBelow(place: string, path: string): LockedFile[] {
  const stat = fs.statSync(place, { throwIfNoEntry: false });
  if (stat === undefined) throw flawed("formatFileMissing", path, "is not there", `correct ${formatSourcesName}`);
  if (!stat.isDirectory()) return [lockedFile(fs.realpathSync(place), path)];
  const flaws: Flaw[] = [];
  const { files } = walkCatalog(fs.realpathSync(place), ignoreRules(null, flaws), catalogLimits, flaws);
  throwFlaws(path, flaws);
  return files.map((file) => lockedFile(file.real, `${path}/${file.path}`));
}

function lockedFile(real: string, path: string): LockedFile {
  const stat = fs.statSync(real);
  const reading = stat.isFile() ? new FileReader().read(real, stat.size, catalogLimits.bytes) : null;
  if (reading?.kind !== "read")
    throw flawed("unreadable", path, "is no file that can be read", "see to its permissions and its size");
  return { path, sha256: hash("sha256", withLineFeeds(reading.bytes), "hex") };
}

/** Whatever is text, by its content: schemas have many extensions. */
function withLineFeeds(bytes: Uint8Array): Uint8Array | string {
  if (!isUtf8(bytes) || bytes.includes(0)) return bytes;
  return utf8Text(bytes).replaceAll("\r\n", "\n");
}

function flawed(code: string, file: string, message: string, hint: string): BundleError {
  return new BundleError("the formats cannot be read", [fileFlaw(code, file, message, hint)]);
}
