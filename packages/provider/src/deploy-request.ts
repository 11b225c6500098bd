/** All that can be told from a deploy's request alone is told here: before a kubeconfig is looked for. */
import type { AgentFields } from "./agent-fields.ts";
import { readAgentFields } from "./agent-fields.ts";
import type { Json } from "./fields.ts";
import type { ProviderConfig } from "./provider-config.ts";
import { readProviderConfig } from "./provider-config.ts";

export interface DeployRequest {
  readonly agent: AgentFields;
  readonly config: ProviderConfig;
}

/** Throws `Refused`. */
export function readDeployRequest(request: Json): DeployRequest {
  return { agent: readAgentFields(request["agent"]), config: readProviderConfig(request["provider_config"]) };
}
