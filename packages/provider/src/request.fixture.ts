/** Requests for tests: a valid one, and changes to it. */
import type { Json } from "./fields.ts";
import { secretsIn } from "./secrets-in.ts";

export const secretKey = "0000000000000000000000000000000000000000000000000000000000000003";
/** Of that key: BIP 340, test vector 0. */
export const publicKey = "f9308a019258c31049344f85f89d5229b531c845836f99b08601f113bce036f9";
export const image = `registry.example/agent@sha256:${"a".repeat(64)}`;

export interface Changes {
  readonly agent?: Json;
  readonly launch?: Json | null;
  readonly config?: Json;
}

const launch = {
  command: "goose",
  args: ["acp"],
  env: { GOOSE_MODEL: "model-of-the-user" },
  policy_env: { GOOSE_MODE: "automatic" },
  owner_pubkey: "b".repeat(64),
} as const;

/** `launch` null: the older form of a request, which has none. */
export function deployRequest(changes: Changes = {}): Json {
  return {
    op: "deploy",
    request_id: "r-1",
    agent: {
      name: "worker",
      relay_url: "wss://relay.example",
      private_key_nsec: secretKey,
      auth_tag: "tag-of-the-owner",
      ...(changes.launch === null ? {} : { launch: { ...launch, ...changes.launch } }),
      ...changes.agent,
    },
    provider_config: { namespace: "buzz-agents-test", image, ...changes.config },
  };
}

/** Why this is refused; empty when it is not. Throws when the reason holds a secret of the request. */
export function refusalOf(request: Json, read: () => unknown): string {
  try {
    read();
    return "";
  } catch (error) {
    const told = error instanceof Error ? error.message : String(error);
    const held = secretsIn(request).filter((secret) => secret.length >= 4 && told.includes(secret));
    if (held.length > 0) throw new Error(`a refusal holds a secret: ${told}`);
    return told;
  }
}

export function bytesOf(request: unknown): Uint8Array {
  return Buffer.from(JSON.stringify(request));
}
