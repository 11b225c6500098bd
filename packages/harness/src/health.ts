/** How an agent fares, as far as it tells: shown, and a reason to act only while a bundle is on trial. */

export type Health =
  | { readonly kind: "unknown" }
  | { readonly kind: "healthy"; readonly detail: string | null }
  /** `since` is ISO 8601, for people. */
  | { readonly kind: "unhealthy"; readonly since: string; readonly detail: string | null };

export type HealthSource =
  | { readonly kind: "none" }
  | { readonly kind: "socket" }
  /** Healthy while the file's modification is younger than `maxAgeMs`. */
  | { readonly kind: "file"; readonly path: string; readonly maxAgeMs: number };

/** What the agent put, as the next health. An unhealthy one keeps the time since when it is that. */
export function toldHealth(before: Health, told: { ok: boolean; detail: string | null }, at: string): Health {
  if (told.ok) return { kind: "healthy", detail: told.detail };
  return { kind: "unhealthy", since: before.kind === "unhealthy" ? before.since : at, detail: told.detail };
}

/**
 * The health of a file that was modified at `modifiedAt`, or is absent (null); all times in milliseconds since 1970, as
 * the file system tells them. A file that was never there leaves the health unknown; one in the future is young.
 */
export function fileHealth(before: Health, modifiedAt: number | null, now: number, maxAgeMs: number): Health {
  if (modifiedAt === null) {
    if (before.kind !== "healthy") return before;
    return { kind: "unhealthy", since: new Date(now).toISOString(), detail: "its health file is gone" };
  }
  if (now - modifiedAt < maxAgeMs) return { kind: "healthy", detail: null };
  if (before.kind === "unhealthy") return before;
  const since = new Date(modifiedAt + maxAgeMs).toISOString();
  return { kind: "unhealthy", since, detail: `its health file is older than ${Math.round(maxAgeMs / 1000)} s` };
}

/** Whether there is anything to tell anew. */
export function sameHealth(one: Health, other: Health): boolean {
  if (one.kind === "unknown" || other.kind === "unknown") return one.kind === other.kind;
  return one.kind === other.kind && one.detail === other.detail;
}
