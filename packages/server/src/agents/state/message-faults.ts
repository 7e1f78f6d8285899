import type { Fault } from '@switchyard/contract/errors';
import { isRecord } from '@switchyard/contract/is-record';
import { AppError } from '../../lib/app-error.ts';

type BodyFault = Omit<Fault, 'in'>;
type Path = (string | number)[];

/** Names that LangChain knows: its own names of messages, and those of chat-completion interfaces. */
const kinds = ['human', 'user', 'ai', 'assistant', 'system', 'developer', 'tool', 'remove'] as const;
const maxFaults = 10;

/**
 * Refuses what cannot become messages of a conversation, before anything is stored. It accepts all that LangGraph's clients send:
 * text, `[role, content]`, records with a `role` or a `type`, a single message or a list, and no messages at all.
 */
export function requireMessages(messages: unknown, path: Path): void {
  const faults = faultsInMessages(messages, path).slice(0, maxFaults);
  if (faults.length === 0) return;
  throw new AppError('validation_failed', { faults: faults.map((fault) => ({ in: 'body', ...fault })) });
}

/** Returns the messages in a change of the state. */
export function messagesOf(values: unknown): unknown {
  return isRecord(values) ? values.messages : undefined;
}

function faultsInMessages(messages: unknown, path: Path): BodyFault[] {
  if (messages === undefined) return [];
  if (!Array.isArray(messages)) return faultsIn(messages, path);
  return messages.flatMap((message: unknown, index) => faultsIn(message, [...path, index]));
}

function faultsIn(message: unknown, path: Path): BodyFault[] {
  if (typeof message === 'string') return [];
  if (Array.isArray(message)) return faultsInPair(message, path);
  if (!isRecord(message)) {
    return [
      fault(path, {
        type: 'message_type',
        text: 'a message is text, an object or [role, content]',
        input: message,
      }),
    ];
  }
  return isSerialized(message) ? [] : faultsInRecord(message, path);
}

function faultsInPair(pair: unknown[], path: Path): BodyFault[] {
  const [kind, content] = pair;
  if (pair.length !== 2) {
    return [
      fault(path, {
        type: 'message_type',
        text: 'a message that is a list has a role and a content',
        input: pair,
      }),
    ];
  }
  return [...kindFaults(kind, [...path, 0]), ...contentFaults(content, [...path, 1])];
}

function faultsInRecord(message: Record<string, unknown>, path: Path): BodyFault[] {
  // LangChain reads the role before the type.
  const key = typeof message.role === 'string' || message.type === undefined ? 'role' : 'type';
  const kind = message[key];
  if (kind === undefined || kind === null) {
    return [
      fault([...path, 'role'], { type: 'missing', text: 'a message has a role or a type', input: message }),
    ];
  }
  const { content, id, tool_call_id: callId } = message;
  const isText = (value: unknown): boolean =>
    value === undefined || value === null || typeof value === 'string';
  const others: BodyFault[] = [];
  if (!isText(id))
    others.push(fault([...path, 'id'], { type: 'string_type', text: 'an id is text', input: id }));
  if (kind === 'tool' && typeof callId !== 'string') {
    const text = 'the result of a tool names the call that it answers';
    others.push(fault([...path, 'tool_call_id'], { type: 'missing', text, input: callId }));
  }
  if (kind === 'remove') return typeof id === 'string' ? others : [...others, noIdToRemove(path, id)];
  return [...kindFaults(kind, [...path, key]), ...contentFaultsOf(message, content, path), ...others];
}

/** An answer that only calls tools may have no content. */
function contentFaultsOf(message: Record<string, unknown>, content: unknown, path: Path): BodyFault[] {
  const callsTools = Array.isArray(message.tool_calls) && message.tool_calls.length > 0;
  if (callsTools && (content === undefined || content === null)) return [];
  return contentFaults(content, [...path, 'content']);
}

function noIdToRemove(path: Path, id: unknown): BodyFault {
  return fault([...path, 'id'], { type: 'missing', text: 'what is to be removed has an id', input: id });
}

function kindFaults(kind: unknown, path: Path): BodyFault[] {
  if (kinds.some((known) => known === kind)) return [];
  return [fault(path, { type: 'literal_error', text: `a role is one of ${kinds.join(', ')}`, input: kind })];
}

function contentFaults(content: unknown, path: Path): BodyFault[] {
  if (typeof content === 'string') return [];
  if (content === undefined)
    return [fault(path, { type: 'missing', text: 'a message has a content', input: null })];
  if (!Array.isArray(content)) {
    return [
      fault(path, { type: 'content_type', text: 'a content is text or a list of blocks', input: content }),
    ];
  }
  return content.flatMap((block: unknown, index) => {
    if (typeof block === 'string' || (isRecord(block) && typeof block.type === 'string')) return [];
    return [fault([...path, index], { type: 'content_type', text: 'a block has a type', input: block })];
  });
}

function fault(path: Path, { type, text, input }: { type: string; text: string; input: unknown }): BodyFault {
  return { path, type, message: `Value error, ${text}`, input };
}

/** Recognises LangChain's own serialised form. */
function isSerialized(message: Record<string, unknown>): boolean {
  return message.lc === 1 && Array.isArray(message.id) && isRecord(message.kwargs);
}
