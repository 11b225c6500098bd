/** Pods for tests: recorded ones of a real cluster, and made ones with any status. */
import { readFileSync } from "node:fs";
import { decodeStartup, type Evidence, moorageProfile, type Startup } from "@moorage/core";
import { decodePod } from "./decode.ts";
import type { Fields } from "./json-fields.ts";

/** Pods of a real cluster, 1.35 with containerd, each named after what was done to it. */
export const pods = JSON.parse(readFileSync(new URL("./recorded/pods.json", import.meta.url), "utf8")) as Readonly<
  Record<string, Fields>
>;

export function evidence(pod: Fields): Evidence {
  const observed = decodePod(pod, moorageProfile);
  if (observed === null) throw new Error("not decoded");
  return observed.evidence;
}

export function startup(pod: Fields, absent: readonly string[] = []): Startup {
  return decodeStartup(evidence(pod), new Set(absent));
}

export function recorded(name: string): Fields {
  const pod = pods[name];
  if (pod === undefined) throw new Error(`${name} was not recorded`);
  return pod;
}

/** A pod with this status; its container is `agent`. */
export function made(status: unknown, spec: object = {}): Fields {
  return {
    metadata: { name: "moorage-0123456789ab", uid: "u", resourceVersion: "7" },
    spec: { nodeName: "node1", containers: [{ name: "agent", image: "registry.example/app:1" }], ...spec },
    status,
  };
}

export const agent = (state: object, more: object = {}): object => ({
  containerStatuses: [{ name: "agent", state, ...more }],
});
