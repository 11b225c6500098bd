/** A deploy as a client of today sends it, with secrets that nobody could write by accident. */

const secrets = {
  privateKey: "5ec2e7b1a9d34c6f8e0b7d5a3c1f9e8d7b6a594837261504f3e2d1c0b9a8f7e6",
  authTag: "auth-tag-8c1f4e2b9d",
  launchValue: "sk-live-3f9a7c5e1b",
  policyValue: "policy-6d2e8b4a0c",
} as const;
export const secretValues: readonly string[] = Object.values(secrets);

type Fields = Readonly<Record<string, unknown>>;

export interface Changes {
  readonly agent?: Fields;
  readonly launch?: Fields;
  readonly config?: Fields;
}

export function deployRequest({ agent, launch, config }: Changes = {}) {
  return {
    op: "deploy",
    request_id: "7",
    agent: {
      name: "Harbour master",
      relay_url: "wss://relay.example",
      private_key_nsec: secrets.privateKey,
      auth_tag: secrets.authTag,
      respond_to: "owner-only",
      ...agent,
      launch: {
        command: "goose",
        args: ["acp"],
        env: { OPENAI_API_KEY: secrets.launchValue, GOOSE_MODE: "auto" },
        policy_env: { POLICY: secrets.policyValue },
        owner_pubkey: "b".repeat(64),
        ...launch,
      },
    },
    provider_config: {
      namespace: "buzz-agents-test01",
      image: `registry.example/agent@sha256:${"a".repeat(64)}`,
      ...config,
    },
  };
}
