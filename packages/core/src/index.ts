/** What `core` offers: the decisions over plain data, the loops over ports, the ports themselves. */

export type * from "./deploy/admission.ts";
export type { CallPorts, Subject } from "./deploy/call.ts";
export * from "./deploy/classify.ts";
export type { Condition } from "./deploy/conditions.ts";
export * from "./deploy/ending.ts";
export * from "./deploy/ending-note.ts";
export * from "./deploy/environment.ts";
export * from "./deploy/gc.ts";
export * from "./deploy/identity.ts";
export * from "./deploy/intent.ts";
export * from "./deploy/marks.ts";
export * from "./deploy/observation.ts";
export * from "./deploy/outcome.ts";
export * from "./deploy/preview.ts";
export * from "./deploy/profile.ts";
export * from "./deploy/pull-words.ts";
export * from "./deploy/reconcile.ts";
export * from "./deploy/refusal.ts";
export * from "./deploy/revive.ts";
export * from "./deploy/startup.ts";
export * from "./deploy/stop.ts";
export * from "./harmless.ts";
export type { Decided as NoticeDecided, Decision as NoticeDecision } from "./mailbox/decide.ts";
export { decide as decideNotice, snooze as snoozeNotice, standingChoice } from "./mailbox/decide.ts";
export type { Facts as NoticeFacts, Mail, Mailbox, MailboxDecided } from "./mailbox/mailbox.ts";
export { openMailbox } from "./mailbox/mailbox.ts";
export type {
  Choice as NoticeChoice,
  Evidence as NoticeEvidence,
  Notice,
  NoticeAbout,
  NoticeDraft,
  NoticeState,
  Subject as NoticeSubject,
} from "./mailbox/notice.ts";
export { raise as raiseNotice, waiting as waitingNotices, withdraw as withdrawNotice } from "./mailbox/notice.ts";
export { readNotice, writeNotice } from "./mailbox/read-notice.ts";
export { PlainDataError } from "./plain-data.ts";
export * from "./ports/abort.ts";
export type * from "./ports/clock.ts";
export type * from "./ports/digest.ts";
export type * from "./ports/documents.ts";
export type * from "./ports/journal.ts";
export type * from "./ports/move-hands.ts";
export type * from "./ports/random.ts";
export type * from "./ports/substrate.ts";
export * from "./redact.ts";
export * from "./secret-shapes.ts";
export { bundleOnItsWay } from "./update/candidate.ts";
export type { CarryOut as MoveRequest, MoveOutcome, MovePorts } from "./update/carry-out-move.ts";
export { carryOutMove } from "./update/carry-out-move.ts";
export * from "./update/catalog-hash.ts";
export * from "./update/channel.ts";
export * from "./update/classify-update.ts";
export * from "./update/cold-move.ts";
export * from "./update/evaluate-bundle.ts";
export * from "./update/fingerprint.ts";
export * from "./update/fingerprint-error.ts";
export * from "./update/gate.ts";
export { gateAdmission } from "./update/gate-admission.ts";
export type { StoredGate } from "./update/gate-documents.ts";
export { readGate } from "./update/gate-documents.ts";
export type {
  Candidate as BundleCandidate,
  Confirmed as ConfirmedBundle,
  DeferCause,
  Life,
  LifeBundle,
  Offer as BundleOffer,
  Refusal as BundleRefusal,
  RefusalReason,
  Revert as BundleRevert,
  RevertReason,
  Run as LifeRun,
  Use as CatalogUse,
} from "./update/life.ts";
export { inUse, lastGood, newLife } from "./update/life.ts";
export type * from "./update/life-events.ts";
export type {
  Look as FleetLook,
  Member as MoveMember,
  Move as ColdMove,
  MoveDecision,
  MoveEffect,
  MoveEvent,
  MoveState,
  Proposal as MoveProposal,
  Proposed as MoveProposed,
  Side as MoveSide,
} from "./update/move.ts";
export { hasPointOfNoReturn, isAsleep, isLeft, isPastNoReturn, noBuild, proposeMove } from "./update/move.ts";
export type { PutForward as MovePutForward, StoredMove, TurnedBack } from "./update/move-documents.ts";
export { hasEnded as moveHasEnded, moveFacts, putForward, readStoredMove, turnBack } from "./update/move-documents.ts";
export { approvalNotice, heldNotice, noReturnNotice } from "./update/move-notices.ts";
export * from "./update/plan.ts";
export * from "./update/plan-words.ts";
export { usualTrial } from "./update/proof.ts";
export { retryAfterMs } from "./update/put-off.ts";
export type { Quarantined } from "./update/quarantine.ts";
export { quarantinedBy, quarantineMs } from "./update/quarantine.ts";
export { readLife, writeLife } from "./update/read-life.ts";
export { readMove, writeMove } from "./update/read-move.ts";
export * from "./update/releases.ts";
export { withRun } from "./update/starting.ts";
export { stepLife } from "./update/trial.ts";
