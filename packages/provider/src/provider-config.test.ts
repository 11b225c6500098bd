import { describe, expect, it } from "vitest";
import { readProviderConfig } from "./provider-config.ts";
import { image } from "./request.fixture.ts";

const least = { namespace: "team", image };

function refusal(config: unknown): string {
  try {
    readProviderConfig(config);
  } catch (error) {
    return error instanceof Error ? error.message : "";
  }
  return "";
}

const withOptions = (pod_options: unknown): object => ({ ...least, pod_options });

it("has the defaults of the profile", () => {
  expect(readProviderConfig(least)).toEqual({
    context: null,
    namespace: "team",
    image,
    requests: { cpu: "1", memory: "2Gi" },
    limits: { cpu: "2", memory: "4Gi" },
    inactivitySeconds: 7200,
    serviceAccount: null,
    nodeSelector: {},
    tolerations: [],
    workspaceSizeLimit: null,
    activeDeadlineSeconds: null,
  });
});

it("takes everything that a form offers", () => {
  const tolerations = [{ key: "gpu", operator: "Equal", value: "yes", effect: "NoSchedule" }, { operator: "Exists" }];
  expect(
    readProviderConfig({
      context: " other ",
      namespace: "team",
      image: ` registry.example:5000/agent:1.2@sha256:${"a".repeat(64)} `,
      cpu_request: "500m",
      memory_request: "1Gi",
      cpu_limit: "1.5",
      memory_limit: "2048Mi",
      inactivity_seconds: "60",
      service_account: "agents",
      pod_options: {
        node_selector: { "kubernetes.io/arch": "arm64" },
        tolerations,
        workspace_size_limit: "5Gi",
        ephemeral_storage_request: "1Gi",
        ephemeral_storage_limit: "2Gi",
        active_deadline_seconds: 86_400,
      },
    }),
  ).toEqual({
    context: "other",
    namespace: "team",
    image: `registry.example:5000/agent@sha256:${"a".repeat(64)}`,
    requests: { cpu: "500m", memory: "1Gi", "ephemeral-storage": "1Gi" },
    limits: { cpu: "1.5", memory: "2048Mi", "ephemeral-storage": "2Gi" },
    inactivitySeconds: 60,
    serviceAccount: "agents",
    nodeSelector: { "kubernetes.io/arch": "arm64" },
    tolerations,
    workspaceSizeLimit: "5Gi",
    activeDeadlineSeconds: 86_400,
  });
});

it.each([null, "", "  "])("%j is absent, in every field", (nothing) => {
  const fields = [
    "context",
    "cpu_request",
    "memory_request",
    "cpu_limit",
    "memory_limit",
    "inactivity_seconds",
    "service_account",
  ];
  const options = [
    "node_selector",
    "tolerations",
    "workspace_size_limit",
    "ephemeral_storage_limit",
    "active_deadline_seconds",
  ];
  const blank = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, nothing]));
  expect(readProviderConfig({ ...least, ...blank(fields), pod_options: nothing })).toEqual(readProviderConfig(least));
  expect(readProviderConfig({ ...least, pod_options: blank(options) })).toEqual(readProviderConfig(least));
  expect(refusal({ image, namespace: nothing })).toBe("provider_config.namespace: is required");
  expect(refusal({ namespace: "team", image: nothing })).toBe("provider_config.image: is required");
});

