/** One thing that was looked at on the way to a cluster, for whoever wants to know whether all is well. */

export interface Check {
  readonly name: string;
  /** `note`: good to know, nothing has to be done. */
  readonly state: "ok" | "note" | "warning" | "problem";
  readonly message: string;
  /** How to repair it; null when there is nothing to. */
  readonly hint: string | null;
}

export function ok(name: string, message: string): Check {
  return { name, state: "ok", message, hint: null };
}

export function note(name: string, message: string, hint: string): Check {
  return { name, state: "note", message, hint };
}

export function warning(name: string, message: string, hint: string): Check {
  return { name, state: "warning", message, hint };
}

export function problem(name: string, message: string, hint: string): Check {
  return { name, state: "problem", message, hint };
}
