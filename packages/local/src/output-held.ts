/** Whether any process, in whatever PID namespace, still holds the writing end of an agent's output: the kernel tells the reader. */
import { closeSync, constants, openSync, readSync } from "node:fs";

/** Any of these FIFOs; null when one cannot be asked. Only for outputs that nobody reads any more: what waits there is lost. */
export function outputHeld(fifos: readonly string[]): boolean | null {
  const answers = fifos.map(fifoHeld);
  if (answers.includes(true)) return true;
  return answers.includes(null) ? null : false;
}

function fifoHeld(path: string): boolean | null {
  let descriptor: number;
  try {
    descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    // Without its name nobody can ask: a process may hold it all the same.
    return (error as NodeJS.ErrnoException).code === "ENXIO" ? false : null;
  }
  try {
    const rest = Buffer.alloc(65_536);
    for (let reads = 0; reads < 64; reads += 1) if (readSync(descriptor, rest) === 0) return false;
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EAGAIN" ? true : null;
  } finally {
    closeSync(descriptor);
  }
}
