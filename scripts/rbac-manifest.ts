// The RBAC objects that give exactly the rights of the list: what is needed, what is optional, and what only the whole cluster can give.
import type { Right } from "@moorage/kubernetes";

const namespace = "agents";
const account = "moorage";
const madeFrom = "# Made from packages/kubernetes/src/rights.ts by scripts/rights.ts: change it there.";

/** Everything that a namespace can give: a service account, the Roles, and who has them. */
export function namespaceManifest(rights: readonly Right[]): string {
  const own = rights.filter(({ reach }) => reach === "namespace");
  const head = `# What moorage needs to run agents in one namespace, and what makes it more helpful.
${madeFrom}
#
#   kubectl create namespace ${namespace}
#   kubectl apply -f rbac.yaml
#
# For another namespace, put its name in place of each \`namespace: ${namespace}\`.
# A Role cannot tell some Secrets from others: give moorage a namespace of its own.
`;
  return [
    `${head}apiVersion: v1\nkind: ServiceAccount\nmetadata: { name: ${account}, namespace: ${namespace} }\n`,
    `# What it needs.\n${role("Role", account, own.filter(needed))}`,
    `# What it can do without: leave it out, and \`moorage doctor\` says what is missing then.\n${role(
      "Role",
      `${account}-optional`,
      own.filter((right) => !needed(right)),
    )}`,
    `# Who has it: in place of the service account, a person (kind: User) or a team (kind: Group).\n${binding("Role", account)}`,
    binding("Role", `${account}-optional`),
  ].join("---\n");
}

/** What needs an administrator of the whole cluster, and is never needed. */
export function clusterManifest(rights: readonly Right[]): string {
  const own = rights.filter(({ reach }) => reach === "cluster");
  const head = `# Optional: what only the whole cluster can give. Without it a namespace has to be made by hand, and of a lost node less is told.
${madeFrom}
`;
  return [
    `${head}${role("ClusterRole", `${account}-cluster`, own)}`,
    binding("ClusterRole", `${account}-cluster`),
  ].join("---\n");
}

function needed({ level }: Right): boolean {
  return level === "needed";
}

function role(kind: "Role" | "ClusterRole", name: string, rights: readonly Right[]): string {
  return `apiVersion: rbac.authorization.k8s.io/v1
kind: ${kind}
metadata: { name: ${name}${kind === "Role" ? `, namespace: ${namespace}` : ""} }
rules:
${rules(rights).join("\n")}
`;
}

/** One rule for each resource, with the verbs in the order of the list. */
function rules(rights: readonly Right[]): string[] {
  const verbs = new Map<string, string[]>();
  for (const { group, resource, subresource, verb } of rights) {
    const named = subresource === null ? resource : `${resource}/${subresource}`;
    const rule = `apiGroups: ["${group}"], resources: ["${named}"]`;
    verbs.set(rule, [...(verbs.get(rule) ?? []), `"${verb}"`]);
  }
  return [...verbs].map(([rule, list]) => `  - { ${rule}, verbs: [${list.join(", ")}] }`);
}

function binding(kind: "Role" | "ClusterRole", name: string): string {
  return `apiVersion: rbac.authorization.k8s.io/v1
kind: ${kind}Binding
metadata: { name: ${name}${kind === "Role" ? `, namespace: ${namespace}` : ""} }
roleRef: { apiGroup: rbac.authorization.k8s.io, kind: ${kind}, name: ${name} }
subjects:
  - { kind: ServiceAccount, name: ${account}, namespace: ${namespace} }
`;
}
