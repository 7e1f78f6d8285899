import { type Draft, DraftStore } from './model/draft-store.ts';

/** Takes what was begun before there was a thread into the thread. */
export function moveDraft(accountId: string, draft: Draft, threadId: string): void {
  const store = new DraftStore(window.localStorage, accountId);
  store.write('new', { text: '', files: [] });
  store.write(threadId, draft);
}
