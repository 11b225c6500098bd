/** What the person has set for a provider: read by the table of fields; a field that nobody knows, or that could carry a credential, is refused. */
import type { Toleration } from "@moorage/core";
import { parseQuantity, pinImage } from "@moorage/kubernetes";
import { buzzDefaults } from "./buzz-profile.ts";
import type { ConfigField, ConfigName, PodOptionName } from "./config-fields.ts";
import { configFields, podOptionFields, tolerationEffects, tolerationOperators } from "./config-fields.ts";
import { Fields, shown } from "./fields.ts";
import { Refused } from "./refused.ts";

export interface ProviderConfig {
  /** null: the kubeconfig's current one. */
  readonly context: string | null;
  readonly namespace: string;
  /** As it is used: by its digest, without a tag. */
  readonly image: string;
  readonly requests: Readonly<Record<string, string>>;
  readonly limits: Readonly<Record<string, string>>;
  readonly inactivitySeconds: number;
  readonly serviceAccount: string | null;
  readonly nodeSelector: Readonly<Record<string, string>>;
  readonly tolerations: readonly Toleration[];
  readonly workspaceSizeLimit: string | null;
  readonly activeDeadlineSeconds: number | null;
}

/** Throws `Refused`, by the path of the field. */
export function readProviderConfig(value: unknown): ProviderConfig {
  const config = new Fields("provider_config", value ?? {});
  onlyKnown(config, [...Object.keys(configFields), "pod_options"]);
  const options = config.fields("pod_options") ?? new Fields(config.at("pod_options"), {});
  onlyKnown(options, Object.keys(podOptionFields));
  const text = (name: ConfigName): string | null => textOf(config, name, configFields[name]);
  const option = (name: PodOptionName): string | null => textOf(options, name, podOptionFields[name]);
  const disk = { request: option("ephemeral_storage_request"), limit: option("ephemeral_storage_limit") };
  const amounts = {
    cpu: { request: text("cpu_request") ?? buzzDefaults.cpuRequest, limit: text("cpu_limit") ?? buzzDefaults.cpuLimit },
    memory: {
      request: text("memory_request") ?? buzzDefaults.memoryRequest,
      limit: text("memory_limit") ?? buzzDefaults.memoryLimit,
    },
  };
  withinLimit(config, "cpu_request", amounts.cpu);
  withinLimit(config, "memory_request", amounts.memory);
  withinLimit(options, "ephemeral_storage_request", disk);
  return {
    context: text("context"),
    namespace: text("namespace") ?? missing(config.at("namespace")),
    image: pinned(text("image") ?? missing(config.at("image"))),
    requests: { cpu: amounts.cpu.request, memory: amounts.memory.request, ...given(disk.request) },
    limits: { cpu: amounts.cpu.limit, memory: amounts.memory.limit, ...given(disk.limit) },
    inactivitySeconds:
      countOf(config, "inactivity_seconds", configFields.inactivity_seconds) ?? buzzDefaults.inactivitySeconds,
    serviceAccount: text("service_account"),
    nodeSelector: labelsIn(options),
    tolerations: (options.list("tolerations") ?? []).map((one, index) =>
      toleration(new Fields(`${options.at("tolerations")}[${index}]`, one)),
    ),
    workspaceSizeLimit: option("workspace_size_limit"),
    activeDeadlineSeconds: countOf(options, "active_deadline_seconds", podOptionFields.active_deadline_seconds),
  };
}

const credentialWords = /secret|password|passphrase|token|credential|kubeconfig|bearer|^(?:api)?keys?$/;

/** What nobody knows would have no effect, and whoever set it would not learn that. */
function onlyKnown(fields: Fields, known: readonly string[]): void {
  for (const name of fields.names()) {
    if (known.includes(name)) continue;
    const words = name
      .replace(/([a-z0-9])([A-Z])|([A-Z])(?=[A-Z][a-z])/g, "$1$3_$2")
      .toLowerCase()
      .split(/[^a-z0-9]+/);
    if (words.some((word) => credentialWords.test(word)))
      throw new Refused(
        fields.at(name),
        "no credential belongs here: those of the cluster come from the kubeconfig, the agent's from the request's own fields",
      );
    if (!fields.isAbsent(name)) throw new Refused(fields.at(name), `is not known; there are ${known.join(", ")}`);
  }
}

function textOf(fields: Fields, name: string, field: ConfigField): string | null {
  const text = fields.trimmed(name);
  const fault = text === null || field.kind !== "text" ? null : field.check(text);
  if (fault !== null) throw new Refused(fields.at(name), fault);
  return text;
}

function countOf(fields: Fields, name: string, field: ConfigField): number | null {
  return fields.whole(name, 1, field.kind === "count" ? field.most : Number.MAX_SAFE_INTEGER);
}

function missing(field: string): never {
  throw new Refused(field, "is required");
}

function labelsIn(options: Fields): Readonly<Record<string, string>> {
  const labels = options.map("node_selector");
  for (const [key, value] of labels)
    if (!key.isWellFormed() || !value.isWellFormed())
      throw new Refused(options.at("node_selector"), "has half of a character in it");
  return Object.fromEntries(labels);
}

function pinned(text: string): string {
  const image = pinImage(text);
  if (image.kind !== "pinned") throw new Error("an image passed its check and is not pinned");
  return image.image;
}

function given(amount: string | null): Readonly<Record<string, string>> {
  return amount === null ? {} : { "ephemeral-storage": amount };
}

function withinLimit(
  fields: Fields,
  name: string,
  { request, limit }: { request: string | null; limit: string | null },
): void {
  const [least, most] = [parseQuantity(request), parseQuantity(limit)];
  if (least === null || most === null || least <= most) return;
  const unset = fields.isAbsent(name) ? "; it is the default, so set it as well" : "";
  throw new Refused(fields.at(name), `${request} is more than its limit, ${limit}${unset}`);
}

function toleration(fields: Fields): Toleration {
  onlyKnown(fields, ["key", "operator", "value", "effect", "tolerationSeconds"]);
  const key = fields.trimmed("key");
  const value = fields.text("value");
  const operator = oneOf(fields, "operator", tolerationOperators);
  const effect = oneOf(fields, "effect", tolerationEffects);
  // Kubernetes takes what is below 0 for 0.
  const seconds = fields.whole("tolerationSeconds", Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER);
  return {
    ...(key === null ? {} : { key }),
    ...(operator === null ? {} : { operator }),
    ...(value === null ? {} : { value }),
    ...(effect === null ? {} : { effect }),
    ...(seconds === null ? {} : { tolerationSeconds: seconds }),
  };
}

function oneOf<One extends string>(fields: Fields, name: string, all: readonly One[]): One | null {
  const text = fields.trimmed(name);
  if (text === null) return null;
  const found = all.find((one) => one === text);
  if (found === undefined)
    throw new Refused(fields.at(name), `${shown(text)} is not known; there are ${all.join(", ")}`);
  return found;
}
