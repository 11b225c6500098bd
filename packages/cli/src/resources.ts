/** Files that come with the command: beside the sources in a checkout, beside the bundle in the published package. */
import { existsSync } from "node:fs";

/** The published JSON Schemas. One folder up from `src` and from `dist` alike: this file must stay where it is. */
export const schemaFolder: URL = new URL("../schema/", import.meta.url);

const published = new URL("../resources/", import.meta.url);
const checkout = new URL("../../../", import.meta.url);

/** The example that `init` writes. */
export function exampleFolder(name: "scribe" | "ticker-pod"): URL {
  return existsSync(published) ? new URL(`${name}/`, published) : new URL(`examples/${name}/`, checkout);
}

/** The sources of `@moorage/agent`, which `init` puts beside the example, so that nothing has to be installed. */
export function sdkFolder(): URL {
  return existsSync(published) ? new URL("moorage-agent/", published) : new URL("packages/agent/src/", checkout);
}
