/** The images of the test cluster: a busybox that sleeps for sandboxes, and one with a shell for agents. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Layout } from "./layout.ts";
import { registry } from "./layout.ts";
import type { ImageSpec } from "./oci-image.ts";
import { pushImage } from "./oci-image.ts";

const busybox = "/bin/busybox";

export interface Images {
  readonly pause: string;
  /** Pinned; `/bin/sh`, `sleep` and the rest of busybox are in it, and it does nothing by itself. */
  readonly agent: string;
}

export async function pushImages(layout: Layout): Promise<Images> {
  const near = `127.0.0.1:${layout.registryPort}`;
  const pause = { files: [program()], entrypoint: ["/bin/busybox", "sleep", "2147483647"] };
  await pushImage(near, "pause", "1", pause);
  const digest = await pushImage(near, "agent", "1", agentImage());
  const images: Images = { pause: `${registry(layout)}/pause:1`, agent: `${registry(layout)}/agent@${digest}` };
  mkdirSync(dirname(path(layout)), { recursive: true });
  writeFileSync(path(layout), JSON.stringify(images));
  return images;
}

/** What agents of these tests run in. */
export function agentImage(): ImageSpec {
  const applets = ["sh", "sleep", "cat", "env", "ls", "touch", "wget"];
  const links = applets.map((name) => ({ path: `bin/${name}`, target: "busybox" }));
  return { files: [program(), ...links], entrypoint: ["/bin/sh", "-c"] };
}

function program(): ImageSpec["files"][number] {
  if (!existsSync(busybox)) throw new Error(`${busybox} is missing: install busybox-static`);
  return { path: "bin/busybox", content: readFileSync(busybox), mode: 0o755 };
}

export function readImages(layout: Layout): Images {
  return JSON.parse(readFileSync(path(layout), "utf8")) as Images;
}

function path({ dir }: Layout): string {
  return join(dir, "images.json");
}
