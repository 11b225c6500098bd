/** What an image of ours says about itself: the last stage of its Dockerfile, as far as a build without any tool needs it. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

export interface DockerImage {
  readonly entrypoint: readonly string[];
  /** `NAME=value` each. */
  readonly env: readonly string[];
}

export function dockerImage(name: "agent-base" | "moorage"): DockerImage {
  const path = fileURLToPath(new URL(`../../../images/${name}/Dockerfile`, import.meta.url));
  const lines = readFileSync(path, "utf8").split("\n");
  const last = lines.slice(lines.findLastIndex((line) => line.startsWith("FROM ")));
  const words = (instruction: string): string[] =>
    last.filter((line) => line.startsWith(`${instruction} `)).map((line) => line.slice(instruction.length + 1));
  const [entrypoint = "[]"] = words("ENTRYPOINT");
  return { entrypoint: JSON.parse(entrypoint) as string[], env: words("ENV") };
}
