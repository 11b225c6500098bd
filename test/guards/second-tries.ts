/** Tells which tests passed at their second try alone, and how the first one failed: a machine that was late, or a fault that hides. */
import type { Reporter, TestCase } from "vitest/node";

export default class SecondTries implements Reporter {
  readonly #told: string[] = [];

  onTestCaseResult(test: TestCase): void {
    if (test.diagnostic()?.flaky !== true) return;
    const [first] = test.result().errors ?? [];
    const why = (first?.message ?? "nobody says why").replaceAll(/\s+/g, " ").slice(0, 400);
    this.#told.push(`${test.module.relativeModuleId}: ${test.fullName}: ${why}`);
  }

  onTestRunEnd(): void {
    for (const name of this.#told) process.stdout.write(`needed a second try: ${name}\n`);
  }
}
