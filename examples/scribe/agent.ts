/** The scribe: works through a folder of texts, one turn each, and writes a summary beside each. It needs no network. */
import { readdir, readFile, rename, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { connect, isDraining } from "@moorage/agent";
import { summarise } from "./summarise.ts";

const folder = process.env["TEXTS"] ?? "texts";
const paceMs = Number(process.env["SECONDS_PER_TEXT"] ?? "1") * 1000;

/** Summaries from before this time are written anew, in milliseconds since 1970: another prompt may want them otherwise. */
let renewedAt = 0;
// Works without a harness too: then a turn is just a call, and no new catalog ever comes.
const agent = await connect({
  onStaged: () => {
    renewedAt = Date.now();
  },
});
console.log(`working through ${folder}`);
try {
  // The loop ends by itself when the agent is asked to end; a turn that has begun is waited for.
  for await (const text of agent.untilDrain(dueTexts()))
    await agent.turn(async ({ catalog }) => write(text, catalog.text("prompts/system.md")));
} catch (error) {
  if (!isDraining(error)) throw error;
}
agent.close();

/** Texts without a summary, or with one that is older than they or the catalog are: now, and whenever there are new ones. */
async function* dueTexts(): AsyncGenerator<string> {
  for (;;) {
    for (const text of (await readdir(folder)).filter((name) => name.endsWith(".txt")).sort())
      if ((await changedAt(summaryOf(text))) < Math.max(renewedAt, await changedAt(text))) yield text;
    await sleep(1000);
  }
}

async function changedAt(name: string): Promise<number> {
  return (await stat(join(folder, name)).catch(() => null))?.mtimeMs ?? 0;
}

function summaryOf(text: string): string {
  return text.replace(/\.txt$/, ".summary.md");
}

/** One turn: read, choose, write. The prompt says how many sentences. */
async function write(text: string, prompt: string): Promise<void> {
  const count = Number(/^sentences:\s*(\d+)/m.exec(prompt)?.[1] ?? 2);
  const content = await readFile(join(folder, text), "utf8");
  await sleep(paceMs);
  const summary = join(folder, summaryOf(text));
  // Beside it first: nobody ever reads half a summary.
  await writeFile(
    `${summary}.draft`,
    summarise(content, count)
      .map((line) => `- ${line}\n`)
      .join(""),
  );
  await rename(`${summary}.draft`, summary);
  console.log(`${text}: ${count} sentences`);
}
