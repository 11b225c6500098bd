/** What of a pod's shape is the binding profile's: data, so that another profile needs no change in any code. */
import type { BindingProfile } from "@moorage/core";
import { moorageProfile } from "@moorage/core";

export interface PodProfile extends BindingProfile {
  /** Where the workspace is mounted: the home and the working directory of the agent. */
  readonly home: string;
  /** Whether MOORAGE_ variables say who the agent is and where it runs. */
  readonly tellsAgent: boolean;
  /** Whether those that would move pods about are asked to leave this one alone. */
  readonly asksToStay: boolean;
}

export const mooragePods: PodProfile = {
  ...moorageProfile,
  home: "/workspace",
  tellsAgent: true,
  asksToStay: true,
};
