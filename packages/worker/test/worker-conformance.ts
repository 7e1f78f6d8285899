import { afterAll, beforeAll, describe, it } from 'vitest';
import { checkFact, facts } from '../src/conformance/examine.ts';
import { Subject, type SubjectOptions } from '../src/conformance/subject.ts';

/** Registers one test for each fact. A fact that cannot be seen here is skipped with its reason, never passed. */
export function workerConformance(
  name: string,
  makeSubject: () => Promise<SubjectOptions & { close: () => Promise<void> }>,
): void {
  describe(`worker protocol: ${name}`, () => {
    let options: Awaited<ReturnType<typeof makeSubject>>;
    beforeAll(async () => {
      options = await makeSubject();
    });

    afterAll(async () => {
      await options.close();
    });

    for (const fact of facts) {
      it(`${fact.section}: ${fact.says}`, async (context) => {
        // Shorter than the time limit of the test, so that the error names the missing event.
        const subject = new Subject({ ...options, patienceMs: context.task.timeout / 2 });
        const reason = await checkFact(fact, subject);
        context.skip(reason !== undefined, reason);
      });
    }
  });
}
