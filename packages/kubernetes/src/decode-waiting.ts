/** Why a container waits: in words, with what the reason makes core look at. A reason alone proves nothing. */
import type { Cause, Suspicion } from "@moorage/core";
import { pullWords } from "@moorage/core";
import { oneWord, startFault } from "./decode-ending.ts";
import { parseImageReference } from "./image-reference.ts";
import { diagnosePull, pullFailureKind } from "./pull-failure.ts";

export interface Waiting {
  readonly cause: Cause;
  readonly suspicion: Suspicion;
}

export interface WaitingContainer {
  readonly reason: string | null;
  readonly message: string;
  /** The reference in the pod's specification. */
  readonly image: string;
  /** The Secret of this pod's own attempt, when it references one. */
  readonly secret: string | null;
}

const none: Suspicion = { kind: "none" };

const pulling: ReadonlySet<string> = new Set([
  "ErrImagePull",
  "ImagePullBackOff",
  "ErrImageNeverPull",
  "ImageInspectError",
  "RegistryUnavailable",
  "SignatureValidationFailed",
]);

/** Whether a waiting reason speaks of the image. */
export function isPullReason(reason: string): boolean {
  return pulling.has(reason) || reason === "InvalidImageName";
}

/** What `state.waiting` tells of a container that the pod's conditions do not tell better. */
export function decodeWaiting(container: WaitingContainer): Waiting {
  const { reason, image, secret } = container;
  if (reason === null) return plain("waiting", "it has not been started yet");
  if (reason === "InvalidImageName") return invalidName(image);
  if (pulling.has(reason)) return pull(reason, container);
  switch (reason) {
    case "CreateContainerConfigError": {
      const cause: Cause = { code: "configError", message: configFault(container.message) };
      return { cause, suspicion: secret === null ? none : { kind: "secretMissing", secret } };
    }
    case "ContainerCreating":
      return plain("containerCreating", "its node prepares it: sandbox, volumes, image");
    case "PodInitializing":
      return plain("initializing", "an init container comes first");
    case "CreateContainerError":
    case "RunContainerError":
      return plain("createError", `its node cannot create the container: ${startFault(container.message)}`);
    case "CrashLoopBackOff":
      return plain("crashLoop", "it ended, and its node waits before it starts it again");
    default:
      return plain("waiting", `it waits: ${oneWord(reason)}`);
  }
}

function plain(code: string, message: string): Waiting {
  return { cause: { code, message }, suspicion: none };
}

/** A reference that our own grammar accepts is none that nothing can ever start: the node cannot make anything of it. */
function invalidName(image: string): Waiting {
  const rejected = parseImageReference(image).kind === "invalid";
  const message = `its node takes ${image} for no valid image reference`;
  const suspicion: Suspicion = rejected
    ? { kind: "invalidImage", image, rejected }
    : { kind: "pull", failure: { kind: "unresolvableName", image, message: "invalid-image-name" } };
  return { cause: { code: "invalidImageName", message }, suspicion };
}

function pull(reason: string, { message, image }: WaitingContainer): Waiting {
  const { verdict, cause } = diagnosePull(reason, message);
  const kind = pullFailureKind(verdict);
  if (kind === null) {
    const why = pullCause(cause);
    return plain("imagePull", `its image cannot be pulled yet${why === null ? "" : `: ${why}`}`);
  }
  return {
    cause: { code: "imagePull", message: `its image cannot be pulled: ${pullWords[kind].meaning}` },
    suspicion: { kind: "pull", failure: { kind, image, message: cause } },
  };
}

/** Words for the cause of a pull that may pass; null for one that says nothing. */
export function pullCause(cause: string): string | null {
  return passing[cause] ?? (cause.startsWith("transient:") ? cause.slice("transient:".length) : null);
}

/** Words for the causes that pass. */
const passing: Readonly<Record<string, string>> = {
  "transient:dns": "the registry's name is not found",
  "transient:timeout": "the registry does not answer in time",
  "transient:connection-refused": "the connection is refused",
  "transient:network": "the connection breaks",
  "transient:canceled": "the pull was given up in the middle",
  "transient:rate-limit": "the registry limits pulls",
  "transient:node-throttle": "the node limits its own pulls",
  "transient:registry-5xx": "the registry is in trouble",
  "transient:registry-unavailable": "the registry is not available",
  "transient:tls": "a certificate is over, or a clock is wrong",
  "transient:disk": "the node's disk is full or broken",
  "transient:node": "the node is short of something",
  "transient:runtime-down": "the node's container runtime does not answer",
  "transient:corrupt-download": "what came is not what was asked for",
  "transient:local-store": "the node's own store of images is in disorder",
};

/** The kubelet's words for configuration that it cannot put together, in ours. */
export function configFault(message: string): string {
  const absent = /^(secret|configmap) "([a-z0-9.-]{1,253})" not found/.exec(message);
  if (absent !== null) return `the ${absent[1] === "secret" ? "Secret" : "ConfigMap"} ${absent[2]} is not there`;
  const key = /^couldn't find key (\S{1,253}) in (Secret|ConfigMap) (\S{1,300})/.exec(message);
  if (key !== null) return `the ${key[2]} ${key[3]} has no key ${key[1]}`;
  if (/runAsNonRoot and image will run as root/.test(message)) return "its image runs as root, which the pod forbids";
  if (/runAsNonRoot and image has non-numeric user/.test(message))
    return "its image names its user by a word, so that nobody can tell whether it is root: set a number";
  return "its configuration cannot be put together on the node";
}
