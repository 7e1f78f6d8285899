import type { Fact } from './fact.ts';
import { NotObservable } from './not-observable.ts';
import type { Subject } from './subject.ts';

/** Returns undefined when the fact holds, and the reason when it cannot be seen. Throws when it does not hold. */
export async function checkFact(fact: Fact, subject: Subject): Promise<string | undefined> {
  try {
    await fact.check(subject);
    return undefined;
  } catch (error) {
    if (error instanceof NotObservable) return error.message;
    throw error;
  } finally {
    await subject.tidy();
  }
}
