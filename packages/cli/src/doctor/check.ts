/** One thing that doctor looked at, wherever: a cluster tells it in the same form. */
export type { Check } from "@moorage/kubernetes";
export { note, ok, problem, warning } from "@moorage/kubernetes";