describe("what is wrong is told by its field", () => {
  it.each([[[]], ["text"], [5], [true]])("a configuration that is %j", (config) => {
    expect(refusal(config)).toBe("provider_config: must be an object");
  });

  it("nothing at all", () => {
    for (const config of [undefined, null, {}]) expect(refusal(config)).toBe("provider_config.namespace: is required");
  });

  it.each(["context", "namespace", "image", "cpu_request", "memory_limit", "service_account"])(
    "%s of another type",
    (field) => {
      for (const wrong of [5, true, ["a"], { a: "b" }])
        expect(refusal({ ...least, [field]: wrong })).toContain(`provider_config.${field}: must be a text`);
    },
  );

  it.each(["Team", "-team", "team-", "te_am", "team.a", "a".repeat(64), "täm", "team\nx", "../team"])(
    "the namespace %j",
    (namespace) => {
      expect(refusal({ ...least, namespace })).toContain("provider_config.namespace");
    },
  );

  it.each([
    "agent",
    "registry.example/agent:latest",
    "registry.example/agent:1.2",
    `registry.example/agent@sha256:${"a".repeat(63)}`,
    `registry.example/agent@sha256:${"A".repeat(64)}`,
    `registry.example/Agent@sha256:${"a".repeat(64)}`,
    `https://registry.example/agent@sha256:${"a".repeat(64)}`,
    `@sha256:${"a".repeat(64)}`,
    "a".repeat(64),
    "registry.example/agent 1",
  ])("the image %j", (wrong) => {
    expect(refusal({ ...least, image: wrong })).toContain("provider_config.image");
  });

  it.each([
    0,
    -1,
    1.5,
    "0",
    "-5",
    "1.5",
    "1e3",
    "7200s",
    "0x10",
    Number.MAX_SAFE_INTEGER + 1,
    "9".repeat(17),
    true,
    [],
    {},
  ])("a number that is %j", (wrong) => {
    expect(refusal({ ...least, inactivity_seconds: wrong })).toContain("provider_config.inactivity_seconds: must be");
    expect(refusal(withOptions({ active_deadline_seconds: wrong }))).toContain(
      "pod_options.active_deadline_seconds: must be",
    );
  });

  it.each(["1 Gi", "1GB", "lots", "-1", "1,5", "1e3Gi", "Gi"])("the amount %j", (wrong) => {
    for (const field of ["cpu_request", "memory_request", "cpu_limit", "memory_limit"])
      expect(refusal({ ...least, [field]: wrong })).toContain(
        `provider_config.${field}: ${JSON.stringify(wrong)} is no quantity`,
      );
    for (const field of ["workspace_size_limit", "ephemeral_storage_request", "ephemeral_storage_limit"])
      expect(refusal(withOptions({ [field]: wrong }))).toContain(`provider_config.pod_options.${field}`);
  });

  it("what is set aside is more than the limit", () => {
    expect(refusal({ ...least, cpu_request: "2500m" })).toBe(
      "provider_config.cpu_request: 2500m is more than its limit, 2",
    );
    expect(refusal({ ...least, memory_limit: "1Gi" })).toBe(
      "provider_config.memory_request: 2Gi is more than its limit, 1Gi; it is the default, so set it as well",
    );
    expect(refusal(withOptions({ ephemeral_storage_request: "2Gi", ephemeral_storage_limit: "1Gi" }))).toContain(
      "provider_config.pod_options.ephemeral_storage_request",
    );
    expect(refusal({ ...least, cpu_request: "2000m" })).toBe("");
  });

  it("node selector and tolerations", () => {
    expect(refusal(withOptions({ node_selector: { a: 5 } }))).toContain('node_selector["a"]: must be a text');
    expect(refusal(withOptions({ node_selector: ["a"] }))).toContain("node_selector: must be an object");
    expect(refusal(withOptions({ tolerations: {} }))).toContain("tolerations: must be a list");
    expect(refusal(withOptions({ tolerations: ["a"] }))).toContain("tolerations[0]: must be an object");
    expect(refusal(withOptions({ tolerations: [{ effect: "NoRun" }] }))).toContain("tolerations[0].effect");
    expect(refusal(withOptions({ tolerations: [{ operator: "equal" }] }))).toContain("tolerations[0].operator");
    for (const wrong of [1.5, "1.5", "soon", true, [], {}])
      expect(refusal(withOptions({ tolerations: [{ tolerationSeconds: wrong }] }))).toContain(
        "tolerations[0].tolerationSeconds: must be a whole number, and is",
      );
    expect(refusal(withOptions({ tolerations: [{ keys: "a" }] }))).toContain("tolerations[0].keys");
  });

  it("of a toleration, too, a number may come as a text, and null and blank are absent", () => {
    const tolerations = [
      { key: "a", tolerationSeconds: " 300 " },
      { key: " ", operator: "Exists", value: null, effect: "", tolerationSeconds: " " },
      { key: "b", tolerationSeconds: -1, effect: "NoExecute" },
    ];
    expect(readProviderConfig(withOptions({ tolerations })).tolerations).toEqual([
      { key: "a", tolerationSeconds: 300 },
      { operator: "Exists" },
      { key: "b", tolerationSeconds: -1, effect: "NoExecute" },
    ]);
  });

  it("a life longer than Kubernetes can give a pod", () => {
    expect(readProviderConfig(withOptions({ active_deadline_seconds: 2_147_483_647 })).activeDeadlineSeconds).toBe(
      2_147_483_647,
    );
    expect(refusal(withOptions({ active_deadline_seconds: 2_147_483_648 }))).toBe(
      'provider_config.pod_options.active_deadline_seconds: must be a whole number from 1 to 2147483647, and is "2147483648"',
    );
  });

  it("options that are no object", () => {
    for (const wrong of ["a", 5, ["a"]])
      expect(refusal(withOptions(wrong))).toBe("provider_config.pod_options: must be an object");
  });
});

describe("a field that nobody knows", () => {
  it("is refused by its name, since it would have no effect", () => {
    expect(refusal({ ...least, cpu: "1" })).toContain(
      "provider_config.cpu: is not known; there are context, namespace",
    );
    expect(refusal(withOptions({ tolerate: [] }))).toContain("provider_config.pod_options.tolerate: is not known");
    expect(refusal({ ...least, __proto__x: "1", constructor: "1" })).toContain("is not known");
  });

  it("may have any name, which is told on one line, and never in part", () => {
    expect(refusal({ ...least, "a\nb c": 1 })).toContain('provider_config["a\\nb c"]: is not known');
    expect(refusal({ ...least, ["n".repeat(100)]: 1 })).toContain(
      `provider_config["${"n".repeat(100)}"]: is not known`,
    );
    expect(refusal({ ...least, ["n".repeat(300)]: 1 })).toContain("provider_config[a text of 300 characters]: is not");
    expect(refusal({ ...least, image: `reg/${"n".repeat(230)}` })).toContain("a text of 234 characters is not pinned");
  });

  it("passes when it says nothing", () => {
    expect(refusal({ ...least, identity_policy: null, later: " " })).toBe("");
  });
});

it.each([
  "token",
  "api_key",
  "apiKey",
  "ssh-key-path",
  "PASSWORD",
  "clientSecret",
  "credentials",
  "access.tokens",
  "SECRET_NAME",
  "APIKey",
  "ACMEToken",
  "apikey",
  "sshKEY",
  "keyPassphrase",
])(
  "a field that could carry a credential, such as %s, is refused even when it is empty, and its value is told nowhere",
  (name) => {
    for (const value of ["value-that-nobody-may-see", null, ""]) {
      for (const message of [refusal({ ...least, [name]: value }), refusal(withOptions({ [name]: value }))]) {
        expect(message).toContain("no credential belongs here");
        expect(message).not.toContain("nobody-may-see");
      }
    }
  },
);
