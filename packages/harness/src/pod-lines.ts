/** Plain lines of the harness's own on the container's stderr, which is the agent's as well. */
import fs from "node:fs";

/** Begins every line of ours: whoever reads the container's log tells them from the agent's. */
const linePrefix = "moorage: ";

const attemptsAtMost = 50;
const pauseMs = 10;

/**
 * One line in one write, so that it stays whole. Never through `process.stderr`: that would make the descriptor one that
 * does not block, for the agent too. Never throws: the agent is worth more than the words on it.
 */
export function writeLine(text: string, fd = 2): void {
  const line = Buffer.from(`${linePrefix}${text.replaceAll(/\s+/g, " ")}\n`);
  for (let attempt = 0, written = 0; attempt < attemptsAtMost && written < line.length; attempt += 1) {
    try {
      written += fs.writeSync(fd, line, written);
    } catch (error) {
      // An agent that made it one that does not block has filled it. Anything else: nobody reads.
      if (!(error instanceof Error && "code" in error && error.code === "EAGAIN")) return;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pauseMs);
    }
  }
}
