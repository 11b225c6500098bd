/** The image that a client's agents run in here: it has no harness, and its entrypoint does what a variable says. */
import { agentImage } from "../up/images.ts";
import type { Layout } from "../up/layout.ts";
import { registry } from "../up/layout.ts";
import { pushImage } from "../up/oci-image.ts";

/** Which variable: the provider gives a pod neither a command nor arguments. */
export const scriptVariable = "SCRIPT";

/** Its pinned reference. */
export async function pushClientsImage(layout: Layout): Promise<string> {
  const image = { ...agentImage(), entrypoint: ["/bin/sh", "-c", `eval "$${scriptVariable}"`] };
  const digest = await pushImage(`127.0.0.1:${layout.registryPort}`, "clients-agent", "1", image);
  return `${registry(layout)}/clients-agent@${digest}`;
}
