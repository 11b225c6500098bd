/** What the provider says of itself. It reaches nothing for it. */
import type { Answer } from "./answer.ts";
import { configSchema } from "./config-schema.ts";
import { providerVersion } from "./version.ts";

const protocolVersion = 1;

/** `fraction` is at least 0 and less than 1. */
export function info(fraction: () => number): Answer {
  return {
    ok: true,
    name: "Moorage",
    version: providerVersion,
    protocol_version: protocolVersion,
    description: "Runs each agent exactly once, as one pod on a Kubernetes cluster that your kubeconfig reaches.",
    config_schema: configSchema(fraction),
  };
}
