/** The acts about updates: a prompt, a bundle that breaks, another format, a new build, and a whole fleet that moves. */
import { appendFile, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Act } from "./act.ts";
import { declareFleet, fleetOf, livesOf } from "./fleet.ts";
import type { Stage } from "./stage.ts";
import { until } from "./stage.ts";

interface Row {
  readonly agent: string;
  readonly state: string;
  readonly pid: number | null;
}

interface Planned {
  readonly release: { readonly tier: string };
  readonly bundle: {
    readonly tier: string;
    readonly axis?: string;
    readonly expected?: number;
    readonly actual?: number;
  };
  readonly when: string;
}

interface Delivered {
  readonly outcome: string;
  readonly reason?: string | null;
}

/** They play on each other: all or none. */
export async function updateActs(stage: Stage): Promise<readonly Act[]> {
  const folder = await stage.agent("poet");
  const fleet = join(stage.folder, "keepers");
  const declaration = join(folder, "agent.yaml");
  const prompt = join(folder, "catalog/prompts/system.md");
  const summary = join(folder, "texts/knots.summary.md");
  const pids = async (): Promise<ReadonlyMap<string, number>> => {
    const { json } = await stage.moorage(["status"], stage.folder);
    return new Map((json["agents"] as Row[]).map(({ agent, pid }) => [agent, pid ?? 0]));
  };
  const sentences = async (): Promise<number> => {
    const text = await readFile(summary, "utf8").catch(() => "");
    return text.split("\n").filter((line) => line.startsWith("- ")).length;
  };
  const edit = async (file: string, from: string, to: string): Promise<void> => {
    await writeFile(file, (await readFile(file, "utf8")).replace(from, to));
  };
  const planned = async (): Promise<Planned | undefined> => {
    const { json } = await stage.moorage(["update", "plan"], folder);
    return (json["agents"] as Planned[])[0];
  };
  const delivered = async (): Promise<Delivered | undefined> => {
    const { json } = await stage.moorage(["update", "apply"], folder);
    return (json["deliveries"] as Delivered[] | undefined)?.[0];
  };

  return [
    {
      promise: "An edited prompt is used at the agent's next turn, by the same process.",
      typed: "$EDITOR catalog/prompts/system.md; moorage update apply",
      play: async () => {
        // Shortly enough for a demo: an agent proves a bundle by turns, and by living on with it.
        await edit(declaration, "catalog: ./catalog ", "catalog: { path: ./catalog, trial: { bake: 1s } } ");
        await edit(declaration, 'SECONDS_PER_TEXT: "1"', 'SECONDS_PER_TEXT: "0.1"');
        await stage.deploy("poet", folder);
        const before = (await pids()).get("poet");
        await until("the first summary is written", async () => ((await sentences()) === 2 ? true : null));
        await edit(prompt, "sentences: 2", "sentences: 4");
        const answer = await delivered();
        const after = await sentences();
        const same = (await pids()).get("poet") === before;
        const kept = answer?.outcome === "confirmed" && after === 4 && same;
        return { kept, words: `2 sentences before, ${after} after it, written by process ${before} all the time` };
      },
    },
    {
      promise: "A bundle that breaks the agent is taken back by itself, and held back with its reason.",
      typed: "mv catalog/prompts/system.md catalog/prompts/sytem.md; moorage update apply",
      play: async () => {
        await rename(prompt, prompt.replace("system", "sytem"));
        const answer = await delivered();
        await rename(prompt.replace("system", "sytem"), prompt);
        await rm(summary);
        await until("it works again, as before", async () => ((await sentences()) === 4 ? true : null));
        const { json } = await stage.moorage(["mailbox"], folder);
        const [notice] = (json["notices"] ?? []) as { about: string; reason: string }[];
        const kept = answer?.outcome === "reverted" && notice?.about === "bundleReverted";
        return {
          kept,
          words: `it runs on the last good one, 4 sentences; in the mailbox: ${notice?.reason ?? "nothing"}`,
        };
      },
    },
    {
      promise: "A bundle for another format is refused, by its axis.",
      typed: "$EDITOR agent.yaml; moorage update plan",
      play: async () => {
        await edit(
          declaration,
          "  drain:",
          "  fingerprint: { wireVersion: 2, eventLogSchema: 1, crdApiVersion: moorage.dev/v1alpha1 }\n  drain:",
        );
        const plan = await planned();
        await edit(
          declaration,
          "  fingerprint: { wireVersion: 2, eventLogSchema: 1, crdApiVersion: moorage.dev/v1alpha1 }\n",
          "",
        );
        const { tier, axis, expected, actual } = plan?.bundle ?? { tier: "none" };
        const kept = tier === "incompatible" && axis === "wireVersion" && plan?.release.tier === "cold";
        return {
          kept,
          words: `${tier}: ${axis ?? "no axis"} ${expected} is not the ${actual} that runs; that takes a cold move`,
        };
      },
    },
    {
      promise: "A new build waits for the next start: nothing that runs is stopped for it.",
      typed: "$EDITOR agent.ts; moorage update plan; moorage restart poet",
      play: async () => {
        const before = (await pids()).get("poet");
        await appendFile(join(folder, "agent.ts"), "// A new build.\n");
        const plan = await planned();
        const same = (await pids()).get("poet") === before;
        await stage.moorage(["restart", "poet"], folder);
        const after = (await planned())?.release.tier;
        const kept = plan?.release.tier === "warm" && same && after === "none";
        return {
          kept,
          words: `${plan?.release.tier}, at its ${plan?.when}; process ${before} went on until its restart`,
        };
      },
    },
    {
      promise: "Other formats wait for a person, then the whole fleet moves: never two formats at once.",
      typed: "moorage update apply; moorage mailbox approve ID",
      play: async () => {
        await declareFleet(fleet, 1);
        await Promise.all(fleetOf.map((name) => stage.deploy(name, fleet)));
        await declareFleet(fleet, 2);
        const proposed = await stage.moorage(["update", "apply"], fleet);
        const { json } = await stage.moorage(["mailbox"], fleet);
        const notice = ((json["notices"] ?? []) as { id: string; about: string }[]).find(
          ({ about }) => about === "coldMove",
        );
        const untouched = (await livesOf(fleet)).begun.get("2") === undefined;
        const approved = await stage.moorage(["mailbox", "approve", notice?.id ?? ""], fleet);
        const { begun, formatsAtOnce } = await livesOf(fleet);
        const kept =
          proposed.exitCode === 4 &&
          untouched &&
          approved.exitCode === 0 &&
          formatsAtOnce === 1 &&
          begun.get("2") === 2;
        return {
          kept,
          words: `waited, approved, moved: ${begun.get("2") ?? 0} agents on format 2; formats at once: ${formatsAtOnce}`,
        };
      },
    },
  ];
}
