import { serverFacts } from './a1-server.ts';
import { promptFacts } from './a2-prompt.ts';
import { queueFacts } from './a3-queue.ts';
import { fileFacts } from './a4-files.ts';
import { introspectionFacts } from './a5-introspection.ts';
import { socketFacts } from './a6-socket.ts';
import type { Fact } from './fact.ts';
import { NotObservable } from './not-observable.ts';
import type { Subject } from './subject.ts';

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

/** The facts that a worker has to meet to count as a ComfyUI server of version 0.3.64. */
export const facts: readonly Fact[] = [
  ...serverFacts,
  ...promptFacts,
  ...queueFacts,
  ...fileFacts,
  ...introspectionFacts,
  ...socketFacts,
];

/**
 * Returns whether one version of ComfyUI, such as 0.3.64, is newer than another. A text that is not a version is newer than no
 * version.
 */
export function isNewer(version: string, than: string): boolean {
  const [parts, others] = [partsOf(version), partsOf(than)];
  if (!parts || !others) return false;
  for (const [index, part] of parts.entries()) {
    const other = others[index] ?? 0;
    if (part !== other) return part > other;
  }
  return false;
}

function partsOf(version: string): number[] | null {
  const [, digits] = /^v?(\d+(?:\.\d+)*)/.exec(version) ?? [];
  return digits === undefined ? null : digits.split('.').map(Number);
}
