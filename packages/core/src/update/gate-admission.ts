/** A start at the gate of its fleet: it passes before it writes anything, and once more before its instance is created. */
import type { Admission, Admitted } from "../deploy/admission.ts";
import type { Condition } from "../deploy/conditions.ts";
import type { Documents } from "../ports/documents.ts";
import { axisWords, type RuntimeTarget } from "./fingerprint.ts";
import { type Passage, passGate, stillPasses } from "./gate.ts";
import { gateFor, readGate } from "./gate-documents.ts";

/** It always knows: what keeps its documents from being read is a fault of the place. */
export interface GateAdmission extends Admission {
  begin(): Promise<Admitted>;
  stillHolds(): Promise<Condition | null>;
}

/** Of one start. The first start of a fleet gives it its formats. */
export function gateAdmission(documents: Documents, fleet: string, target: RuntimeTarget): GateAdmission {
  let epoch: number | null = null;
  return {
    async begin() {
      const passage = passGate(await gateFor(documents, fleet, target), target);
      if (passage.kind !== "pass") return { kind: "refuse", condition: refusal(fleet, passage) };
      epoch = passage.epoch;
      return { kind: "pass", notes: { fleet } };
    },
    async stillHolds() {
      const found = await readGate(documents, fleet);
      if (epoch !== null && found !== null && stillPasses(epoch, found.gate)) return null;
      if (found?.gate.open === null) return closed(fleet, found.gate.mover);
      return {
        code: "gateMoved",
        message: `the fleet ${fleet} was closed and opened again while this start was on its way; nothing was created`,
        hint: "run the same command again",
      };
    },
  };
}

function refusal(fleet: string, passage: Exclude<Passage, { kind: "pass" }>): Condition {
  if (passage.kind === "closed") return closed(fleet, passage.mover);
  const { axis, build } = passage;
  return {
    code: "otherFormats",
    message: `its ${axisWords[axis]} is ${build}, and the fleet ${fleet} has ${passage.fleet}; two formats never run side by side`,
    hint: "`moorage update apply` moves the whole fleet: at once where nobody of it runs, else once that is approved",
  };
}

function closed(fleet: string, mover: string | null): Condition {
  return {
    code: "fleetClosed",
    message: `the fleet ${fleet} is closed to every start${mover === null ? "" : `: the cold move ${mover} is under way`}`,
    hint: "`moorage update status` shows how far it is, `moorage update apply` goes on with it",
  };
}
