/** Tells what a deploy does, for whoever looks why it takes so long: redacted, and below what a client keeps of it. */
import type { Journal } from "@moorage/core";

/** Bytes. */
const longestTold = 32_768;

export function diagnostics(redact: (text: string) => string, tell: (text: string) => void): Journal {
  let told = 0;
  return {
    append({ step, message }) {
      const line = `${redact(`${step}: ${message}`)}\n`;
      told += Buffer.byteLength(line);
      if (told <= longestTold) tell(line);
    },
  };
}
