import { isRecord } from '@switchyard/contract/is-record';
import { messageText } from '../../agents/message-text.ts';
import { isHidden } from '../hidden-message.ts';

/** A message in the form in which states hold it on the wire. */
export interface TurnMessage {
  id: string;
  type: string;
  name?: string | null;
  content: unknown;
  additional_kwargs: Record<string, unknown>;
  tool_calls?: unknown[];
}

/** The messages of a turn, from the question of the user to the end. */
export interface Turn {
  question: TurnMessage;
  /** The messages after the question, those of tools included. */
  rest: TurnMessage[];
}

/** The messages of a state that have an id. Those of other graphs may have another form. */
export function messagesIn({ messages }: Record<string, unknown>): TurnMessage[] {
  if (!Array.isArray(messages)) return [];
  return messages.filter(isRecord).flatMap((message) => {
    const { id, type, additional_kwargs: extra } = message;
    if (typeof id !== 'string' || typeof type !== 'string') return [];
    return [
      { ...message, id, type, content: message.content, additional_kwargs: isRecord(extra) ? extra : {} },
    ];
  });
}

/** The turn that the visible answer with this id belongs to; null when no question of the user is before it. */
export function turnOfAnswer(messages: readonly TurnMessage[], answerId: string): Turn | null {
  const at = messages.findIndex(({ id }) => id === answerId);
  const asked = messages.slice(0, Math.max(at, 0)).findLastIndex(isQuestion);
  const question = messages[asked];
  return question ? { question, rest: messages.slice(asked + 1) } : null;
}

/** Returns whether the recorded content is the message with this id. */
export function isMessage(content: unknown, messageId: string): boolean {
  return isRecord(content) && content.id === messageId;
}

export function isQuestion(message: TurnMessage): boolean {
  return message.type === 'human' && !isHidden(message);
}

export function isVisibleAnswer(message: TurnMessage): boolean {
  return message.type === 'ai' && !isHidden(message);
}

export function lastShown(messages: readonly TurnMessage[]): TurnMessage | undefined {
  return messages.findLast((message) => isQuestion(message) || isVisibleAnswer(message));
}

export function textIn({ content }: TurnMessage): string {
  return messageText(content as string);
}
