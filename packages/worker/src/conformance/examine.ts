import { checkFact } from './check-fact.ts';
import type { Fact } from './fact.ts';
import { facts } from './facts.ts';
import type { Subject } from './subject.ts';
import { isNewer } from './version.ts';

export interface Examined extends Pick<Fact, 'section' | 'says' | 'isRequired'> {
  /** The versions of ComfyUI for which the fact holds, in words. */
  versions: string;
  verdict: 'ok' | 'differs' | 'not applicable';
  /** Null when the fact holds. */
  reason: string | null;
}

interface ExamineOptions {
  /** The version that the server reports; null when it reports none. */
  version: string | null;
  /** Checks only facts with these words in their section or sentence. */
  only: string;
}

/** Checks one fact after the other. A failed fact does not stop the next check. */
export async function* examine(
  subject: Subject,
  { version, only }: ExamineOptions,
): AsyncGenerator<Examined, void, undefined> {
  for (const fact of facts) {
    const { section, says, isRequired, until } = fact;
    if (!`${section}: ${says}`.includes(only)) continue;
    const versions = until === null ? `${fact.seenOn} and later` : `up to ${until}`;
    const about = { section, says, isRequired, versions };
    if (until !== null && version !== null && isNewer(version, until)) {
      yield { ...about, verdict: 'not applicable', reason: `It holds up to ${until}; this is ${version}.` };
    } else {
      yield { ...about, ...(await judge(fact, subject)) };
    }
  }
}

async function judge(fact: Fact, subject: Subject): Promise<Pick<Examined, 'verdict' | 'reason'>> {
  try {
    const notObservable = await checkFact(fact, subject);
    if (notObservable === undefined) return { verdict: 'ok', reason: null };
    return { verdict: 'not applicable', reason: notObservable };
  } catch (error) {
    return { verdict: 'differs', reason: error instanceof Error ? error.message.trim() : String(error) };
  }
}
