/** Reads and follows the cluster's own Events of our pods. */
import type { Abort, BindingProfile, Refused } from "@moorage/core";
import { abortEither } from "./abort-either.ts";
import type { Success, Understood } from "./answers.ts";
import { understandRead } from "./answers.ts";
import { answerFault } from "./cluster-error.ts";
import type { ClusterEvent, RawEvent } from "./cluster-event.ts";
import { decodeEvent, inOrder, isNewer } from "./cluster-event.ts";
import { fieldsOf, listOf } from "./json-fields.ts";
import { listingOf } from "./listing.ts";
import { pathOf, withQuery } from "./paths.ts";
import type { ClusterScope, Requests } from "./requests.ts";
import { onlyTrouble } from "./requests.ts";
import type { WatchSource } from "./watch.ts";
import { watch } from "./watch.ts";
import { openWatch } from "./watch-source.ts";

/** Of which pod: by its name, by its UID, or both. Neither: of all of ours, also of those that are gone. */
export interface EventChoice {
  readonly name?: string;
  readonly uid?: string;
}

export class Events {
  readonly #scope: ClusterScope;
  readonly #requests: Requests;
  readonly #life: Abort;
  /** Of the last read for a person: a follow goes on from there. */
  #version: string | null = null;

  /** A follow ends with `life`. */
  constructor(scope: ClusterScope, requests: Requests, life: Abort) {
    this.#scope = scope;
    this.#requests = requests;
    this.#life = life;
  }

  /** Oldest first. The API server keeps them for an hour, if it is not told otherwise. Throws a `ClusterError`. */
  async read(choice: EventChoice = {}): Promise<readonly ClusterEvent[]> {
    const answer = await this.#list(podsBy(choice));
    if (answer.kind !== "success") throw answerFault(onlyTrouble(answer), choice.name ?? "NAME");
    const listing = listingOf(answer);
    if (listing.kind === "listed") this.#version = listing.version;
    const ours = ourName(this.#scope.profile);
    return inOrder(decodedIn(answer)).flatMap(({ event }) => (ours.test(event.object) ? [event] : []));
  }

  /** Of any one object, newest last; null where they may not be read, or nobody answers. */
  async about(uid: string): Promise<readonly RawEvent[] | null> {
    const answer = await this.#list({ "involvedObject.uid": uid });
    return answer.kind === "success" ? inOrder(decodedIn(answer)) : null;
  }

  /**
   * Of all pods of ours: what comes after the last read, or after this call when nothing was read before. Each time an
   * Event is seen again it is told again, with its count. Goes on through broken connections; throws a `ClusterError`
   * when it is refused.
   */
  async *follow(signal: Abort): AsyncGenerator<ClusterEvent, void, undefined> {
    const { clock, random, profile } = this.#scope;
    const over = abortEither(signal, this.#life);
    const query = { fieldSelector: selector(podsBy({})) };
    const ours = ourName(profile);
    let refused: Refused | null = null;
    /** Everything up to here has been told, or was there before. */
    let told = this.#version;
    const source: WatchSource = {
      list: async () => {
        const answer = await this.#list(podsBy({}));
        if (answer.kind === "refused") refused = answer;
        return listingOf(answer);
      },
      open: async (version, aborted) => {
        const opened = await openWatch(this.#scope, "events", query, version, aborted);
        if (opened.kind === "open") return opened;
        const answer = understandRead(opened, this.#requests.asked("watch", "events"));
        if (answer.kind === "refused" && opened.kind === "answered" && opened.status !== 410) refused = answer;
        return opened;
      },
    };
    try {
      for await (const heard of watch(source, told, { clock, random, signal: over.signal })) {
        if (heard.kind === "paused" && refused !== null) throw answerFault(refused, "NAME");
        if (heard.kind === "paused" || heard.kind === "removed") continue;
        const objects = heard.kind === "listed" ? heard.objects : [heard.object];
        const events = inOrder(objects.map(decodeEvent).filter((one) => one !== null));
        const first = told === null;
        for (const { version, event } of events) {
          if (told !== null && !isNewer(version, told) && heard.kind === "listed") continue;
          if (first) continue;
          if (ours.test(event.object)) yield event;
        }
        told = events.reduce((newest, { version }) => (isNewer(version, newest) ? version : newest), told ?? "0");
      }
    } finally {
      over.abort();
    }
  }

  #list(fields: Readonly<Record<string, string>>): Promise<Understood> {
    const path = withQuery(pathOf(this.#scope.namespace, "events"), { fieldSelector: selector(fields) });
    return this.#requests.get("list", "events", path);
  }
}

function podsBy({ name, uid }: EventChoice): Readonly<Record<string, string>> {
  return {
    "involvedObject.kind": "Pod",
    ...(name === undefined ? {} : { "involvedObject.name": name }),
    ...(uid === undefined ? {} : { "involvedObject.uid": uid }),
  };
}

function selector(fields: Readonly<Record<string, string>>): string {
  return Object.entries(fields)
    .map(([field, value]) => `${field}=${value}`)
    .join(",");
}

/** What we call our pods: the Events of one that is gone tell its name and nothing else of it. */
function ourName({ prefix }: BindingProfile): RegExp {
  return new RegExp(`^${prefix.replace(/[^\w-]/g, "\\$&")}-[0-9a-f]{12}$`);
}

function decodedIn(listed: Success): readonly RawEvent[] {
  return listOf(listed.object["items"])
    .map((item) => decodeEvent(fieldsOf(item)))
    .filter((one) => one !== null);
}
