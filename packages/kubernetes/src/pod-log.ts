/** Reads what an agent in a pod wrote: what is there, and what comes, through broken connections and until its container has ended. */
import type { Abort } from "@moorage/core";
import { abortEither } from "./abort-either.ts";
import { serverEnded } from "./answer-body.ts";
import { answerFault } from "./cluster-error.ts";
import type { ContainerLook } from "./container-look.ts";
import { lookAtContainer } from "./container-look.ts";
import { pathOf, withQuery } from "./paths.ts";
import type { PodChanges } from "./pod-changes.ts";
import type { PodLogEvent, PodLogRequest } from "./pod-log-event.ts";
import type { LogPiece } from "./pod-log-lines.ts";
import { LogLines } from "./pod-log-lines.ts";
import { LogResume } from "./pod-log-resume.ts";
import type { LogSubject, LogTrouble } from "./pod-log-trouble.ts";
import { logTrouble, notStarted, podGone, unreadable } from "./pod-log-trouble.ts";
import type { ClusterScope, Requests } from "./requests.ts";

export interface PodLogPorts {
  readonly scope: ClusterScope;
  readonly requests: Requests;
  readonly changes: Pick<PodChanges, "reader">;
  /** Aborts when the cluster is closed. */
  readonly life: Abort;
}

/** Milliseconds of silence after which a stream counts as dead: an agent may well write nothing for longer, and then it is opened again. */
const idleMs = 300_000;
/** Milliseconds for the beginning of an answer: an API server tries half a minute before it says that a node is silent. */
const nodeMs = 45_000;
/** Milliseconds after which a pod that waits is looked at again, though nobody told of a change. */
const lookMs = 30_000;
const firstPauseMs = 100;
const longestPauseMs = 10_000;
/** How often in a row a read that has begun, and broke off, is tried. */
const mostFailures = 4;

/** How a connection ended. */
type Over =
  /** The other side had no more. */
  { readonly kind: "whole" } | LogTrouble;

const whole: Over = { kind: "whole" };

/**
 * Lines in their order, one above 1 MiB in pieces. Throws a `ClusterError` that says why there is nothing to read; a
 * follow that has begun goes on through everything that passes, and ends when the container has, when its pod is gone or
 * another has its name, or when the signal aborts.
 */
export async function* readPodLog(
  request: PodLogRequest,
  ports: PodLogPorts,
): AsyncGenerator<PodLogEvent, void, undefined> {
  const follow = request.follow ?? null;
  const over = abortEither(ports.life, follow ?? ports.life);
  const reader = new PodLogReader(request, ports, over.signal);
  try {
    if (follow === null || request.previous === true) yield* reader.present();
    else yield* reader.follow();
  } finally {
    over.abort();
  }
}

class PodLogReader {
  readonly #request: PodLogRequest;
  readonly #ports: PodLogPorts;
  readonly #signal: Abort;
  readonly #resume: LogResume;
  readonly #began: number;
  #subject: LogSubject;
  #tail: number | null;
  #failures = 0;
  /** The container as it was last seen, and how the last connection to its log ended. */
  #known: Extract<ContainerLook, { readonly uid: string }> | null = null;
  #last: Over = whole;
  /** A log was answered at all. */
  #opened = false;
  #caughtUp = false;

  constructor(request: PodLogRequest, ports: PodLogPorts, signal: Abort) {
    const { profile, namespace, clock } = ports.scope;
    const { pod, container = profile.container } = request;
    this.#request = request;
    this.#ports = ports;
    this.#signal = signal;
    this.#subject = { pod, container, namespace, agent: pod };
    this.#tail = request.tail ?? null;
    this.#resume = new LogResume(this.#tail !== null || (request.sinceMs ?? null) !== null);
    this.#began = clock.now();
  }

