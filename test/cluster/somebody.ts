/** Somebody with chosen rights: the RBAC objects that give them, and the administrator's way to the API server taken in their name. */
import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import type { Json } from "@moorage/core";
import type { ClusterAccess, Right } from "@moorage/kubernetes";
import { parseAllDocuments } from "yaml";
import type { Api } from "./api.ts";

const rbac = "/apis/rbac.authorization.k8s.io/v1";

export interface Somebody {
  readonly user: string;
  /** For `openScene`. */
  readonly access: (admin: ClusterAccess) => ClusterAccess;
  /** Gives these rights, and no others of the list, in the namespace; those that only the whole cluster can give, there. */
  may(namespace: string, rights: readonly Right[]): Promise<void>;
  /** The same rights in every namespace, also in those that are not there yet. */
  mayEverywhere(rights: readonly Right[]): Promise<void>;
  /** Applies a manifest that is shipped, for this user and this namespace. */
  apply(manifest: "rbac.yaml" | "rbac-cluster.yaml", namespace: string, leaveOut?: RegExp): Promise<void>;
  /** Takes away what is not in a namespace. */
  end(): Promise<void>;
}

type Subject = Readonly<Record<"kind" | "name", string> & Partial<Record<"namespace" | "apiGroup", string>>>;

/** Without a subject: a user whom nobody knows yet. */
export function somebody(api: Api, known?: Subject): Somebody {
  const user = `moorage-test-${randomBytes(4).toString("hex")}`;
  const ends: (() => Promise<unknown>)[] = [];

  /** Objects of the whole cluster get a name of this user's: others have theirs. */
  async function make(object: RbacObject, namespace: string | null): Promise<void> {
    const collection = `${rbac}${namespace === null ? "" : `/namespaces/${namespace}`}/${object.kind.toLowerCase()}s`;
    const { status } = await api.send("POST", collection, object as unknown as Json);
    if (status !== 201) throw new Error(`${object.kind} ${object.metadata.name} was answered with ${status}`);
    if (namespace === null) ends.push(() => api.send("DELETE", `${collection}/${object.metadata.name}`));
  }

  async function give(namespace: string | null, rights: readonly Right[]): Promise<void> {
    if (rights.length === 0) return;
    const kind = namespace === null ? "ClusterRole" : "Role";
    const metadata = { name: user };
    const rules = rights.map(({ group, resource, subresource, verb }) => ({
      apiGroups: [group],
      resources: [subresource === null ? resource : `${resource}/${subresource}`],
      verbs: [verb],
    }));
    await make({ kind, metadata, rules }, namespace);
    await make(
      { kind: `${kind}Binding`, metadata, roleRef: { ...ref, kind, name: user }, subjects: [subject] },
      namespace,
    );
  }

  const ref = { apiGroup: "rbac.authorization.k8s.io" };
  const subject = known ?? { ...ref, kind: "User", name: user };
  return {
    user,
    access: (admin) => ({ ...admin, user: { ...admin.user, impersonate: { user, uid: null, groups: [], extra: {} } } }),
    async may(namespace, rights) {
      await give(
        namespace,
        rights.filter(({ reach }) => reach === "namespace"),
      );
      await give(
        null,
        rights.filter(({ reach }) => reach === "cluster"),
      );
    },
    mayEverywhere: (rights) => give(null, rights),
    async apply(manifest, namespace, leaveOut = /^$/) {
      const text = readFileSync(new URL(`../../manifests/${manifest}`, import.meta.url), "utf8");
      for (const document of parseAllDocuments(text)) {
        const object = document.toJS() as RbacObject;
        const { kind, metadata } = object;
        if (leaveOut.test(metadata.name) || kind === "ServiceAccount") continue;
        const own = kind.startsWith("Cluster");
        const name = (given: string): string => (own ? `${given}-${user}` : given);
        await make(
          {
            ...object,
            metadata: { name: name(metadata.name) },
            ...(object.roleRef === undefined
              ? {}
              : { roleRef: { ...object.roleRef, name: name(object.roleRef.name) }, subjects: [subject] }),
          },
          own ? null : namespace,
        );
      }
    },
    async end() {
      for (const take of ends.splice(0)) await take();
    },
  };
}

interface RbacObject {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly rules?: readonly object[];
  readonly roleRef?: { readonly apiGroup: string; readonly kind: string; readonly name: string };
  readonly subjects?: readonly object[];
}
