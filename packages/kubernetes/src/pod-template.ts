/** From core's specifications to what is sent: the bare pod of an instance, and the Secret of its attempt. */
import type { InstanceSpec, PodTemplate, SecretSpec } from "@moorage/core";
import type { Fields } from "./json-fields.ts";
import { closedLabels } from "./network-policy.ts";
import type { PodProfile } from "./pod-profile.ts";

export const workspaceVolume = "workspace";

/** Neither root nor anybody: a number that images rarely use. Group and volumes have it too. */
const userId = 10_001;

/** Ask those that would move pods about to leave this one alone. */
const stayingAnnotations: Readonly<Record<string, string>> = {
  "cluster-autoscaler.kubernetes.io/safe-to-evict": "false",
  "karpenter.sh/do-not-disrupt": "true",
};

/** The pod of an instance. Pod Security "restricted" admits it. */
export function podOf(spec: InstanceSpec, template: PodTemplate, profile: PodProfile, namespace: string): Fields {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name: spec.name,
      namespace,
      labels: {
        ...spec.labels,
        ...(profile.writesNotes ? recommendedLabels(template) : {}),
        ...(template.networkPolicy === "denyAll" ? closedLabels(profile) : {}),
      },
      annotations: { ...spec.annotations, ...(profile.asksToStay ? stayingAnnotations : {}) },
    },
    spec: {
      restartPolicy: "Never",
      automountServiceAccountToken: false,
      // Variables of every service of the namespace would reach the agent unasked.
      enableServiceLinks: false,
      terminationGracePeriodSeconds: seconds(template.graceMs),
      securityContext: {
        runAsNonRoot: true,
        runAsUser: userId,
        runAsGroup: userId,
        fsGroup: userId,
        fsGroupChangePolicy: "OnRootMismatch",
        seccompProfile: { type: "RuntimeDefault" },
      },
      containers: [containerOf(spec, template, profile)],
      volumes: [volumeOf(template)],
      ...unlessEmpty("nodeSelector", template.nodeSelector),
      ...unlessEmpty("tolerations", template.tolerations),
      ...unlessEmpty(
        "imagePullSecrets",
        template.imagePullSecrets.map((name) => ({ name })),
      ),
      ...unlessNull("serviceAccountName", template.serviceAccount),
      ...unlessNull("runtimeClassName", template.runtimeClass),
      ...unlessNull(
        "activeDeadlineSeconds",
        template.activeDeadlineMs === null ? null : seconds(template.activeDeadlineMs),
      ),
    },
  };
}

/** The Secret of an attempt. Nothing may change it: what an agent got at its start is what it has. */
export function secretOf(spec: SecretSpec, namespace: string): Fields {
  return {
    apiVersion: "v1",
    kind: "Secret",
    type: "Opaque",
    immutable: true,
    metadata: { name: spec.name, namespace, labels: spec.labels, annotations: spec.annotations },
    stringData: Object.fromEntries(spec.data),
  };
}

/** They decide nothing. */
function recommendedLabels({ name, fleet }: PodTemplate): Readonly<Record<string, string>> {
  return { "app.kubernetes.io/name": name, "app.kubernetes.io/part-of": fleet };
}

function containerOf(spec: InstanceSpec, template: PodTemplate, profile: PodProfile): Fields {
  const { image, command, args, resources } = template;
  return {
    name: profile.container,
    image,
    // A digest names the same image for ever; a tag may have moved since the node last looked.
    imagePullPolicy: image.includes("@") ? "IfNotPresent" : "Always",
    ...unlessEmpty("command", command.map(literal)),
    ...unlessEmpty("args", args.map(literal)),
    workingDir: profile.home,
    env: environmentOf(spec, template, profile),
    envFrom: [{ secretRef: { name: spec.secret } }],
    resources: { ...unlessEmpty("requests", resources.requests), ...unlessEmpty("limits", resources.limits) },
    securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } },
    volumeMounts: [{ name: workspaceVolume, mountPath: profile.home }],
  };
}

/**
 * Sorted, so that the same intent is the same pod; what is declared comes before what is ours by default. A variable of
 * the Secret must not be here too: what stands here would take its place.
 */
function environmentOf(spec: InstanceSpec, template: PodTemplate, profile: PodProfile): readonly Fields[] {
  const { env, secretKeys, identityKey } = template;
  const all: Readonly<Record<string, string>> = {
    ...(secretKeys.includes("HOME") || identityKey?.as === "HOME" ? {} : { HOME: profile.home }),
    ...env,
    ...(profile.tellsAgent ? toldTo(spec, template, profile) : {}),
  };
  return Object.entries(all)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => ({ name: key, value: literal(value) }));
}

function toldTo(spec: InstanceSpec, template: PodTemplate, { home }: PodProfile): Readonly<Record<string, string>> {
  const { harness, graceMs, name } = template;
  const told =
    harness === null
      ? {}
      : {
          MOORAGE_COMMAND: JSON.stringify(harness.command),
          MOORAGE_DRAIN_MS: String(harness.drainMs),
          MOORAGE_GRACE_MS: String(graceMs),
          ...(harness.idleMs === null ? {} : { MOORAGE_IDLE_MS: String(harness.idleMs) }),
          MOORAGE_HEALTH: JSON.stringify(harness.health),
        };
  return {
    MOORAGE_AGENT: name,
    MOORAGE_ATTEMPT: spec.secret.slice(spec.name.length + 1),
    MOORAGE_INSTANCE: spec.name,
    MOORAGE_WORKSPACE: home,
    ...told,
  };
}

/** The kubelet replaces `$(NAME)` in values, commands and arguments, and takes `$$` for one: doubled, each stays what it is. */
function literal(value: string): string {
  return value.replaceAll("$", "$$$$");
}

function volumeOf({ workspace }: PodTemplate): Fields {
  if (workspace.kind === "claim")
    return { name: workspaceVolume, persistentVolumeClaim: { claimName: workspace.claim } };
  return { name: workspaceVolume, emptyDir: unlessNull("sizeLimit", workspace.sizeLimit) };
}

/** Whole seconds, and never less than was asked for: a grace of 0 would be a kill. */
function seconds(milliseconds: number): number {
  return Math.max(1, Math.ceil(milliseconds / 1000));
}

function unlessEmpty(key: string, value: object): Fields {
  return Object.keys(value).length === 0 ? {} : { [key]: value };
}

function unlessNull(key: string, value: string | number | null): Fields {
  return value === null ? {} : { [key]: value };
}
