/** The Substrate port of core over one namespace: each operation is one request, and every read is most recent. */
import type {
  Hint,
  InstanceCreation,
  Inventory,
  Json,
  Reading,
  Refusal,
  Refused,
  Removal,
  SecretCreation,
  Substrate,
  Unavailable,
} from "@moorage/core";
import { understandChange, understandRead } from "./answers.ts";
import { decodePod, decodeSecret } from "./decode.ts";
import type { Fields } from "./json-fields.ts";
import { fieldsOf, listOf, textOf } from "./json-fields.ts";
import { kubectlCluster, quoted } from "./kubectl-command.ts";
import { ensureDenyAll } from "./network-policy.ts";
import { creation, manager, ourSelector, pathOf, selectorOf, withQuery } from "./paths.ts";
import { podOf, secretOf } from "./pod-template.ts";
import type { Refusing } from "./refusal-of.ts";
import type { ClusterScope, Requests } from "./requests.ts";
import { metadata, metadataList, noApiServer, onlySuccess, onlyTrouble, requestsTo } from "./requests.ts";
import type { StopGrace } from "./stop-grace.ts";
import type { Answer } from "./transport.ts";
import type { WatchSource } from "./watch.ts";
import { watch } from "./watch.ts";
import { openWatch } from "./watch-source.ts";

/** What the people's side of a cluster and its substrate know of each other. */
export interface SubstrateCompany {
  readonly requests: Requests;
  /** Which pods get less time to end than their own. */
  readonly grace: Pick<StopGrace, "secondsFor" | "forget"> | null;
  /** Told of each read of the whole scope: its version, and the pods as they were listed. */
  readonly scopeRead: (version: string, pods: readonly Fields[]) => void;
}

