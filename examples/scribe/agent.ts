/** The scribe: works through a folder of texts, one turn each, and writes a summary beside each. It needs no network. */
import { readdir, readFile, rename, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { connect } from "@moorage/agent";
import { summarise } from "./summarise.ts";

const folder = process.env["TEXTS"] ?? "texts";
const paceMs = Number(process.env["SECONDS_PER_TEXT"] ?? "1") * 1000;

const ending = new AbortController();
process.once("SIGTERM", () => ending.abort());
process.once("SIGINT", () => ending.abort());

const agent = await connect();
console.log(`working through ${folder}`);
while (!ending.signal.aborted) {
  for (const text of await due()) {
    if (ending.signal.aborted || agent.draining) break;
    await agent.turn(async ({ catalog }) => write(text, catalog.text("prompts/system.md")));
  }
  await sleep(1000, undefined, { signal: ending.signal }).catch(() => undefined);
}
console.log("ending");

/** Texts without a summary, or with one that is older than they are. */
async function due(): Promise<string[]> {
  const texts = (await readdir(folder)).filter((name) => name.endsWith(".txt")).sort();
  const found: string[] = [];
  for (const text of texts) if ((await changedAt(summaryOf(text))) < (await changedAt(text))) found.push(text);
  return found;
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
  await writeFile(`${summary}.draft`, summarise(content, count).map((line) => `- ${line}\n`).join(""));
  await rename(`${summary}.draft`, summary);
  console.log(`${text}: ${count} sentences`);
}
