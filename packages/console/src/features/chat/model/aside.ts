import type { AnswerVersion } from '@switchyard/contract/conversation/answers';
import { asideMark } from '../../../lib/data/aside-mark.ts';
import type { Turn } from './turn.ts';

interface Described {
  metadata: Record<string, unknown>;
}

/** A conversation beside another one, which begins at an answer of that one and never enters it. */
export function isAside({ metadata }: Described): boolean {
  return metadata[asideMark] === true;
}

/** The conversation that a branch begins in; null for other conversations. */
export function originOf({ metadata }: Described): string | null {
  const { branch_parent_thread_id: origin } = metadata;
  return typeof origin === 'string' ? origin : null;
}

/** An aside can begin at an answer that is finished and that a run of this conversation has given. */
export function canBeginAside({ run, answerId, isLive }: Turn): boolean {
  return !isLive && run?.status === 'success' && answerId !== null;
}

/**
 * What an answer offers. A version without a stored state can only be read. A branch of the newest conversation is a copy of it;
 * one of an older version begins at its last answer, as an aside does.
 */
export function offersAt(
  last: Turn | undefined,
  { version, canBranch }: { version: AnswerVersion | null; canBranch: boolean },
): { branch: boolean; aside: boolean } {
  const aside = canBranch && version?.checkpoint_id !== null;
  const canBegin = version === null || (last !== undefined && canBeginAside(last));
  return { branch: aside && canBegin, aside };
}
