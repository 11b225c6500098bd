/** Who decides, as this machine knows them: the login name and the host's. */
import { hostname, userInfo } from "node:os";

export function whoDecides(): string {
  return `${loginName()}@${hostname()}`;
}

/** A user without an entry among the machine's has a number alone. */
function loginName(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.() ?? "?"}`;
  }
}
