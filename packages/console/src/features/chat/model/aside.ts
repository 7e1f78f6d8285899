import { messageText } from '@switchyard/client/conversation/message-list';
import type { AnswerVersion } from '@switchyard/contract/conversation/answers';
import { asideMark } from '../../../lib/data/aside-mark.ts';
import type { Turn } from './turn.ts';

/** About as much of a name as the list of conversations shows. */
const maxSubjectLength = 60;

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
 * Returns the subject of an aside: the question that it begins at, which distinguishes it from other asides of the
 * conversation. An answer that follows no question has the title of the conversation instead, and null while there is
 * none.
 */
export function subjectOf({ human }: Turn, title: string | null): string | null {
  const question = human ? messageText(human) : '';
  const words = (question.trim() || title || '').replace(/\s+/g, ' ').trim();
  const characters = [...words];
  if (characters.length <= maxSubjectLength) return words || null;
  return `${characters.slice(0, maxSubjectLength).join('').trimEnd()}…`;
}

/**
 * Returns the actions that an answer offers. A version without a stored state can only be read. A branch of the newest
 * conversation is a copy of it; one of an older version begins at its last answer, as an aside does.
 */
export function offersAt(
  last: Turn | undefined,
  { version, canBranch }: { version: AnswerVersion | null; canBranch: boolean },
): { branch: boolean; aside: boolean } {
  const aside = canBranch && version?.checkpoint_id !== null;
  const canBegin = version === null || (last !== undefined && canBeginAside(last));
  return { branch: aside && canBegin, aside };
}
