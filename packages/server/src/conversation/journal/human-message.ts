import { isRecord } from '@switchyard/contract/is-record';
import { type MessageContent, messageText } from '../../agents/message-text.ts';

type Json = Record<string, unknown>;

const humanRoles = new Set(['human', 'user']);

/** The last message of the user in the input of a run, in the stored form. Undefined when there is none to show. */
export function humanMessageIn(input: unknown): Json | undefined {
  const messages = isRecord(input) ? input.messages : undefined;
  const list = Array.isArray(messages) ? messages : [messages];
  const last = list.findLast(isHuman);
  const message = typeof last === 'string' ? { content: last } : (last as Json | undefined);
  return message && hasContent(message) ? humanMessage(message) : undefined;
}

/**
 * Returns the input with an id for each message that has none. Journal, state and stream then know a message by the same id, even
 * when the run is started again.
 */
export function withMessageIds(input: unknown, newId: () => string): unknown {
  if (!isRecord(input)) return input;
  const { messages } = input;
  const named = (message: unknown): unknown => {
    if (typeof message === 'string') return { type: 'human', content: message, id: newId() };
    if (!isRecord(message) || typeof message.id === 'string') return message;
    return 'content' in message ? { ...message, id: newId() } : message;
  };
  if (Array.isArray(messages)) return { ...input, messages: messages.map(named) };
  return typeof messages === 'string' || isRecord(messages)
    ? { ...input, messages: [named(messages)] }
    : input;
}

function humanMessage({ role: _role, type: _type, ...rest }: Json): Json {
  return { type: 'human', additional_kwargs: {}, response_metadata: {}, name: null, id: null, ...rest };
}

function isHuman(message: unknown): boolean {
  if (typeof message === 'string') return true;
  return isRecord(message) && humanRoles.has(String(message.type ?? message.role));
}

function hasContent({ content }: Json): boolean {
  return Array.isArray(content) ? content.length > 0 : messageText(content as MessageContent) !== '';
}
