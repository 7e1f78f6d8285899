import { afterAll, beforeAll, describe, it } from 'vitest';
import { checkFact } from './check-fact.ts';
import { facts } from './facts.ts';
import { Subject, type SubjectOptions } from './subject.ts';

const factTimeoutMs = 120_000;

/** Registers one test for each fact. A fact that cannot be seen here is skipped with its reason, never passed. */
export function workerConformance(
  name: string,
  makeSubject: () => Promise<SubjectOptions & { close: () => Promise<void> }>,
): void {
  describe(`worker protocol: ${name}`, () => {
    let options: Awaited<ReturnType<typeof makeSubject>>;
    let subject: Subject;

    beforeAll(async () => {
      options = await makeSubject();
      subject = new Subject(options);
    });

    afterAll(async () => {
      await options.close();
    });

    for (const fact of facts) {
      it(`${fact.section}: ${fact.says}`, { timeout: factTimeoutMs }, async (context) => {
        const reason = await checkFact(fact, subject);
        context.skip(reason !== undefined, reason);
      });
    }
  });
}
