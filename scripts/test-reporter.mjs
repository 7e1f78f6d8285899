import { JsonReporter } from 'vitest/node';

/**
 * Vitest's JSON report, with the errors that belong to no test: those of hooks around the tests of a file, and those that nothing
 * caught. They make a run fail like a failed test, and vitest's own report leaves them out.
 */
export default class TestReporter extends JsonReporter {
  #errors = [];

  constructor(options) {
    super(options ?? {});
  }

  async onTestRunEnd(modules, errors) {
    const uncaught = errors.map((error) => `No test caught this error:\n${textOf(error)}`);
    this.#errors = [...modules.flatMap(errorsAroundTests), ...uncaught];
    await super.onTestRunEnd(modules);
  }

  async writeReport(report) {
    await super.writeReport(JSON.stringify({ ...JSON.parse(report), otherErrors: this.#errors }));
  }
}

/** A file that could not be loaded has no tests, and vitest's report shows its error. */
function errorsAroundTests(module) {
  const [first] = module.children.allTests();
  const ofFile =
    first === undefined ? [] : module.errors().map((error) => `${module.moduleId}\n${textOf(error)}`);
  const suites = [...module.children.allSuites()];
  const ofSuites = suites.flatMap((suite) =>
    suite.errors().map((error) => `${module.moduleId}: around ${suite.fullName}\n${textOf(error)}`),
  );
  return [...ofFile, ...ofSuites];
}

function textOf({ name, message, stack }) {
  return stack ?? `${name}: ${message}`;
}
