/** The binding profile of the client's protocol, as data: what pods and Secrets are called and marked with, and what a pod has unless the client says otherwise. */
import type { PodProfile } from "@moorage/kubernetes";

/** The variable that tells an agent its attempt's token. */
export const startNonce = "BUZZ_MANAGED_AGENT_START_NONCE";

export const buzzProfile: PodProfile = {
  id: "buzz",
  prefix: "buzz-agent",
  domain: "buzz.block.xyz",
  identityLabel: "agent-pubkey",
  identityAnnotation: "agent-pubkey-full",
  managedBy: "buzz-backend-kubernetes",
  bindingVersion: "1",
  container: "agent",
  attemptDigits: 8,
  attemptVariable: startNonce,
  writesNotes: false,
  home: "/home/agent",
  tellsAgent: false,
  asksToStay: false,
};

export const buzzDefaults = {
  cpuRequest: "1",
  memoryRequest: "2Gi",
  cpuLimit: "2",
  memoryLimit: "4Gi",
  /** Without work for so long, the agent ends itself. */
  inactivitySeconds: 7200,
} as const;
