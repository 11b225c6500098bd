/** What a start on this machine has to pass: the gate of its fleet, and a catalog that is published before the first start. */
import type { Manifest } from "@moorage/bundle";
import { ensureTrust, hashCatalog, readCatalogContent, readTrust } from "@moorage/bundle";
import type {
  Admission,
  Admitted,
  Channel,
  Condition,
  Documents,
  Notes,
  RuntimeTarget,
  Unavailable,
} from "@moorage/core";
import { gateAdmission } from "@moorage/core";
import { exit, exitOfError } from "../errors/exit-code.ts";
import { reportOf } from "../errors/report.ts";
import { guarded } from "../fingerprint/formats.ts";
import type { MachineScope } from "../scope/agent-scope.ts";
import type { CatalogLine } from "./catalog-line.ts";
import { channelText, isPublished, publishedOf, storeOf } from "./catalog-line.ts";
import { publishContent } from "./publish-content.ts";

/** One agent that is about to be started. */
export interface AdmittedStart {
  readonly agent: string;
  readonly fleet: string;
  readonly target: RuntimeTarget;
  /** Its folder, and its name in the fleet's channels; null: it has none. */
  readonly catalog: { readonly path: string; readonly name: string } | null;
}

/** `warn` is told once what a person should know beside the start. */
export function localAdmission(start: AdmittedStart, machine: MachineScope, warn: (text: string) => void): Admission {
  const { fleet, target, catalog, agent } = start;
  const gate = gateAdmission(machine.documents, fleet, target);
  const line: CatalogLine | null =
    catalog === null
      ? null
      : { channel: { fleet, catalog: catalog.name }, path: catalog.path, target, agents: [agent] };
  let warned = false;
  const warnOnce = (text: string): void => {
    if (!warned) warn(text);
    warned = true;
  };
  return {
    async begin() {
      try {
        // What cannot be published is told before the gate of the fleet is made.
        const first = line === null ? null : readyToPublish(line, machine);
        const admitted = await gate.begin();
        if (line === null || admitted.kind === "refuse") return admitted;
        return withCatalog(line, machine, first, admitted.notes, warnOnce);
      } catch (error) {
        return lockedNow(error) ?? { kind: "refuse", condition: personsOwn(error) };
      }
    },
    async stillHolds() {
      try {
        return await gate.stillHolds();
      } catch (error) {
        return lockedNow(error) ?? personsOwn(error);
      }
    },
  };
}

/** Why a start would not be let in now; null: nothing is in its way. Nothing is made, published or shifted by it. */
export async function admissionWouldRefuse(start: AdmittedStart, machine: MachineScope): Promise<Condition | null> {
  const { agent, fleet, target, catalog } = start;
  // A gate that is not there yet is made by the start itself.
  const unwritten: Documents = { ...reading(machine.documents), swap: () => Promise.resolve("swapped") };
  try {
    if (catalog !== null) {
      const channel = { fleet, catalog: catalog.name };
      readyToPublish({ channel, path: catalog.path, target, agents: [agent] }, machine);
      const published = publishedOf(storeOf(machine), channel);
      const counts = readTrust(machine.trustFolder)?.root.version ?? null;
      const otherRoot =
        published === null || counts === null ? null : signedForAnother(channel, published.manifest, counts);
      if (otherRoot !== null) return otherRoot;
    }
    const admitted = await gateAdmission(unwritten, fleet, target).begin();
    return admitted.kind === "refuse" ? admitted.condition : null;
  } catch (error) {
    return conditionOf(error);
  }
}

function reading(documents: Documents): Pick<Documents, "read" | "list"> {
  return { read: (kind, name) => documents.read(kind, name), list: (kind) => documents.list(kind) };
}

type Content = ReturnType<typeof readCatalogContent>;

/** The folder as the first bundle of its channel; null when something is published already. Throws `catalogInvalid`. */
function readyToPublish({ channel, path }: CatalogLine, machine: MachineScope): Content | null {
  if (storeOf(machine).head(channel) !== null) return null;
  return guarded(() => readCatalogContent(path), "catalogInvalid");
}

function withCatalog(
  line: CatalogLine,
  machine: MachineScope,
  first: Content | null,
  notes: Notes,
  warn: (text: string) => void,
): Admitted {
  const { channel, agents } = line;
  const store = storeOf(machine);
  const root = ensureTrust(machine.trustFolder);
  // Of several that come first one publishes, and all start on that.
  if (first !== null) publishContent(line, first, null, machine);
  const published = publishedOf(store, channel);
  if (published === null) throw new Error(`nothing is published in ${channelText(channel)} after it was`);
  const { manifest, head } = published;
  const otherRoot = signedForAnother(channel, manifest, root.root.version);
  if (otherRoot !== null) return { kind: "refuse", condition: otherRoot };
  // Whoever published was killed before it was given to the fleet, or published by hand.
  const assigned = store.assigned(channel) ?? store.assign(channel, head.digest);
  const floor = store.confirmed(channel) ?? assigned;
  if (first === null && isEdited(line, machine, published.manifest))
    warn(
      `${agents.join(", ")}: its catalog was edited since number ${head.sequence} was published, and a start uses only what is published: run \`moorage update apply\` to deliver what was edited`,
    );
  return {
    kind: "pass",
    notes: { ...notes, catalog: channel.catalog, trustRoot: root.digest, catalogFloor: String(floor.sequence) },
  };
}

/** What no instance of the root that counts would accept. */
function signedForAnother(channel: Channel, manifest: Pick<Manifest, "rootVersion">, counts: number): Condition | null {
  if (manifest.rootVersion === counts) return null;
  return {
    code: "bundleOtherRoot",
    message: `what is published of ${channelText(channel)} was signed for version ${manifest.rootVersion} of the trust root, and version ${counts} counts now`,
    hint: "run `moorage update apply`: it publishes the catalog anew, signed with the key that counts",
  };
}

/** A folder that cannot be read any more is told by whoever publishes it: what is published starts all the same. */
function isEdited(
  { path, target }: CatalogLine,
  { trustFolder }: MachineScope,
  manifest: Parameters<typeof isPublished>[3],
): boolean {
  try {
    const rootVersion = readTrust(trustFolder)?.root.version ?? null;
    return !isPublished({ hash: hashCatalog(path) }, target, rootVersion, manifest);
  } catch {
    return true;
  }
}

/** Somebody else writes for longer than is waited for: it is asked again. */
function lockedNow(error: unknown): Unavailable | null {
  const { code, message } = reportOf(error);
  return code === "stateLocked" ? { kind: "unavailable", detail: message, retryAfterMs: null } : null;
}

/** What a person mends is a refusal; a fault of the place, such as a full disk, is thrown on. */
function personsOwn(error: unknown): Condition {
  const condition = conditionOf(error);
  if (exitOfError(condition.code) === exit.fault) throw error;
  return condition;
}

function conditionOf(error: unknown): Condition {
  const { code, message, hint } = reportOf(error);
  return { code, message, hint };
}
