/** The image of an agent with the harness as its entrypoint: what images/agent-base makes, built without any tool for images. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { bundleHarness } from "../../../scripts/bundle.ts";
import { dockerImage } from "./dockerfile.ts";
import type { Layout } from "./layout.ts";
import { registry } from "./layout.ts";
import type { ImageSpec } from "./oci-image.ts";
import { pushImage } from "./oci-image.ts";
import { run } from "./run.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const agentSource = fileURLToPath(new URL("../agent-in-image.ts", import.meta.url));

/** Its pinned reference. What the registry has already is not sent again. */
export async function pushHarnessImage(layout: Layout): Promise<string> {
  const directory = mkdtempSync(join(tmpdir(), "image-"));
  try {
    const [harness, agent] = [join(directory, "harness.cjs"), join(directory, "agent.mjs")];
    await bundleHarness(root, harness);
    await build({ entryPoints: [agentSource], outfile: agent, bundle: true, format: "esm", platform: "node" });
    const files = [
      { path: "moorage/harness.cjs", content: readFileSync(harness), mode: 0o644 },
      { path: "agent/agent.mjs", content: readFileSync(agent), mode: 0o644 },
      { path: "agent/catalog/greeting.txt", content: Buffer.from("ahoy"), mode: 0o644 },
    ];
    const { entrypoint, env } = dockerImage("agent-base");
    const image: ImageSpec = {
      base: nodeFiles(),
      files,
      entrypoint,
      env: [...nodeEnv, ...env, "MOORAGE_CATALOG=/agent/catalog"],
    };
    const digest = await pushImage(`127.0.0.1:${layout.registryPort}`, "harness", "1", image);
    return `${registry(layout)}/harness@${digest}`;
  } finally {
    rmSync(directory, { recursive: true });
  }
}

/** What the image of Node says. */
export const nodeEnv: readonly string[] = ["PATH=/usr/local/bin:/usr/bin:/bin"];

/** Node with the libraries that it names, and tini; no shell, nor anything else. */
export function nodeFiles(): NonNullable<ImageSpec["base"]> {
  const libraries = run("ldd", process.execPath).match(/\/\S+(?= \()/g) ?? [];
  return [
    { path: "tmp", folderMode: 0o1777 },
    { path: "usr/bin/tini", content: readFileSync("/usr/bin/tini-static"), mode: 0o755 },
    { path: "usr/local/bin/node", content: readFileSync(process.execPath), mode: 0o755 },
    ...libraries.map((path) => ({ path: path.slice(1), content: readFileSync(path), mode: 0o755 })),
  ];
}
