/** What one call has last seen of each incarnation that it heard of, whatever told it: a read or a hint. */
import type { Version } from "../ports/substrate.ts";
import type { VerifiedInstance } from "./observation.ts";

export interface Sighting {
  readonly instance: VerifiedInstance;
  /** A follow from here replays its removal. */
  readonly version: Version;
}

export class LastSeen {
  readonly #open = new Map<string, Sighting>();

  /** A hint may come late: what may have been alive is over only when its end is seen, never because it once had not started. */
  note(instance: VerifiedInstance, version: Version): void {
    const { uid } = instance.fence;
    const known = this.#open.get(uid);
    if (known !== undefined && mayBeAlive(known.instance) && !mayBeAlive(instance) && !hasEnded(instance)) return;
    this.#open.set(uid, { instance, version });
  }

  /** A removal was seen: only a process that may have been alive at that moment leaves a question open. */
  noteRemoved(last: VerifiedInstance, version: Version): void {
    if (mayBeAlive(last)) this.note(last, version);
    else this.close(last.fence.uid);
  }

  close(uid: string): void {
    this.#open.delete(uid);
  }

  /** The incarnations seen, but for the one that is there. */
  absent(presentUid: string | null): Sighting[] {
    return [...this.#open.values()].filter(({ instance }) => instance.fence.uid !== presentUid);
  }
}

function hasEnded({ startup }: VerifiedInstance): boolean {
  return startup.kind === "terminated";
}

/** Whether its process may still run, as far as this observation tells. */
export function mayBeAlive({ startup }: VerifiedInstance): boolean {
  return startup.kind === "started" || startup.kind === "interrupted" || startup.kind === "cannotTell";
}
