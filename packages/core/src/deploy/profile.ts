/** How objects are named and marked: data, so that another profile needs no change in any code. */

export interface BindingProfile {
  readonly id: string;
  /** First part of every object's name. */
  readonly prefix: string;
  /** Where labels and annotations of our own live. */
  readonly domain: string;
  /** Last parts of the two identity marks under the domain. */
  readonly identityLabel: string;
  readonly identityAnnotation: string;
  readonly managedBy: string;
  readonly bindingVersion: string;
  /** The name of our container; a local instance has only one. */
  readonly container: string;
  /** Hex digits of an attempt's token. */
  readonly attemptDigits: number;
  /** The variable of an attempt's Secret that tells the agent that token; null: none does. */
  readonly attemptVariable: string | null;
  /** Whether what decides nothing is written too: name, source and attempt deadline, and the recommended labels of a pod. */
  readonly writesNotes: boolean;
}

export const moorageProfile: BindingProfile = {
  id: "moorage",
  prefix: "moorage",
  domain: "moorage.dev",
  identityLabel: "agent",
  identityAnnotation: "identity",
  managedBy: "moorage",
  bindingVersion: "1",
  container: "agent",
  attemptDigits: 16,
  attemptVariable: null,
  writesNotes: true,
};
