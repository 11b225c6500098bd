/** Requests about one namespace, and what their answers mean: what a server says when it refuses passes the redactor, since a webhook may echo all that it was sent. */
import type { Clock, Fence, Json, Random, Refused, Unavailable, UnknownOutcome } from "@moorage/core";
import { redactor } from "@moorage/core";
import type { Success, Understood } from "./answers.ts";
import { understandChange, understandRead } from "./answers.ts";
import { pathOf } from "./paths.ts";
import type { PodProfile } from "./pod-profile.ts";
import type { Refusing } from "./refusal-of.ts";
import type { Answer, ApiRequest, Transport } from "./transport.ts";

export interface ClusterScope {
  readonly transport: Transport;
  readonly profile: PodProfile;
  readonly clock: Clock;
  readonly random: Random;
  readonly namespace: string;
  /** The context's name for the commands that are told; null inside a pod. */
  readonly context: string | null;
  readonly server: string;
}

/** Names, marks and times without what is in the object: the values of a Secret never travel back. */
export const metadata = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1";
export const metadataList = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";

export const noApiServer: Unavailable = {
  kind: "unavailable",
  detail: "what answers is no API server",
  retryAfterMs: null,
};

export interface Requests {
  asked(verb: string, resource: string): Refusing;
  send(request: ApiRequest, secrets?: Iterable<string>): Promise<Answer>;
  /** `verb` and `resource` are what a refusal names, where the server does not. */
  get(verb: "get" | "list", resource: string, path: string, accept?: string): Promise<Understood>;
  /** A fenced delete. `graceSeconds` null: the object's own. */
  remove(
    resource: "pods" | "secrets",
    name: string,
    fence: Fence,
    graceSeconds: number | null,
  ): Promise<Understood | UnknownOutcome>;
}

export function requestsTo({ transport, namespace, server }: ClusterScope): Requests {
  const asked = (verb: string, resource: string): Refusing => ({ verb, resource, namespace, server });

  async function send(request: ApiRequest, secrets: Iterable<string> = []): Promise<Answer> {
    const answer = await transport.send(request);
    const failed = answer.kind === "answered" && answer.status >= 400;
    return failed ? { ...answer, body: redactor(secrets)(answer.body) } : answer;
  }

  return {
    asked,
    send,
    async get(verb, resource, path, accept) {
      const answer = await send({ method: "GET", path, ...(accept === undefined ? {} : { accept }) });
      return understandRead(answer, asked(verb, resource));
    },
    async remove(resource, name, fence, graceSeconds) {
      const grace = graceSeconds === null ? {} : { gracePeriodSeconds: graceSeconds };
      const body = { kind: "DeleteOptions", apiVersion: "v1", preconditions: { ...fence }, ...grace } as Json;
      const answer = await send({ method: "DELETE", path: pathOf(namespace, resource, name), accept: metadata, body });
      return understandChange(answer, asked("delete", resource));
    },
  };
}

/** An answer that a request of this kind cannot get says nothing about the world. */
export function onlyTrouble(answer: Exclude<Understood, Success>): Refused | Unavailable {
  if (answer.kind === "refused" || answer.kind === "unavailable") return answer;
  return { kind: "unavailable", detail: `the API server answers with ${answer.kind}`, retryAfterMs: null };
}

export function onlySuccess(answer: Understood): Success | Refused | Unavailable {
  return answer.kind === "success" ? answer : onlyTrouble(answer);
}
