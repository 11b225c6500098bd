/** Finds the parts of an object that go by a name or a type: a container, its status, a volume, a condition. */
import type { Fields } from "./json-fields.ts";
import { fieldsOf, listOf } from "./json-fields.ts";

/** The one of a list with this name; empty when there is none. */
export function named(list: unknown, name: unknown): Fields {
  return first(list, (one) => one["name"] === name);
}

/** The condition of this type in a status; empty when there is none. */
export function conditionIn(status: Fields, type: string): Fields {
  return first(status["conditions"], (one) => one["type"] === type);
}

/** Whether a pod's status says that no container of it will ever run again. */
export function isOver({ phase }: Fields): boolean {
  return phase === "Failed" || phase === "Succeeded";
}

function first(list: unknown, holds: (one: Fields) => boolean): Fields {
  return listOf(list).map(fieldsOf).find(holds) ?? {};
}
