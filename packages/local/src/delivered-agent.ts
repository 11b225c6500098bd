/** The delivery of bundles to one agent, as its supervisor opens it. Loaded only where bundles are delivered: it is most of what that takes. */
import type { LifeRun, NoticeDraft } from "@moorage/core";
import { openMailbox, redactor, usualTrial } from "@moorage/core";
import type { Delivery, DeliveryPorts } from "@moorage/harness/delivery";
import { openDelivery } from "@moorage/harness/delivery";
import { systemRandom } from "@moorage/keys";
import type { Run, SupervisorOrder } from "./agent-rounds.ts";
import { openDocuments } from "./documents.ts";
import { bundlesFolder, trustFolder } from "./instance-folder.ts";
import type { InstanceRow } from "./instance-row.ts";
import { openJournal } from "./journal.ts";
import type { ChannelMarks } from "./row-marks.ts";
import { agentOf, attemptOf, identityOf } from "./row-marks.ts";

export type DeliveredAgent =
  | {
      readonly kind: "ready";
      readonly delivery: Delivery;
      /** Leads to what it is started on; null: its channel has no bundle yet. */
      readonly directory: string | null;
      close(): Promise<void>;
    }
  /** It cannot be started; the reason in words is in the mailbox as well. */
  | { readonly kind: "refused"; readonly detail: string };

/** `logTail`: the last lines of the agent's output as they came. */
export async function deliveredAgent(
  order: SupervisorOrder,
  { database, row, paths }: Pick<Run, "database" | "row" | "paths">,
  options: { readonly channel: ChannelMarks; readonly secrets: Iterable<string>; readonly logTail: () => string },
): Promise<DeliveredAgent> {
  const { stateDir, clock } = order;
  const { channel, logTail } = options;
  const agent = agentOf(row);
  const mailbox = openMailbox(openDocuments({ database, clock, random: systemRandom }), systemRandom);
  const journal = openJournal(stateDir, { clock, writable: true });
  const redact = redactor(options.secrets);
  const raise = async (draft: NoticeDraft): Promise<void> => void (await mailbox.raise(draft, Date.now()));
  const run = runOf(row);
  if (run === null) return refused("its formats are not on record: the declaration that started it is not ours");
  const delivery = openDelivery(
    {
      agent,
      folder: paths.delivery,
      storeFolder: bundlesFolder(stateDir),
      trustFolder: trustFolder(stateDir),
      trustPin: channel.trustRoot,
      channel: { fleet: channel.fleet, catalog: channel.catalog },
      floor: { sequence: channel.floor, digest: null, rootVersion: 0 },
      signal: row.template.catalog?.signal ?? null,
    },
    {
      clock,
      wallTime: Date.now,
      random: systemRandom,
      raise,
      overtaken: (earlier) => void best(() => withdrawEarlier(earlier)),
      tell: (told) => journal.append({ ...journalHead(row), ...journalWords(told) }),
      logTail: () => redact(logTail()),
    },
  );
  const start = delivery.prepareStart(run);
  if (start.kind === "refused") {
    await delivery.settled();
    delivery.close();
    return refused(start.why);
  }
  // What was told of an earlier start is not so any more.
  const subject = { kind: "agent", name: agent } as const;
  await best(() =>
    mailbox.withdraw(
      [
        { about: "cannotStart", subject },
        { about: "agentEnded", subject },
      ],
      Date.now(),
    ),
  );
  return {
    kind: "ready",
    delivery,
    directory: start.kind === "launch" ? start.link : null,
    async close() {
      await delivery.settled();
      delivery.close();
      journal.close();
    },
  };

  /** Who wanted one of them tried again would be told that it is, and nothing would happen. */
  async function withdrawEarlier(earlier: (digest: string) => boolean): Promise<void> {
    const abouts = ["bundleRefused", "bundleReverted", "bundlePutOff"] as const;
    await mailbox.withdraw(
      abouts.map((about) => ({ about, subject: { kind: "agent", name: agent } as const })),
      Date.now(),
      ({ evidence }) => earlier(evidence["bundle"] ?? ""),
    );
  }

  async function refused(detail: string): Promise<DeliveredAgent> {
    const { buildId } = row.template;
    await best(() =>
      raise({
        about: "cannotStart",
        subject: { kind: "agent", name: agent },
        reason: `${agent} cannot be started: ${detail}`,
        evidence: { build: buildId, detail },
        choices: ["acknowledge"],
      }),
    );
    journal.close();
    return { kind: "refused", detail };
  }
}

/** Null: nobody has recorded which formats its build speaks. */
function runOf({ template }: InstanceRow): LifeRun | null {
  const { buildId, fingerprint, catalog, health } = template;
  if (fingerprint === undefined) return null;
  const { turns, bakeMs } = catalog?.trial ?? usualTrial;
  return { buildId, target: fingerprint, takesPart: "nothing", turns, bakeMs, check: health.kind !== "none" };
}

function journalHead(row: InstanceRow): {
  readonly step: "update";
  readonly agent: string;
  readonly identity: string;
  readonly attempt: string;
  readonly rule: null;
  readonly name: string;
} {
  return {
    step: "update",
    agent: agentOf(row),
    identity: identityOf(row),
    attempt: attemptOf(row),
    rule: null,
    name: row.name,
  };
}

function journalWords(told: Parameters<DeliveryPorts["tell"]>[0]): { readonly code: string; readonly message: string } {
  switch (told.kind) {
    case "bundle": {
      const detail = told.detail === null ? "" : `: ${told.detail}`;
      const name = told.sequence ?? told.digest.slice(0, "sha256:".length + 8);
      const state = told.state === "trial" ? "on trial" : told.state;
      return { code: told.state, message: `bundle ${name} ${state}${detail}` };
    }
    case "trouble":
      return { code: "deliveryTrouble", message: told.detail };
    default:
      return told satisfies never;
  }
}

/** A mailbox that cannot be written keeps nobody from running, and its reason is on the instance's own record too. */
async function best(work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch {
    // Locked for long, or a full disk.
  }
}
