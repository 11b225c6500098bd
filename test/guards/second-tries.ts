/** Tells which tests passed at their second try alone: a machine that was late, or a fault that hides. */
import type { Reporter, TestCase } from "vitest/node";

export default class SecondTries implements Reporter {
  readonly #told: string[] = [];

  onTestCaseResult(test: TestCase): void {
    if (test.diagnostic()?.flaky === true) this.#told.push(`${test.module.relativeModuleId}: ${test.fullName}`);
  }

  onTestRunEnd(): void {
    for (const name of this.#told) process.stdout.write(`needed a second try: ${name}\n`);
  }
}
