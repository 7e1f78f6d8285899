import type { ThreadMessage } from '@switchyard/contract/conversation/run-events';
import type { StreamedMessage } from '@switchyard/contract/conversation/stream-frames';
import { isRecord } from '@switchyard/contract/is-record';

interface SavedMessages {
  values: Record<string, unknown>;
  /** When the state was saved. */
  created_at: string | null;
}

/**
 * The messages of a state that no run of this thread has said: a branch begins with those of the thread that it was copied from.
 * Each message of a person begins a turn. A state that has lost its first messages to a summary adds nothing.
 */
export function copiedMessages(
  { values, created_at: savedAt }: SavedMessages,
  stored: readonly ThreadMessage[],
): ThreadMessage[] {
  const messages = messagesIn(values);
  const [first] = stored;
  const firstKnown = placeOfFirst(messages, stored);
  const isSummarised = first !== undefined && firstKnown < 0 && first.created_at <= (savedAt ?? '');
  if (isSummarised) return [];
  let turn = 0;
  return messages.slice(0, firstKnown < 0 ? undefined : firstKnown).map((message) => {
    if (message.type === 'human') turn += 1;
    return rowOf(message, turn);
  });
}

/** Returns whether the state has the first message of this thread itself, so that all before it, and nothing else, was copied. */
export function knowsWhatWasCopied({ values }: SavedMessages, stored: readonly ThreadMessage[]): boolean {
  return placeOfFirst(messagesIn(values), stored) >= 0;
}

function placeOfFirst(messages: readonly StreamedMessage[], [first]: readonly ThreadMessage[]): number {
  if (!first) return -1;
  return messages.findIndex(({ id }) => isRecord(first.content) && first.content.id === id);
}

function messagesIn({ messages }: Record<string, unknown>): StreamedMessage[] {
  return (Array.isArray(messages) ? messages : []).filter(isMessage);
}

function isMessage(message: unknown): message is StreamedMessage {
  return isRecord(message) && typeof message.type === 'string';
}

function rowOf(message: StreamedMessage, turn: number): ThreadMessage {
  return {
    thread_id: '',
    run_id: `copied ${turn}`,
    user_id: null,
    event_type: message.type,
    category: 'message',
    content: message,
    metadata: {},
    seq: 0,
    created_at: '',
    feedback: null,
  };
}
