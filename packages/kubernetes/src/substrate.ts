/** The Substrate port of core over one namespace: each operation is one request, and every read is most recent. */
import type {
  BindingProfile,
  Clock,
  Hint,
  Identity,
  InstanceCreation,
  Inventory,
  Json,
  Random,
  Reading,
  Refused,
  Removal,
  SecretCreation,
  Substrate,
  Unavailable,
} from "@moorage/core";
import { markKey, redactor, selectorValue } from "@moorage/core";
import type { Success, Understood } from "./answers.ts";
import { understandChange, understandRead } from "./answers.ts";
import { decodePod, decodeSecret } from "./decode.ts";
import type { Fields } from "./json-fields.ts";
import { fieldsOf, listOf, textOf } from "./json-fields.ts";
import type { Resource } from "./paths.ts";
import { pathOf, withQuery } from "./paths.ts";
import { podOf, secretOf } from "./pod-template.ts";
import type { Refusing } from "./refusal-of.ts";
import type { Answer, ApiRequest, Transport } from "./transport.ts";
import type { WatchSource } from "./watch.ts";
import { watch } from "./watch.ts";

export interface ClusterScope {
  readonly transport: Transport;
  readonly profile: BindingProfile;
  readonly clock: Clock;
  readonly random: Random;
  readonly namespace: string;
  /** The context's name for the commands that are told; null inside a pod. */
  readonly context: string | null;
  readonly server: string;
}

/** Names, marks and times without what is in the object: the values of a Secret never travel back. */
const metadata = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1";
const metadataList = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";
const noApiServer: Unavailable = { kind: "unavailable", detail: "what answers is no API server", retryAfterMs: null };
const manager = { fieldManager: "moorage" };

/** Seconds after which the server ends a watch, and milliseconds of silence after which we do: it sends a bookmark each minute. */
const watchSeconds = 290;
const watchIdleMs = 80_000;

export function createSubstrate(scope: ClusterScope): Substrate & Inventory {
  const { transport, profile, namespace } = scope;
  const asked = (verb: string, resource: string): Refusing => ({ verb, resource, namespace, server: scope.server });

  /** What a server says when it refuses passes the redactor: a webhook may echo all that it was sent. */
  async function send(request: ApiRequest, secrets: Iterable<string> = []): Promise<Answer> {
    const answer = await transport.send(request);
    const failed = answer.kind === "answered" && answer.status >= 400;
    return failed ? { ...answer, body: redactor(secrets)(answer.body) } : answer;
  }

  async function get(verb: string, resource: Resource, path: string, accept?: string): Promise<Understood> {
    const answer = await send({ method: "GET", path, ...(accept === undefined ? {} : { accept }) });
    return understandRead(answer, asked(verb, resource));
  }

  async function readPods(labelSelector: string): Promise<Reading | Refused | Unavailable> {
    const answer = await get("list", "pods", withQuery(pathOf(namespace, "pods"), { labelSelector }));
    const listed = onlySuccess(answer);
    if (listed.kind !== "success") return listed;
    const version = textOf(fieldsOf(listed.object["metadata"])["resourceVersion"]);
    if (version === null) return noApiServer;
    const instances = listOf(listed.object["items"]).map((pod) => decodePod(fieldsOf(pod), profile));
    return { kind: "read", instances: instances.filter((one) => one !== null), version };
  }

  async function remove(
    resource: Resource,
    name: string,
    fence: { readonly uid: string; readonly resourceVersion: string },
  ): Promise<Removal> {
    const answer = await send({
      method: "DELETE",
      path: pathOf(namespace, resource, name),
      accept: metadata,
      // No grace period: the object's own.
      body: { kind: "DeleteOptions", apiVersion: "v1", preconditions: { ...fence } },
    });
    const understood = understandChange(answer, asked("delete", resource));
    switch (understood.kind) {
      case "success":
        return { kind: "accepted" };
      case "scopeMissing":
        return { kind: "notFound" };
      case "alreadyExists":
        return { kind: "conflict" };
      default:
        return understood;
    }
  }

  async function create(resource: Resource, body: Fields, secrets: Iterable<string> = []) {
    const path = withQuery(pathOf(namespace, resource), { ...manager, fieldValidation: "Strict" });
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

    readScope: () =>
      readPods(
        `app.kubernetes.io/managed-by=${profile.managedBy},${markKey(profile, "binding-version")}=${profile.bindingVersion}`,
      ),

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
      const made = await create("secrets", secretOf(spec, namespace), spec.data.values());
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
      const made = await create("pods", podOf(spec, template, profile, namespace));
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
      const source: WatchSource = {
        list: () => Promise.resolve({ kind: "listFailed", detail: "the caller reads", retryAfterMs: null }),
        open: (version, aborted) => transport.open(watchPath(scope, identity, version), watchIdleMs, aborted),
      };
      const begin = { kind: "listed", version: from, failures: 0 } as const;
      for await (const told of watch(source, begin, { clock: scope.clock, random: scope.random, signal })) {
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
            yield { kind: "over", detail: told.detail, retryAfterMs: told.retryAfterMs };
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

function selectorOf(profile: BindingProfile, identity: Identity): string {
  return `${markKey(profile, profile.identityLabel)}=${selectorValue(identity)}`;
}

function watchPath({ namespace, profile }: ClusterScope, identity: Identity, resourceVersion: string): string {
  return withQuery(pathOf(namespace, "pods"), {
    labelSelector: selectorOf(profile, identity),
    watch: "true",
    allowWatchBookmarks: "true",
    timeoutSeconds: String(watchSeconds),
    resourceVersion,
  });
}

function makeNamespace({ namespace, context }: ClusterScope): string {
  return `kubectl ${context === null ? "" : `--context ${context} `}create namespace ${namespace}`;
}

/** An answer that a request of this kind cannot get says nothing about the world. */
function onlyTrouble(answer: Exclude<Understood, Success>): Refused | Unavailable {
  if (answer.kind === "refused" || answer.kind === "unavailable") return answer;
  return { kind: "unavailable", detail: `the API server answers with ${answer.kind}`, retryAfterMs: null };
}

function onlySuccess(answer: Understood): Success | Refused | Unavailable {
  return answer.kind === "success" ? answer : onlyTrouble(answer);
}
