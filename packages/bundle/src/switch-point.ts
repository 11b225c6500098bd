/** When a change of bundles takes effect: it switches whole, at the latest rule among the components that changed. */
import type { Component } from "./catalog.ts";
import type { Effect } from "./layout.ts";
import type { Manifest } from "./manifest.ts";

type Components = Pick<Manifest, "components">;

/**
 * `none`: both hold the same. A component that moved from one rule to another, or is on one side alone, counts by the
 * later of the rules that it has: nobody ever runs a mixture that nobody signed.
 */
export function switchPoint(before: Components, after: Components): "none" | Effect {
  const old = new Map(before.components.map((component) => [component.path, component]));
  let point: "none" | Effect = "none";
  for (const component of after.components) {
    const other = old.get(component.path);
    old.delete(component.path);
    if (other === undefined || differs(other, component)) point = later(point, component, other);
  }
  for (const removed of old.values()) point = later(point, removed);
  return point;
}

function differs(one: Component, other: Component): boolean {
  return one.sha256 !== other.sha256 || one.kind !== other.kind;
}

function later(point: "none" | Effect, ...changed: readonly (Component | undefined)[]): Effect {
  return point === "start" || changed.some((component) => component?.effect === "start") ? "start" : "turn";
}
