/** The last lines that an agent wrote, for the report of its end. */
import type { Cluster } from "@moorage/kubernetes";

const shownLines = 10;
const longestLine = 300;

/** Without what would move a cursor. Rejects when nothing can be read. Not redacted yet. */
export async function lastLines(cluster: Pick<Cluster, "podLog">, pod: string): Promise<string[]> {
  const lines: string[] = [];
  for await (const event of cluster.podLog({ pod, tail: shownLines, follow: null }))
    if (event.kind === "line") lines.push(harmless(new TextDecoder().decode(event.bytes)).slice(0, longestLine));
  return lines.slice(-shownLines);
}

function harmless(text: string): string {
  return text.replace(/\p{Cc}\[[0-9;?]*[ -/]*[@-~]/gu, "").replace(/[^\P{Cc}\t]|[\u202a-\u202e\u2066-\u2069]/gu, "");
}
