/** The user's home folder: a desktop may start a program without HOME, and then the system knows. */
import { userInfo } from "node:os";

/** null: nobody knows one. */
export function homeOf(env: Readonly<Record<string, string | undefined>>): string | null {
  const { HOME: told } = env;
  if (told !== undefined && told !== "") return told;
  try {
    return userInfo().homedir;
  } catch {
    // This user's number has no entry.
    return null;
  }
}
