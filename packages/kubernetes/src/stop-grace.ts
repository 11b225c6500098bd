/** A person's word that a pod gets less time to end than it asked for: kept for the delete that follows, and put on record at once of a pod that is ending already. */
import type { BindingProfile } from "@moorage/core";
import { markedIdentity } from "@moorage/core";
import { answerFault } from "./cluster-error.ts";
import { decodeMetadata } from "./decode-metadata.ts";
import { pathOf } from "./paths.ts";
import type { ClusterScope, Requests } from "./requests.ts";
import { onlyTrouble } from "./requests.ts";

/** How often a pod that changes under our hands is looked at. */
const mostLooks = 5;

export class StopGrace {
  readonly #requests: Requests;
  readonly #profile: BindingProfile;
  readonly #namespace: string;
  readonly #seconds = new Map<string, number>();

  constructor({ profile, namespace }: ClusterScope, requests: Requests) {
    this.#requests = requests;
    this.#profile = profile;
    this.#namespace = namespace;
  }

  /** Seconds, at least 1; null: the pod's own. */
  secondsFor(name: string): number | null {
    return this.#seconds.get(name) ?? null;
  }

  /** Once a delete of it was accepted: the next pod of that name has a grace of its own. */
  forget(name: string): void {
    this.#seconds.delete(name);
  }

  /**
   * `ms` in milliseconds, rounded up to whole seconds. Never 0: that would remove the pod before its end is confirmed.
   * Of somebody else's object nothing is kept, and nothing sent. Throws a `ClusterError`; what is remembered stays so.
   */
  async set(name: string, ms: number): Promise<void> {
    const seconds = Math.max(1, Math.ceil(ms / 1000));
    this.#seconds.set(name, seconds);
    for (let look = 1; !(await this.#shorten(name, seconds)); look += 1)
      if (look === mostLooks)
        throw answerFault({ kind: "unavailable", detail: `${name} keeps changing`, retryAfterMs: null }, name);
  }

  /** Whether nothing is left to do; otherwise what was seen is over, and somebody has to look again. */
  async #shorten(name: string, seconds: number): Promise<boolean> {
    const found = await this.#requests.get("get", "pods", pathOf(this.#namespace, "pods", name));
    if (found.kind === "notFound" || found.kind === "scopeMissing") return true;
    if (found.kind !== "success") throw answerFault(onlyTrouble(found), name);
    const pod = decodeMetadata(found.object);
    if (pod === null || markedIdentity(pod, this.#profile) === undefined) {
      this.forget(name);
      return true;
    }
    if (pod.deletion === null) return true;
    const sent = await this.#requests.remove("pods", name, pod.fence, seconds);
    switch (sent.kind) {
      case "success":
      case "notFound":
      case "scopeMissing":
        this.forget(name);
        return true;
      case "conflict":
      case "unknownOutcome":
        return false;
      default:
        throw answerFault(onlyTrouble(sent), name);
    }
  }
}
