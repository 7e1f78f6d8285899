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
