/** The last lines that an agent wrote, for the report of its end. */
import { harmless } from "@moorage/core";
import type { Cluster } from "@moorage/kubernetes";

const shownLines = 10;
const longestLine = 300;

/** Without what would move a cursor, and redacted before anything is cut off. Rejects when nothing can be read. */
export async function lastLines(
  cluster: Pick<Cluster, "podLog">,
  pod: string,
  redact: (text: string) => string,
): Promise<string[]> {
  const decoder = new TextDecoder();
  const lines: string[] = [];
  // What is taken out may have hidden a secret.
  for await (const event of cluster.podLog({ pod, tail: shownLines, follow: null }))
    if (event.kind === "line") lines.push(redact(harmless(redact(decoder.decode(event.bytes)))).slice(0, longestLine));
  return lines.slice(-shownLines);
}
