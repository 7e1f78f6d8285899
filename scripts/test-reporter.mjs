import { JsonReporter } from 'vitest/node';

/**
 * Vitest's JSON report, with the errors that no test caught. They make a run fail like a failed test, and vitest's own
 * report leaves them out.
 */
export default class TestReporter extends JsonReporter {
  #errors = [];

  constructor(options) {
    super(options ?? {});
  }

  async onTestRunEnd(modules, errors) {
    this.#errors = errors.map(({ name, message, stack }) => stack ?? `${name}: ${message}`);
    await super.onTestRunEnd(modules);
  }

  async writeReport(report) {
    await super.writeReport(JSON.stringify({ ...JSON.parse(report), unhandledErrors: this.#errors }));
  }
}
