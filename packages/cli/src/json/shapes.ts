/** The shapes of every JSON object that the command prints. The published schemas are made from them, and tests hold the output to them. */
import * as z from "zod/mini";
import { type BundleResultKind, bundleFields } from "./bundle-shapes.ts";
import { type MailboxResultKind, mailboxFields } from "./mailbox-shapes.ts";
import { deliveryShape, type UpdateResultKind, updateFields } from "./update-shapes.ts";
import { jsonVersion } from "./version.ts";

const text = z.string();
const maybe = z.nullable(text);
const whole = z.int().check(z.nonnegative());
const action = z.strictObject({ action: text, reason: text, name: text });
const condition = z.nullable(z.strictObject({ code: text, message: text }));
const intent = z.enum(["current", "diverged", "notComparable"]);

const started = z.strictObject({
  agent: text,
  agentId: text,
  scope: text,
  outcome: z.enum(["started", "alreadyRunning", "notConfirmed", "reported", "refused", "worldMoved"]),
  intent,
  attempt: maybe,
  condition,
  startedAt: maybe,
  actions: z.array(action),
  requests: whole,
  elapsedMs: whole,
});

const stopped = z.strictObject({
  agent: text,
  agentId: text,
  scope: text,
  outcome: z.enum(["stopped", "nothing", "accepted", "notConfirmed", "reported", "refused", "worldMoved"]),
  condition,
  purged: z.boolean(),
  actions: z.array(action),
  requests: whole,
  elapsedMs: whole,
});

const actionWord = z.nullable(z.enum(["create", "delete", "awaitDisappearance", "noOp", "observe", "report"]));
const next = { action: actionWord, rule: z.nullable(whole), reason: text, intent: z.nullable(intent), condition };
const previewed = z.strictObject({ agent: text, agentId: text, scope: text, ...next });

const status = z.strictObject({
  agent: text,
  agentId: maybe,
  state: z.enum(["running", "starting", "ending", "ended", "broken", "cannotTell", "absent"]),
  since: maybe,
  reason: maybe,
  fleet: maybe,
  pid: z.nullable(whole),
  supervisor: z.nullable(
    z.strictObject({
      state: z.enum(["alive", "stopped", "starting", "ended", "lost", "cannotTell"]),
      pid: z.nullable(whole),
    }),
  ),
  revives: whole,
  turn: z.nullable(z.strictObject({ inFlight: whole, since: maybe, names: z.array(text), lastAt: maybe })),
  catalog: maybe,
  delivery: z.nullable(deliveryShape),
  health: z.strictObject({ state: z.enum(["unknown", "healthy", "unhealthy"]), since: maybe }),
  memoryBytes: z.nullable(whole),
  cpuMs: z.nullable(whole),
  startedAt: maybe,
  source: maybe,
  buildId: maybe,
  nextBuildId: maybe,
  editedSince: z.nullable(whole),
  node: maybe,
  image: maybe,
});

const journalEntry = {
  at: text,
  pid: whole,
  step: z.enum(["read", "decide", "create", "delete", "wait", "collect", "warn", "update", "end"]),
  agent: text,
  identity: text,
  attempt: maybe,
  message: text,
  code: text,
  rule: z.nullable(whole),
  name: maybe,
};

const clusterEvent = {
  at: text,
  since: text,
  type: z.enum(["Normal", "Warning"]),
  reason: text,
  message: text,
  count: whole,
  object: text,
};

const fault = { code: text, message: text, hint: text, details: z.record(text, z.unknown()) };

const pullVerdicts = [
  "unauthorized",
  "manifest-unknown",
  "arch-mismatch",
  "denied-or-absent",
  "registry-misconfigured",
  "unsupported-manifest",
  "signature-invalid",
  "never-pull",
  "invalid-image-name",
  "recoverable",
] as const;

const check = z.strictObject({
  name: text,
  state: z.enum(["ok", "note", "warning", "problem"]),
  message: text,
  hint: maybe,
});

