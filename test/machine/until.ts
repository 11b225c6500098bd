/** Waits for a condition with a deadline: what every test does in place of sleeping. */

/** Resolves as soon as `condition` gives anything but false, null or undefined, with that; rejects after `ms`. */
export async function until<T>(
  what: string,
  condition: () => T | Promise<T>,
  ms = 60_000,
): Promise<Exclude<T, false | null | undefined>> {
  const deadline = performance.now() + ms;
  for (;;) {
    const found = await condition();
    if (found !== false && found !== null && found !== undefined) return found as Exclude<T, false | null | undefined>;
    if (performance.now() > deadline) throw new Error(`not within ${ms} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 15));
  }
}