  /** To its end, as of now. */
  async *present(): AsyncGenerator<PodLogEvent, void, undefined> {
    for (;;) {
      const over = yield* this.#connection(false);
      if (this.#signal.aborted) return;
      if (over.kind === "whole") break;
      const more = over.kind === "passing" && this.#opened && this.#failures < mostFailures - 1;
      if (!more) {
        // For its name in the words.
        await this.#look();
        throw over.error(this.#subject);
      }
      await this.#pause();
    }
    // A pod that no node has taken yet is answered like an agent that is silent.
    if (this.#resume.since === null && (await this.#look()).kind === "waiting") throw notStarted(this.#subject);
  }

  async *follow(): AsyncGenerator<PodLogEvent, void, undefined> {
    const changes = this.#ports.changes.reader();
    for (;;) {
      const stand = await this.#stand();
      if (this.#signal.aborted) return;
      if (stand.lost) yield { kind: "gap" };
      if (stand.kind === "over") return;
      if (stand.kind === "waiting") {
        yield* this.#catchUp();
        await changes.next(lookMs, this.#signal);
        continue;
      }
      const present = !this.#caughtUp || stand.kind === "ended";
      this.#last = yield* this.#connection(!present);
      if (present && this.#last.kind === "whole") {
        yield* this.#catchUp();
        if (stand.kind === "ended") return;
        this.#last = yield* this.#connection(true);
      }
      if (this.#signal.aborted) return;
      this.#judge(stand.kind === "ended");
      await this.#pause();
    }
  }

  /** Where our container stands, once somebody tells. `lost`: what it wrote before it changed could not be read to its end. */
  async #stand(): Promise<{ readonly kind: "over" | "waiting" | "running" | "ended"; readonly lost: boolean }> {
    const known = this.#known;
    let look = await this.#look();
    for (; look.kind === "unknown" && !this.#signal.aborted; look = await this.#look()) {
      if (known === null || look.answer.kind === "refused") throw answerFault(look.answer, this.#subject.agent);
      await this.#pause();
    }
    const open = this.#last.kind !== "whole";
    if (look.kind === "unknown") return { kind: "over", lost: false };
    if (look.kind === "absent" && known === null) throw podGone(this.#subject);
    if (look.kind === "absent" || (known !== null && known.uid !== look.uid)) return { kind: "over", lost: open };
    this.#known = look;
    const another = known !== null && known.containerId !== null && known.containerId !== look.containerId;
    if (another) {
      this.#resume.reset();
      this.#last = whole;
    }
    return { kind: look.kind, lost: another && open };
  }

  /** Throws what will not pass, and what stands in the way from the beginning. */
  #judge(ended: boolean): void {
    const { kind } = this.#last;
    if (kind === "whole" || kind === "gone") return;
    const last = this.#failures >= mostFailures - 1;
    const over =
      kind === "lasting" || (ended && (kind === "notStarted" || last)) || (kind === "passing" && !this.#opened);
    if (over) throw this.#last.error(this.#subject);
  }

  *#catchUp(): Generator<PodLogEvent, void, undefined> {
    if (this.#caughtUp) return;
    this.#caughtUp = true;
    // Whatever comes after nothing is new, and there may be more of it.
    if (this.#tail !== 0) this.#tail = null;
    yield { kind: "caughtUp" };
  }

  async *#connection(follow: boolean): AsyncGenerator<PodLogEvent, Over, undefined> {
    const { scope, requests } = this.#ports;
    const path = `${pathOf(scope.namespace, "pods", this.#subject.pod)}/log`;
    // A node may answer a follow with the first byte only, whenever that is written.
    const answerMs = follow ? idleMs : nodeMs;
    const opened = await scope.transport.open(withQuery(path, this.#query(follow)), idleMs, this.#signal, answerMs);
    if (this.#signal.aborted && opened.kind !== "open") return whole;
    if (opened.kind !== "open") return logTrouble(opened, requests);
    this.#opened = true;
    this.#resume.connect();
    const lines = new LogLines();
    try {
      for (;;) {
        const next = await opened.chunks.next();
        if (next.done === true) return yield* this.#endOf(lines, next.value, follow);
        for (const item of lines.take(next.value)) {
          if (item.kind === "node") return { kind: "passing", error: (subject) => unreadable(subject, item.text) };
          yield* this.#tell(item);
        }
      }
    } finally {
      await opened.chunks.return("the reader left");
    }
  }

  /** `why` the connection has ended. What is left of a line counts only where nothing can follow it. */
  *#endOf(lines: LogLines, why: string, follow: boolean): Generator<PodLogEvent, Over, undefined> {
    if (why !== serverEnded) return { kind: "passing", error: (subject) => unreadable(subject, why) };
    if (follow) return whole;
    for (const item of lines.rest()) {
      if (item.kind === "node") return { kind: "passing", error: (subject) => unreadable(subject, item.text) };
      yield* this.#tell(item);
    }
    return whole;
  }

  *#tell(piece: LogPiece): Generator<PodLogEvent, void, undefined> {
    const { time } = piece.stamp;
    if (time < (this.#request.since ?? Number.NEGATIVE_INFINITY)) return;
    const told = this.#resume.take(piece);
    if (told === null) return;
    this.#failures = 0;
    if (told.gap) yield { kind: "gap" };
    yield { kind: "line", time, stream: null, bytes: told.bytes, ends: piece.ends };
  }

  /** A node takes one beginning only: what was told last, else what was asked for. */
  #query(follow: boolean): Readonly<Record<string, string>> {
    const { since = null, sinceMs = null, previous = false } = this.#request;
    const from = this.#resume.since ?? since;
    const lastMs = sinceMs === null ? null : sinceMs + (this.#ports.scope.clock.now() - this.#began);
    const beginning =
      from !== null
        ? { sinceTime: new Date(from).toISOString() }
        : lastMs !== null
          ? { sinceSeconds: String(Math.max(1, Math.ceil(lastMs / 1000))) }
          : {};
    return {
      container: this.#subject.container,
      timestamps: "true",
      ...beginning,
      ...(this.#tail === null || this.#resume.since !== null ? {} : { tailLines: String(this.#tail) }),
      ...(previous ? { previous: "true" } : {}),
      ...(follow ? { follow: "true" } : {}),
    };
  }

  async #look(): Promise<ContainerLook> {
    const { requests, scope } = this.#ports;
    const look = await lookAtContainer(requests, scope.profile, this.#subject);
    if ("agent" in look && look.agent !== null) this.#subject = { ...this.#subject, agent: look.agent };
    return look;
  }

  async #pause(): Promise<void> {
    const { clock, random } = this.#ports.scope;
    const step = Math.min(longestPauseMs, firstPauseMs * 2 ** this.#failures);
    this.#failures += 1;
    await clock.sleep(step * (0.5 + random.fraction() / 2), this.#signal);
  }
}
