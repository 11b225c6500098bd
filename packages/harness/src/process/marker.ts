/** The two variables by which an agent's processes are told from all others. */
import type { Belonging } from "./process-table.ts";

const instanceVariable = "MOORAGE_INSTANCE";
const attemptVariable = "MOORAGE_ATTEMPT";

/** Whose marker these `KEY=value` entries hold. */
export function markerOf(environment: readonly string[]): Belonging {
  const valueOf = (key: string): string | null =>
    environment.find((entry) => entry.startsWith(`${key}=`))?.slice(key.length + 1) ?? null;
  const instance = valueOf(instanceVariable);
  if (instance === null || instance === "") return { kind: "none" };
  return { kind: "instance", instance, attempt: valueOf(attemptVariable) };
}
