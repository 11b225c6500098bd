/** Pods that wait, recorded on a real cluster with their Events and claims, and a cluster of values that answers for them. */
import { readFileSync } from "node:fs";
import type { Condition, Identity } from "@moorage/core";
import { instanceMarks, parseIdentity } from "@moorage/core";
import type { Understood } from "./answers.ts";
import { decodeEvent, inOrder } from "./cluster-event.ts";
import type { Fields } from "./json-fields.ts";
import { fieldsOf } from "./json-fields.ts";
import { readWhyWaiting } from "./look-at-waiting.ts";
import { evenRandom, realClock } from "./misbehaving-server.fixture.ts";
import { mooragePods } from "./pod-profile.ts";
import type { ClusterScope, Requests } from "./requests.ts";

export interface Recorded {
  readonly pod: Fields;
  readonly events: readonly Fields[];
  readonly claim?: Fields;
  readonly claimEvents?: readonly Fields[];
}

/** 1.35 with containerd, each named after what was done to it. */
export const waiting = JSON.parse(
  readFileSync(new URL("./recorded/waiting.json", import.meta.url), "utf8"),
) as Readonly<Record<string, Recorded>>;

const identity = parseIdentity("0123456789abcdef".repeat(4)) as Identity;
const podName = "moorage-0123456789ab";

/** Marks a pod as ours; `name` null: nobody wrote the agent's name down. */
export function ofOurs(pod: Fields, name: string | null = "scribe"): Fields {
  const marks = instanceMarks(mooragePods, identity, `m1:${"0".repeat(64)}`, name === null ? {} : { name });
  return { ...pod, metadata: { ...fieldsOf(pod["metadata"]), ...marks } };
}

export interface World {
  readonly pod: Fields | null;
  /** null: they may not be read. */
  readonly events?: readonly Fields[] | null;
  readonly claim?: Fields | "absent" | "forbidden";
  readonly claimEvents?: readonly Fields[];
  readonly node?: Fields | "absent" | "forbidden";
}

/** What `whyWaiting` says in this world, and what it asked for. */
export async function why(
  world: World,
): Promise<{ readonly told: Condition | null; readonly asked: readonly string[] }> {
  const asked: string[] = [];
  const scope: ClusterScope = {
    transport: undefined as never,
    profile: mooragePods,
    clock: realClock,
    random: evenRandom,
    namespace: "agents",
    context: "near",
    server: "https://api.example",
  };
  const get: Requests["get"] = (verb, resource) => {
    asked.push(`${verb} ${resource}`);
    return Promise.resolve(answerOf(world, resource));
  };
  const about = (uid: string) => {
    asked.push("list events");
    const ofPod = uid === fieldsOf(world.pod?.["metadata"])["uid"];
    const events = ofPod ? (world.events ?? null) : (world.claimEvents ?? []);
    return Promise.resolve(events === null ? null : inOrder(events.map(decodeEvent).filter((one) => one !== null)));
  };
  const told = await readWhyWaiting(podName, { scope, requests: { get } as Requests, events: { about } });
  return { told, asked };
}

function answerOf(world: World, resource: string): Understood {
  const object = resource === "pods" ? world.pod : resource === "nodes" ? world.node : world.claim;
  if (object === null || object === undefined || object === "absent") return { kind: "notFound" };
  if (object === "forbidden")
    return { kind: "refused", refusal: { kind: "forbidden", verb: "get", resource, detail: "no" } };
  return { kind: "success", object, serverTime: null };
}

/** The recorded world of this name, with our marks. */
export function recordedWorld(name: string): World {
  const recorded = waiting[name];
  if (recorded === undefined) throw new Error(`${name} was not recorded`);
  const { pod, events, claim, claimEvents } = recorded;
  return { pod: ofOurs(pod), events, claim: claim ?? "absent", claimEvents: claimEvents ?? [] };
}
