/** The log of an agent that also remembers its end, for who has to say why the agent is no more. */
import type { LogWriter } from "@moorage/harness";

export interface TailLog extends LogWriter {
  /** The last lines that came in this run, as text. */
  tail(): string;
}

/** Some hundred lines. Only whole ones are told: half of a secret value would not be known as one. */
const bytesAtMost = 16_384;

export function tailLog(log: LogWriter): TailLog {
  let last: Buffer = Buffer.alloc(0);
  let cut = false;
  return {
    get lostBytes() {
      return log.lostBytes;
    },
    write(stream, bytes) {
      log.write(stream, bytes);
      const both = Buffer.concat([last, bytes.subarray(-bytesAtMost)]);
      cut ||= last.length + bytes.length > bytesAtMost;
      last = both.subarray(-bytesAtMost);
    },
    close: () => log.close(),
    tail() {
      const whole = cut ? last.indexOf("\n") + 1 || last.length : 0;
      return last.toString("utf8", whole);
    },
  };
}
