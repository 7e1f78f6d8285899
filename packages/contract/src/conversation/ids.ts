import { Type } from 'typebox';

/** Clients may choose it; it becomes the name of a directory. */
export const threadId = Type.String({
  pattern: '^[A-Za-z0-9_-]{1,64}$',
  description: 'At most 64 letters, digits, `_` and `-`.',
});
export const runId = Type.String({ pattern: '^[A-Za-z0-9_-]{1,64}$' });
export const threadParams = Type.Object({ thread_id: threadId });
export const runParams = Type.Object({ thread_id: threadId, run_id: runId });
