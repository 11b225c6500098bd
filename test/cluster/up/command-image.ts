/** The image of the command: what images/moorage makes, built without any tool for images. */
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { bundleCommand } from "../../../scripts/bundle.ts";
import { dockerImage } from "./dockerfile.ts";
import { nodeEnv, nodeFiles } from "./harness-image.ts";
import type { Layout } from "./layout.ts";
import { registry } from "./layout.ts";
import { pushImage } from "./oci-image.ts";

const source = fileURLToPath(new URL("../../../packages/cli/", import.meta.url));

/** Its pinned reference. */
export async function pushCommandImage(layout: Layout): Promise<string> {
  const directory = mkdtempSync(join(tmpdir(), "image-"));
  try {
    const dist = join(directory, "dist");
    mkdirSync(dist);
    await bundleCommand(fileURLToPath(new URL("../../../", import.meta.url)), dist);
    cpSync(join(source, "bin", "published.mjs"), join(dist, "moorage.js"));
    cpSync(join(source, "package.json"), join(directory, "package.json"));
    const files = readdirSync(directory, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .map((path) => ({
        path: `moorage/${path.slice(directory.length + 1)}`,
        content: readFileSync(path),
        mode: 0o644,
      }));
    const { entrypoint, env } = dockerImage("moorage");
    const image = { base: nodeFiles(), files, entrypoint, env: [...nodeEnv, ...env] };
    const digest = await pushImage(`127.0.0.1:${layout.registryPort}`, "moorage", "1", image);
    return `${registry(layout)}/moorage@${digest}`;
  } finally {
    rmSync(directory, { recursive: true });
  }
}
