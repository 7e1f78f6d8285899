import { isRecord } from '@switchyard/contract/is-record';
import { leadAgentName } from '../../agents/agent-ids.ts';
import { messageText, titleOfQuestion } from '../../agents/message-text.ts';
import { AppError } from '../../lib/app-error.ts';
import type { Owner } from '../../lib/owner.ts';
import { isHidden } from '../hidden-message.ts';
import type { ThreadRow } from '../tables.ts';
import { userScope } from '../user-scope.ts';
import { graphIdOf } from './saved-states.ts';

type Json = Record<string, unknown>;
type Titled = Pick<ThreadRow, 'display_name' | 'title_by_hand' | 'metadata'>;

/** Rules 1 and 4: users see their own records and shared ones, and never those of other users. */
export function isVisibleTo(owner: Owner, { user_id }: Pick<ThreadRow, 'user_id'>): boolean {
  const userId = userScope(owner);
  return userId === null || user_id === null || user_id === userId;
}

/** The assistant of a run in this thread that names none: a thread goes on with that of its last run. */
export function assistantOf(thread: Pick<ThreadRow, 'assistant_id'> | null): string {
  return thread?.assistant_id ?? leadAgentName;
}

/** The same sentence for a thread that never existed, a deleted one and one of another user. */
export function threadNotFound(threadId: string): AppError {
  return new AppError('thread_not_found', { message: `Thread ${threadId} not found`, named: threadId });
}

/** The title that a state gives its thread, cut to what a list shows. */
export function titleInState({ title }: Record<string, unknown>): string | undefined {
  if (typeof title !== 'string' || title.trim() === '') return undefined;
  return [...title].slice(0, 256).join('');
}

/** The title of a thread whose agent has written none: the first question of a person. Null when there is none. */
export function titleOfTurn({ messages }: Json): string | null {
  if (!Array.isArray(messages)) return null;
  const question = messages.find(
    (message): message is Json => isRecord(message) && message.type === 'human' && !isHidden(message),
  );
  return question ? titleOfQuestion(messageText(question.content as string)) : null;
}

/** The title of a thread of a user's own graph, whose state may have any form: its question, its first text, or the graph. */
export function titleOfOwnState(values: Json, graphId: string): string {
  const text = Object.values(values)
    .flat()
    .find((value) => typeof value === 'string' && value.trim() !== '');
  return titleOfTurn(values) ?? titleOfQuestion((text as string | undefined) ?? graphId);
}

/** The title that the user has given the thread; null when the user has given none. */
export function titleByHand(thread: Titled | null): string | null {
  return thread?.title_by_hand === 1 ? thread.display_name : null;
}

/**
 * The values of a thread's newest state with the title of the thread. A stopped run has written none, and an older state that the
 * thread returned to has the title of that time. The states of users' own graphs stay as they are.
 */
export function withThreadTitle(thread: Titled | null, values: Json): Json {
  if (!thread || thread.display_name === null || graphIdOf(thread) !== leadAgentName) return values;
  const isKept = typeof values.title === 'string' && values.title !== '' && thread.title_by_hand === 0;
  return isKept ? values : { ...values, title: thread.display_name };
}
