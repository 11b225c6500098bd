/** Whether an image may be started: a reference that the grammar accepts, and one that a digest pins unless a tag is allowed. */
import { pinImage } from "@moorage/kubernetes";
import type { Fault } from "../declaration/names.ts";

export function imageFault(image: string, allowTag: boolean): Fault | null {
  const pinned = pinImage(image);
  switch (pinned.kind) {
    case "pinned":
      return null;
    case "movable":
      return allowTag
        ? null
        : {
            message: `${image} is not pinned by digest: what it means may change between two starts`,
            hint: "write NAME@sha256:…, or allow it with allowTag: true",
          };
    case "invalid":
      return { message: `is no image reference: ${pinned.reason}`, hint: "write REGISTRY/NAME@sha256:…" };
    default:
      return pinned satisfies never;
  }
}