export function createSubstrate(
  scope: ClusterScope,
  company: SubstrateCompany = { requests: requestsTo(scope), grace: null, scopeRead: () => undefined },
): Substrate & Inventory {
  const { profile, namespace } = scope;
  const { requests, grace } = company;
  /** Values of the last attempt's Secret: whoever refuses its pod may say them as well. */
  let latest: readonly string[] = [];
  const { asked, get, send } = requests;

  async function readPods(
    labelSelector: string,
    listed: (version: string, pods: readonly Fields[]) => void = () => undefined,
  ): Promise<Reading | Refused | Unavailable> {
    const answer = onlySuccess(await get("list", "pods", withQuery(pathOf(namespace, "pods"), { labelSelector })));
    if (answer.kind !== "success") return answer;
    const version = textOf(fieldsOf(answer.object["metadata"])["resourceVersion"]);
    if (version === null) return noApiServer;
    const pods = listOf(answer.object["items"]).map(fieldsOf);
    listed(version, pods);
    const instances = pods.map((pod) => decodePod(pod, profile)).filter((one) => one !== null);
    return { kind: "read", instances, version };
  }

  async function remove(
    resource: "pods" | "secrets",
    name: string,
    fence: { readonly uid: string; readonly resourceVersion: string },
  ): Promise<Removal> {
    const hurry = resource === "pods" ? grace : null;
    const understood = await requests.remove(resource, name, fence, hurry?.secondsFor(name) ?? null);
    switch (understood.kind) {
      case "success":
        hurry?.forget(name);
        return { kind: "accepted" };
      case "scopeMissing":
        return { kind: "notFound" };
      case "alreadyExists":
        return { kind: "conflict" };
      default:
        return understood;
    }
  }

  async function create(resource: "pods" | "secrets", body: Fields, secrets: Iterable<string> = []) {
    const path = withQuery(pathOf(namespace, resource), creation);
    const answer = await send({ method: "POST", path, body: body as Json, accept: metadata }, secrets);
    return understandChange(answer, asked("create", resource));
  }

  return {
    scope: `the namespace ${namespace}`,

    async ensureScope() {
      const path = withQuery("/api/v1/namespaces", manager);
      const body = { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } };
      const answer = await send({ method: "POST", path, body, accept: metadata });
      // A change that is the same however often it is made: like a read, it may simply be asked again.
      const made = understandRead(answer, asked("create", "namespaces"));
      if (made.kind === "success" || made.kind === "alreadyExists") return { kind: "ready" };
      if (made.kind === "refused" && made.refusal.kind === "scopeAbsent") {
        return { kind: "refused", refusal: { ...made.refusal, command: makeNamespace(scope) } };
      }
      return onlyTrouble(made);
    },

    readInstances: (identity) => readPods(selectorOf(profile, identity)),

    readScope: () => readPods(ourSelector(profile), company.scopeRead),

    async readName(name) {
      const answer = await get("get", "pods", pathOf(namespace, "pods", name));
      if (answer.kind === "success") {
        const instance = decodePod(answer.object, profile);
        return instance === null ? noApiServer : { kind: "found", instance };
      }
      return answer.kind === "notFound" || answer.kind === "scopeMissing" ? { kind: "absent" } : onlyTrouble(answer);
    },

    async listSecrets(identity) {
      const path = withQuery(pathOf(namespace, "secrets"), { labelSelector: selectorOf(profile, identity) });
      const listed = onlySuccess(await get("list", "secrets", path, metadataList));
      if (listed.kind !== "success") return listed;
      const secrets = listOf(listed.object["items"]).map((item) => decodeSecret(fieldsOf(item)));
      return { kind: "read", secrets: secrets.filter((one) => one !== null), serverTime: listed.serverTime };
    },

    async secretExists(name) {
      const answer = await get("get", "secrets", pathOf(namespace, "secrets", name), metadata);
      if (answer.kind === "success") return { kind: "present" };
      return answer.kind === "notFound" || answer.kind === "scopeMissing" ? { kind: "absent" } : onlyTrouble(answer);
    },

    async createSecret(spec): Promise<SecretCreation> {
      latest = [...spec.data.values()];
      const made = await create("secrets", secretOf(spec, namespace), latest);
      switch (made.kind) {
        case "success": {
          const secret = decodeSecret(made.object);
          return secret === null
            ? { ...noApiServer, kind: "unknownOutcome" }
            : { kind: "created", fence: secret.fence };
        }
        case "alreadyExists":
        case "scopeMissing":
        case "unknownOutcome":
          return made;
        default:
          return onlyTrouble(made);
      }
    },

    async createInstance(spec): Promise<InstanceCreation> {
      const { template } = spec;
      if (template.kind !== "pod") throw new Error(`a ${template.kind} does not run on a cluster`);
      if (template.networkPolicy === "denyAll") {
        const closed = await ensureDenyAll(scope, requests);
        if (closed.kind !== "ready") return closed;
      }
      const made = await create("pods", podOf(spec, template, profile, namespace), latest);
      switch (made.kind) {
        case "success":
          return { kind: "created" };
        case "alreadyExists":
        case "scopeMissing":
        case "unknownOutcome":
          return made;
        default:
          return onlyTrouble(made);
      }
    },

    deleteInstance: (name, fence) => remove("pods", name, fence),
    deleteSecret: (name, fence) => remove("secrets", name, fence),

    async *follow(identity, from, signal): AsyncGenerator<Hint> {
      let refused: { readonly refusal?: Refusal } = {};
      const source: WatchSource = {
        list: () => Promise.resolve({ kind: "listFailed", detail: "the caller reads", retryAfterMs: null }),
        async open(version, aborted) {
          const query = { labelSelector: selectorOf(profile, identity) };
          const opened = await openWatch(scope, "pods", query, version, aborted);
          if (opened.kind === "answered" && opened.status === 403) refused = refusalIn(opened, asked("watch", "pods"));
          return opened;
        },
      };
      for await (const told of watch(source, from, { clock: scope.clock, random: scope.random, signal })) {
        if (signal.aborted) return;
        switch (told.kind) {
          case "changed":
          case "removed": {
            const pod = decodePod(told.object, profile);
            if (pod === null) break;
            yield told.kind === "changed" ? { kind: "changed", instance: pod } : { kind: "removed", last: pod };
            break;
          }
          case "paused":
            // A read tells more than another watch would, and whoever reads has a back-off of its own.
            yield { kind: "over", detail: told.detail, retryAfterMs: told.retryAfterMs, ...refused };
            return;
          case "listed":
            break;
          default:
            told satisfies never;
        }
      }
    },
  };
}

function refusalIn(answer: Answer, asked: Refusing): { readonly refusal?: Refusal } {
  const understood = understandRead(answer, asked);
  return understood.kind === "refused" ? { refusal: understood.refusal } : {};
}

/** The command that makes the namespace. */
export function makeNamespace({ namespace, context }: Pick<ClusterScope, "namespace" | "context">): string {
  return kubectlCluster({ context }, `create namespace ${quoted(namespace)}`);
}
