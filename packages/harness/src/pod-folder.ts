/** The harness's own small folder in a container, for its socket and the live facts: wherever one may be written. */
import fs from "node:fs";
import { ensurePrivateDirectory, fitsSocketPath } from "./socket-path.ts";

export type PodFolder =
  | { readonly kind: "made"; readonly socketPath: string; readonly factsPath: string }
  /** `detail` names every place that was tried. */
  | { readonly kind: "none"; readonly detail: string };

/** In the first of these places that lets it be made for this user alone. */
export function makePodFolder(places: readonly string[], uid: number): PodFolder {
  const problems: string[] = [];
  for (const place of new Set(places)) {
    const directory = `${place}/.moorage-${uid}`;
    const made = { socketPath: `${directory}/socket`, factsPath: `${directory}/facts` };
    const problem = fitsSocketPath(made.socketPath)
      ? unusable(directory, uid)
      : "the path of a socket would be too long";
    if (problem === null) return { kind: "made", ...made };
    problems.push(`${place}: ${problem}`);
  }
  return { kind: "none", detail: problems.join("; ") };
}

function unusable(directory: string, uid: number): string | null {
  const problem = ensurePrivateDirectory(directory, uid);
  if (problem !== null) return problem;
  try {
    // What an earlier container left on a lasting workspace may lie on a disk that is read-only by now.
    fs.accessSync(directory, fs.constants.W_OK);
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
