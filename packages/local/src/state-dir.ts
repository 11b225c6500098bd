/** Where a user's state lives when nobody says otherwise. */
import { StateError } from "./state-error.ts";

/** `$XDG_STATE_HOME/moorage`, or below HOME; throws `homeUnset` when neither is set. */
export function defaultStateDir(environment: Readonly<Record<string, string | undefined>>): string {
  const base = environment["XDG_STATE_HOME"];
  // The base directory specification: a relative path there is to be ignored.
  if (base?.startsWith("/")) return `${base}/moorage`;
  const home = environment["HOME"];
  if (home?.startsWith("/")) return `${home}/.local/state/moorage`;
  throw new StateError(
    "homeUnset",
    "HOME is not set, so there is no place for the state",
    "set HOME, or say where the state is with `--state DIR`",
  );
}
