/** What happens to the world of a history: nodes, hands of people, foreign objects, clocks, outages. */
import type { Marks } from "@moorage/core";
import { instanceMarks, parseAttempt, secretMarks, secretName } from "@moorage/core";
import type { Agent } from "./agents.ts";
import { profile } from "./agents.ts";
import * as evidence from "./evidence.ts";
import type { Planted, World } from "./history.ts";
import type { MemoryStore } from "./memory-store.ts";
import type { Nodes } from "./nodes.ts";
import { forAWhile, type Scheduler } from "./scheduler.ts";
import type { Weather } from "./wire.ts";

export interface WorldParts {
  readonly store: MemoryStore;
  readonly nodes: Nodes;
  readonly scheduler: Scheduler;
  readonly weather: Weather;
  /** Names of planted objects; people clear them away in the end. */
  readonly planted: Set<string>;
}

export function happen(parts: WorldParts, { name, identity }: Agent, event: World): void {
  const { store, nodes, scheduler, weather } = parts;
  switch (event.kind) {
    case "exit":
      return nodes.exit(name, event.ending);
    case "restartInPlace":
      return nodes.restartInPlace(name, event.ms);
    case "evict":
      return nodes.evict(name);
    case "loseNode":
      return nodes.loseNode(name, event.returnsAfterMs);
    case "forceRemove":
      return nodes.forceRemove(name);
    case "deleteByHand": {
      const seen = store.instance(name);
      if (seen !== undefined) store.markInstance(name, seen.fence);
      return;
    }
    case "removeSecret": {
      const attempt = store.instance(name)?.attempt ?? null;
      if (attempt !== null) store.removeSecret(secretName(profile, identity, attempt));
      return;
    }
    case "hide":
      return nodes.hide(name, event.ms);
    case "touch":
      return nodes.touch(name);
    case "finalizer":
      return forAWhile(scheduler, event.ms, (on) => store.setFinalizers(name, on ? ["example.com/hold"] : []));
    case "plant":
      return plant(parts, { name, identity }, event.what);
    case "compact":
      return store.compact();
    case "serverClockStep":
      return store.stepClock(event.ms);
    case "serverClockAbsent":
      return forAWhile(scheduler, event.ms, (on) => {
        store.tellsTime = !on;
      });
    case "outage":
      return forAWhile(scheduler, event.ms, (on) => {
        weather.outage = on;
      });
    case "quota":
      return refuse(parts, event.ms, { kind: "quotaExceeded", quota: "pods", detail: "used 5 of 5" });
    case "forbidden":
      return refuse(parts, event.ms, { kind: "forbidden", verb: "create", resource: "pods", detail: "no role" });
    default:
      return event satisfies never;
  }
}

/** Whatever stood in the way is gone: nodes answer, finalizers let go, planted objects are cleared away. */
export function calm({ store, nodes, weather, planted }: WorldParts): void {
  weather.outage = false;
  weather.refusal = null;
  store.tellsTime = true;
  for (const name of planted) store.remove(name);
  for (const { name } of store.instances()) store.setFinalizers(name, []);
  nodes.reconnect();
}

function refuse({ weather, scheduler }: WorldParts, ms: number, refusal: NonNullable<Weather["refusal"]>): void {
  forAWhile(scheduler, ms, (on) => {
    weather.refusal = on ? refusal : null;
  });
}

function plant(
  { store, planted }: WorldParts,
  { name, identity }: Pick<Agent, "name" | "identity">,
  what: Planted,
): void {
  const ours = instanceMarks(profile, identity, `m1:${"7".repeat(64)}`, {});
  const attempt = parseAttempt("abcdef0123456789") ?? null;
  const put = (planting: string, marks: Marks, shown: typeof evidence.running): void => {
    const made = store.plant({ name: planting, ...marks, attempt: null, evidence: shown });
    if (made.kind === "created") planted.add(planting);
  };
  switch (what) {
    case "ourName":
      return put(name, { labels: { app: "something-else" }, annotations: {} }, evidence.running);
    case "ourLabel":
      return put(
        "something-else",
        { labels: onlySelector(ours), annotations: {} },
        evidence.terminated(evidence.ending("exited", 1)),
      );
    case "halfOfOurMarks":
      return put(name, halfOf(ours), evidence.terminated(evidence.ending("exited", 0), "failed"));
    case "foreignSecret": {
      if (attempt === null) return;
      store.createSecret({
        name: secretName(profile, identity, attempt),
        ...halfOf(secretMarks(profile, identity, 0)),
        data: new Map(),
      });
      return;
    }
    case "endedElsewhere": {
      const ended = evidence.terminated(evidence.ending("exited", 1), "failed");
      store.plant({ name: `${name}-old`, ...ours, attempt, evidence: ended });
      if (attempt !== null)
        store.createSecret({
          name: secretName(profile, identity, attempt),
          ...secretMarks(profile, identity, 90),
          data: new Map(),
        });
      return;
    }
    case "duplicate":
      return put(`${name}-twin`, ours, evidence.running);
    default:
      return what satisfies never;
  }
}

function onlySelector(marks: Marks): Record<string, string> {
  const key = `${profile.domain}/${profile.identityLabel}`;
  return { [key]: marks.labels[key] ?? "" };
}

/** All labels, and an identity that agrees in the digits of the selector only. */
function halfOf(marks: Marks): Marks {
  const key = `${profile.domain}/${profile.identityAnnotation}`;
  const identity = marks.annotations[key] ?? "";
  return { labels: marks.labels, annotations: { ...marks.annotations, [key]: identity.slice(0, 32) + "0".repeat(32) } };
}
