/** The labels and annotations that say whose an object is, written and read in one place. */
import type { Identity } from "./identity.ts";
import { parseIdentity, selectorValue } from "./identity.ts";
import type { RecordedIntent } from "./intent.ts";
import { recordedIntent } from "./intent.ts";
import type { BindingProfile } from "./profile.ts";

export interface Marks {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

/** What an instance's marks tell beside whose it is. */
export interface Notes {
  /** The declared name, where it was written. */
  readonly name?: string;
  /** The declaration's path. */
  readonly source?: string;
  /** The fleet that it has to agree with on formats. */
  readonly fleet?: string;
  /** Of its channel, the name of the catalog; without one it has no catalog that is delivered. */
  readonly catalog?: string;
  /** Digest of the trust root that its bundles are verified against. */
  readonly trustRoot?: string;
  /** Below this sequence no bundle is accepted, whatever its own record has lost. */
  readonly catalogFloor?: string;
  /** The image reference used. */
  readonly image?: string;
}

/** Under which mark each is written. */
const noteKeys = {
  name: "name",
  source: "source",
  image: "image",
  fleet: "fleet",
  catalog: "catalog",
  trustRoot: "trust-root",
  catalogFloor: "catalog-floor",
} as const satisfies Readonly<Record<keyof Notes, string>>;
/** The image is part of every profile's contract; the others of those that write notes. */
const writtenNotes = ["name", "source", "fleet", "catalog", "trustRoot", "catalogFloor"] as const;

const managedByLabel = "app.kubernetes.io/managed-by";

/** What an agent may be called: an RFC 1123 label, as Kubernetes wants it. */
export const agentNamePattern = "^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$";
const agentName = new RegExp(agentNamePattern);
const printable = /^\P{Cc}*$/u;

/** The key of a mark of the profile's own: `<domain>/<part>`. */
export function markKey(profile: BindingProfile, part: string): string {
  return `${profile.domain}/${part}`;
}

function identityMarks(
  profile: BindingProfile,
  identity: Identity,
): { labels: Record<string, string>; annotations: Record<string, string> } {
  return {
    labels: {
      [managedByLabel]: profile.managedBy,
      [markKey(profile, "binding-version")]: profile.bindingVersion,
      [markKey(profile, profile.identityLabel)]: selectorValue(identity),
    },
    annotations: { [markKey(profile, profile.identityAnnotation)]: identity },
  };
}

/** The marks of an instance that is about to be created. */
export function instanceMarks(profile: BindingProfile, identity: Identity, intent: string, notes: Notes): Marks {
  const marks = identityMarks(profile, identity);
  marks.annotations[markKey(profile, "create-intent")] = intent;
  if (notes.image !== undefined) marks.annotations[markKey(profile, "image")] = notes.image;
  if (profile.writesNotes)
    for (const part of writtenNotes) {
      const value = notes[part];
      if (value !== undefined) marks.annotations[markKey(profile, noteKeys[part])] = value;
    }
  return marks;
}

/** The marks of an attempt's Secret; the deadline says for how long, in seconds, the attempt may still want it. */
export function secretMarks(profile: BindingProfile, identity: Identity, deadlineSeconds: number): Marks {
  const marks = identityMarks(profile, identity);
  if (profile.writesNotes) marks.annotations[markKey(profile, "attempt-deadline")] = String(deadlineSeconds);
  return marks;
}

/** Why an object that a list showed, or that holds our name, is not ours; null when it is. */
export function foreignReason(marks: Marks, profile: BindingProfile, identity: Identity): string | null {
  if (marks.labels[managedByLabel] !== profile.managedBy)
    return `its label ${managedByLabel} is not "${profile.managedBy}"`;
  const versionKey = markKey(profile, "binding-version");
  if (marks.labels[versionKey] !== profile.bindingVersion)
    return `its label ${versionKey} is not "${profile.bindingVersion}"`;
  const identityKey = markKey(profile, profile.identityAnnotation);
  if (marks.annotations[identityKey] !== identity) return `its annotation ${identityKey} is not this agent's identity`;
  // Without it no list of ours shows the object: it would hold the name, and everybody would call it gone.
  const selectorKey = markKey(profile, profile.identityLabel);
  const selector = selectorValue(identity);
  if (marks.labels[selectorKey] !== selector) return `its label ${selectorKey} is not "${selector}"`;
  return null;
}

/** The identity that an object of ours carries, or undefined when it has none or another manager's marks. */
export function markedIdentity(marks: Marks, profile: BindingProfile): Identity | undefined {
  const identity = parseIdentity(marks.annotations[markKey(profile, profile.identityAnnotation)] ?? "");
  return identity !== undefined && foreignReason(marks, profile, identity) === null ? identity : undefined;
}

/**
 * What was recorded at the create. Whoever may write the object may have written something else
 * since: what no declaration can hold is passed over, for the name is shown in commands to run.
 */
export function readNotes(marks: Marks, profile: BindingProfile): Notes {
  const notes: { -readonly [Part in keyof Notes]: Notes[Part] } = {};
  for (const part of Object.keys(noteKeys) as (keyof Notes)[]) {
    const value = marks.annotations[markKey(profile, noteKeys[part])];
    if (value !== undefined && (part === "name" ? agentName : printable).test(value)) notes[part] = value;
  }
  return notes;
}

/** The intent that was recorded at the create. */
export function readIntent(marks: Marks, profile: BindingProfile): RecordedIntent {
  return recordedIntent(marks.annotations[markKey(profile, "create-intent")]);
}

/** The deadline in seconds that a Secret's attempt recorded; null when it is absent or no whole number. */
export function readAttemptDeadline(marks: Marks, profile: BindingProfile): number | null {
  const text = marks.annotations[markKey(profile, "attempt-deadline")];
  return text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : null;
}
