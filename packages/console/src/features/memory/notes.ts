import type { MemoryDocument } from '@switchyard/contract/conversation/memory';

/** The summaries of a memory that hold something, with the keys of their names. */
export function writtenNotes({ user, history }: Pick<MemoryDocument, 'user' | 'history'>) {
  const notes = [
    { key: 'workContext', ...user.workContext },
    { key: 'personalContext', ...user.personalContext },
    { key: 'topOfMind', ...user.topOfMind },
    { key: 'recentMonths', ...history.recentMonths },
    { key: 'earlierContext', ...history.earlierContext },
    { key: 'longTermBackground', ...history.longTermBackground },
  ];
  return notes.filter(({ summary }) => summary.trim() !== '');
}

/** Returns whether nothing is remembered. */
export function isBlank(memory: MemoryDocument): boolean {
  return memory.facts.length === 0 && writtenNotes(memory).length === 0;
}