/** What `kind` may say. */
export type ResultKind =
  | "DeployResult"
  | "DeployPreview"
  | "StopResult"
  | "RestartResult"
  | "RestartAccepted"
  | "StatusResult"
  | "ExplainResult"
  | "PullDiagnosis"
  | "JournalEntry"
  | "ClusterEvent"
  | "LogLine"
  | "LogGap"
  | "KeepNews"
  | "KeepInstalled"
  | "InitResult"
  | "FingerprintResult"
  | "DoctorResult"
  | "Completion"
  | "Version"
  | "Error"
  | BundleResultKind
  | UpdateResultKind
  | MailboxResultKind;

/** What each kind holds beside `apiVersion` and `kind`. */
const fields: Readonly<Record<ResultKind, z.core.$ZodShape>> = {
  DeployResult: { agents: z.array(started) },
  DeployPreview: { agents: z.array(previewed) },
  StopResult: { agents: z.array(stopped) },
  RestartResult: { agents: z.array(z.strictObject({ agent: text, stop: stopped, start: z.nullable(started) })) },
  RestartAccepted: { agents: z.array(z.strictObject({ agent: text, outcome: z.literal("accepted") })) },
  StatusResult: { scope: text, agents: z.array(status), waiting: whole },
  ExplainResult: {
    agent: text,
    status,
    declared: z.boolean(),
    deploy: z.nullable(z.strictObject(next)),
    fault: z.nullable(z.strictObject(fault)),
    warnings: z.array(text),
    catalog: z.array(text),
    journal: z.array(z.strictObject(journalEntry)),
    events: z.array(z.strictObject(clusterEvent)),
    why: condition,
    log: z.array(text),
    advice: z.array(text),
  },
  PullDiagnosis: { verdict: z.enum(pullVerdicts), cause: text },
  JournalEntry: journalEntry,
  ClusterEvent: clusterEvent,
  LogLine: {
    agent: text,
    at: text,
    stream: z.nullable(z.enum(["stdout", "stderr", "moorage"])),
    text,
    ends: z.boolean(),
  },
  LogGap: { agent: text, files: z.nullable(whole) },
  KeepNews: {
    at: text,
    agent: text,
    code: z.enum(["watching", "revivesIn", "reviving", "revived", "notRevived", "exhausted", "absent", "fault"]),
    message: text,
    notice: z.boolean(),
    log: z.array(text),
  },
  KeepInstalled: { unit: text, file: text, warnings: z.array(text) },
  InitResult: { agent: text, files: z.array(text) },
  FingerprintResult: {
    agents: z.array(
      z.strictObject({
        agent: text,
        buildId: maybe,
        fingerprint: z.strictObject({
          wireVersion: whole,
          eventLogSchema: whole,
          crdApiVersion: text,
          toolCatalogHash: maybe,
        }),
      }),
    ),
    lock: z.strictObject({
      state: z.enum(["updated", "unchanged", "refused", "behind"]),
      file: text,
      findings: z.array(
        z.strictObject({
          kind: z.enum(["notLocked", "contentMoved", "versionMoved", "versionReused"]),
          axis: z.enum(["wireVersion", "eventLogSchema", "crdApiVersion"]),
          files: z.array(z.strictObject({ path: text, change: z.enum(["changed", "added", "removed"]) })),
          message: text,
          hint: text,
        }),
      ),
    }),
  },
  DoctorResult: { checks: z.array(check) },
  Completion: { shell: z.enum(["bash", "zsh", "fish"]), script: text },
  Version: { version: text, node: text, platform: text, arch: text },
  Error: fault,
  ...bundleFields,
  ...mailboxFields,
  ...updateFields(started, stopped),
};

export const resultKinds: readonly ResultKind[] = Object.keys(fields) as ResultKind[];

/** The whole object of a kind; unknown keys are refused. */
export function resultShape(kind: ResultKind): z.ZodMiniType<object> {
  return z.strictObject({
    apiVersion: z.literal(jsonVersion),
    kind: z.literal(kind),
    ...fields[kind],
  }) as z.ZodMiniType<object>;
}
