/** The acts about starts and stops: each says what is promised, does it for real, and returns what was seen. */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Act } from "./act.ts";
import { alive, processesIn } from "./processes.ts";
import type { Deployed, Stage } from "./stage.ts";
import { files, until } from "./stage.ts";

interface Row {
  readonly agent: string;
  readonly state: string;
  readonly reason: string | null;
  readonly pid: number | null;
  readonly supervisor: { readonly pid: number | null };
  readonly turn: { readonly inFlight: number } | null;
}

/** The acts in their order. They play on each other: all or none. */
export async function startActs(stage: Stage): Promise<readonly Act[]> {
  const scribe = await stage.agent("scribe");
  const twin = await stage.agent("twin");
  const status = async (name: string): Promise<Row | undefined> => {
    const { json } = await stage.moorage(["status"], stage.folder);
    return (json["agents"] as Row[]).find(({ agent }) => agent === name);
  };
  const pidOf = async (name: string): Promise<number> => (await status(name))?.pid ?? 0;
  let pid = 0;

  return [
    {
      promise: "A start returns when the agent itself runs, and not before.",
      typed: "moorage deploy scribe",
      play: async () => {
        const deployed = await stage.deploy("scribe", scribe);
        pid = await pidOf("scribe");
        return {
          kept: deployed.outcome === "started" && (await alive(pid)),
          words: `${deployed.outcome}: process ${pid} is there`,
        };
      },
    },
    {
      promise: "A second start touches nothing.",
      typed: "moorage deploy scribe",
      play: async () => {
        const again = await stage.deploy("scribe", scribe);
        const now = await pidOf("scribe");
        const kept = again.outcome === "alreadyRunning" && again.requests === 1 && now === pid;
        return { kept, words: `${again.outcome}, after ${again.requests} read; still process ${now}` };
      },
    },
    {
      promise: "Eight starts at once, from nothing, make one agent.",
      typed: "moorage deploy twin     (in eight terminals)",
      play: async () => {
        const answers = await Promise.all(Array.from({ length: 8 }, () => stage.deploy("twin", twin)));
        const there = await processesIn(twin);
        const count = (outcome: string): number => answers.filter((answer) => answer.outcome === outcome).length;
        const kept = there.length === 1 && count("started") === 1 && count("alreadyRunning") === 7;
        return {
          kept,
          words: `${count("started")} started it, ${count("alreadyRunning")} found it running; processes: ${there.length}`,
        };
      },
    },
    {
      promise: "An edit never reaches a running agent through a start. What matters is told, what does not is not.",
      typed: "$EDITOR agent.yaml; moorage deploy scribe",
      play: async () => {
        const file = join(scribe, "agent.yaml");
        const declared = await readFile(file, "utf8");
        await writeFile(file, `# a comment, and nothing else\n${declared}`);
        const comment = await stage.deploy("scribe", scribe);
        await writeFile(file, declared.replace("grace: 60s", "grace: 61s"));
        const grace = await stage.deploy("scribe", scribe);
        await writeFile(file, declared);
        const kept = untouched(comment, "current") && untouched(grace, "diverged") && (await pidOf("scribe")) === pid;
        return { kept, words: `a comment: ${comment.intent}; another grace: ${grace.intent}; still process ${pid}` };
      },
    },
    {
      promise: "A killed supervisor never leads to a second copy: what is left is ended first.",
      typed: "kill -9 SUPERVISOR; moorage deploy scribe",
      play: async () => {
        process.kill((await status("scribe"))?.supervisor.pid ?? 0, "SIGKILL");
        const lost = await until("the lost supervisor is noticed", async () => {
          const row = await status("scribe");
          return row?.state === "running" ? null : (row ?? null);
        });
        const revived = await stage.deploy("scribe", scribe);
        const before = pid;
        pid = await pidOf("scribe");
        const there = await processesIn(scribe);
        const kept = revived.outcome === "started" && !(await alive(before)) && there.length === 1 && pid !== before;
        return {
          kept,
          words: `seen as "${lost.reason ?? lost.state}"; process ${before} was ended, then ${pid} started; processes: ${there.length}`,
        };
      },
    },
    {
      promise: "A stop lets the turn in flight finish, ends everything, and only then says so.",
      typed: "moorage stop scribe",
      play: async () => {
        const texts = join(scribe, "texts");
        await writeFile(
          join(texts, "zebra.txt"),
          "A stop came in the middle of this. The turn went on to its end. Then the scribe left.\n",
        );
        const inFlight = await until("a turn is in flight", async () => {
          const row = await status("scribe");
          return (row?.turn?.inFlight ?? 0) > 0 ? (await files(texts, ".summary.md")).length : null;
        });
        const stopped = await stage.moorage(["stop", "scribe"], scribe);
        const finished = (await files(texts, ".summary.md")).length - inFlight;
        const drafts = (await files(texts, ".draft")).length;
        const left = await processesIn(scribe);
        const kept = stopped.exitCode === 0 && finished === 1 && drafts === 0 && left.length === 0;
        return { kept, words: `the turn's summary was written, nothing was left half done; processes: ${left.length}` };
      },
    },
  ];
}

function untouched(deployed: Deployed, intent: string): boolean {
  return deployed.outcome === "alreadyRunning" && deployed.intent === intent && deployed.requests === 1;
}
