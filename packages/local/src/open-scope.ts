/** Opens a state directory: checks that it may be used, brings the database up and composes the scope over it. */
import type { Scope, ScopeOptions } from "./scope.ts";

/** Throws a `StateError` when the directory or its database cannot be used; then nothing has been written. */
export async function openScope(options: ScopeOptions): Promise<Scope> {
  throw new Error(`not there yet: ${options.stateDir}`);
}
