import type { ListedThread } from '../../../lib/data/threads.ts';
import { isAside } from './aside.ts';

interface WantedThreads {
  isDeleted: (threadId: string) => boolean;
  /** Asides alone, or everything but asides. */
  asides: boolean;
}

/** Pinned threads stand above the others, and none stands twice. */
export function shownThreads(
  pinned: readonly ListedThread[],
  all: readonly ListedThread[],
  { isDeleted, asides }: WantedThreads,
): ListedThread[] {
  const threads = new Map([...pinned, ...all].map((thread) => [thread.thread_id, thread]));
  const shown = [...threads.values()].filter(
    (thread) => !isDeleted(thread.thread_id) && isAside(thread) === asides,
  );
  return [...shown.filter(isPinned), ...shown.filter((thread) => !isPinned(thread))];
}

export function isPinned({ metadata }: Pick<ListedThread, 'metadata'>): boolean {
  return metadata.pinned === true;
}

/** Returns null for a thread that has no title yet. */
export function threadTitle({ title }: Pick<ListedThread, 'title'>): string | null {
  return title || null;
}
