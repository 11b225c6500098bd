/** Errors and outcomes to exit codes: the one place that knows them. */

export const exit = {
  ok: 0,
  fault: 1,
  usage: 2,
  notConfirmed: 3,
  refused: 4,
  worldMoved: 5,
  interrupted: 130,
} as const;

/** Faults that a person or a change mends, and those that are over by themselves. Every other code is a fault. */
const codesOfErrors: Readonly<Record<string, number>> = {
  usage: exit.usage,
  declarationMissing: exit.usage,
  declarationUnreadable: exit.usage,
  declarationInvalid: exit.usage,
  secretMissing: exit.usage,
  secretInvalid: exit.usage,
  commandUnusable: exit.usage,
  catalogMissing: exit.usage,
  buildFileMissing: exit.usage,
  identityTwice: exit.usage,
  homeUnset: exit.usage,
  fingerprintInvalid: exit.usage,
  formatsDiffer: exit.usage,
  catalogInvalid: exit.usage,
  bundleOtherRoot: exit.refused,
  fleetClosed: exit.refused,
  otherFormats: exit.refused,
  notRunning: exit.refused,
  nothingPublished: exit.refused,
  channelUnclear: exit.usage,
  nothingToWatch: exit.refused,
  nameTwice: exit.refused,
  publishLost: exit.worldMoved,
  wholeFleetMoves: exit.refused,
  planMoved: exit.worldMoved,
  wouldOverwrite: exit.refused,
  bundleRefused: exit.refused,
  bundleFileInvalid: exit.refused,
  bundleFileMissing: exit.usage,
  noSuchBundle: exit.refused,
  heldBack: exit.refused,
  noBundleInUse: exit.refused,
  catalogMoved: exit.refused,
  releaseMoved: exit.worldMoved,
  notConfirmedByPerson: exit.refused,
  noSuchNotice: exit.usage,
  notAChoice: exit.usage,
  decidedAlready: exit.worldMoved,
  noticeMoved: exit.worldMoved,
  worldMoved: exit.worldMoved,
  fleetIncomplete: exit.usage,
  bundleMissing: exit.refused,
  bundleUnfit: exit.refused,
  cannotTell: exit.refused,
  insideFleet: exit.refused,
  moveRecordLost: exit.refused,
  moveUnderWay: exit.refused,
  nothingToKeep: exit.refused,
  noUserManager: exit.refused,
  secretsFromEnvironment: exit.refused,
  noSuchAgent: exit.refused,
  otherDeclaration: exit.refused,
  noOutput: exit.refused,
  notDeclared: exit.usage,
  stateNotWritable: exit.refused,
  stateReadOnly: exit.refused,
  stateNewer: exit.refused,
  stateOtherOwner: exit.refused,
  stateUnsupportedFileSystem: exit.refused,
  stateNotADirectory: exit.refused,
  stateLocked: exit.notConfirmed,
  kubeconfigMissing: exit.usage,
  kubeconfigUnreadable: exit.usage,
  kubeconfigInvalid: exit.usage,
  contextUnknown: exit.usage,
  clusterUnsupported: exit.usage,
  credentialsUnreadable: exit.refused,
  credentialPluginMissing: exit.refused,
  credentialPluginFailed: exit.refused,
  logNotStarted: exit.refused,
  logNoPrevious: exit.refused,
  logPodGone: exit.refused,
  logContainerUnknown: exit.refused,
  clientLibraryMissing: exit.usage,
  signInFailed: exit.refused,
  forbidden: exit.refused,
  unauthenticated: exit.refused,
  unreachable: exit.refused,
  scopeAbsent: exit.refused,
  scopeTerminating: exit.refused,
  invalid: exit.refused,
  refused: exit.refused,
};

/** The exit code of an error with this code. Errors of identity keys are errors of the declaration. */
export function exitOfError(code: string): number {
  if (Object.hasOwn(codesOfErrors, code)) return codesOfErrors[code] ?? exit.fault;
  // A key that signs, and the trust in it, are mended by a person.
  if (/^(?:signingKey|trust)[A-Z]/.test(code)) return exit.refused;
  return /^key[A-Z]/.test(code) ? exit.usage : exit.fault;
}

const precedence: readonly number[] = [
  exit.interrupted,
  exit.fault,
  exit.usage,
  exit.refused,
  exit.worldMoved,
  exit.notConfirmed,
];

/** With several agents: the first of 1, 2, 4, 5, 3, 0 that occurred; an interrupt tells itself. */
export function worstExit(codes: readonly number[]): number {
  return precedence.find((code) => codes.includes(code)) ?? exit.ok;
}

/** Of a start's or a stop's outcome. */
export function exitOfOutcome(
  outcome:
    | "started"
    | "alreadyRunning"
    | "stopped"
    | "nothing"
    | "notConfirmed"
    | "reported"
    | "refused"
    | "worldMoved"
    | "interrupted",
): number {
  switch (outcome) {
    case "started":
    case "alreadyRunning":
    case "stopped":
    case "nothing":
      return exit.ok;
    case "notConfirmed":
      return exit.notConfirmed;
    case "reported":
    case "refused":
      return exit.refused;
    case "worldMoved":
      return exit.worldMoved;
    case "interrupted":
      return exit.interrupted;
    default:
      return outcome satisfies never;
  }
}
