/** How a start meets a registry that fails it: what it asks for, what it is to say, and what heals the registry. */
import type { PodTemplate, PullFailureKind } from "@moorage/core";
import type { Fault } from "./front.ts";
import { freshName, pushUnique } from "./pushed.ts";
import type { Stage } from "./stage.ts";

export interface Row {
  readonly title: string;
  /** How it is told: a failure that is reported at once (the versions of a runtime do not all say the same), or the condition of a start that waits. */
  readonly told: readonly PullFailureKind[] | "imagePull" | "containerCreating";
  /** Words of what a person reads. */
  readonly says: RegExp;
  meet(stage: Stage): Promise<Meeting>;
}

export interface Meeting {
  readonly image: string;
  readonly declared?: Partial<PodTemplate>;
  /** The content of the pull secret that is there from the beginning. */
  readonly credentials?: string;
  /** Whether the failure has shown itself where no pod tells of it; default: at once. */
  readonly shown?: () => boolean;
  heal(place: HealingPlace): void | Promise<void>;
}

/** Where the agent is whose image is healed. */
interface HealingPlace {
  /** Puts a pull secret into the agent's namespace, in the place of another that is there. */
  putCredentials(content: string): Promise<void>;
}

/** The name of the pull secret that an agent declares. */
export const pullSecretName = "registry";

/** A new image behind a front that harms its repository. */
export async function harmed({ front, upstream }: Stage, fault: Fault): Promise<Meeting> {
  const repository = freshName("harmed");
  front.harm(repository, fault);
  const digest = await pushUnique(upstream, repository);
  return { image: `${front.host}/${repository}@${digest}`, heal: () => front.heal(repository) };
}

/** A new image by the name that a registry goes by; the result is its pinned reference. */
export async function pinnedAt({ upstream }: Stage, host: string): Promise<string> {
  const repository = freshName("pinned");
  return `${host}/${repository}@${await pushUnique(upstream, repository)}`;
}
