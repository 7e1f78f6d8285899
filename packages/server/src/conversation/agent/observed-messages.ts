import { randomUUID } from 'node:crypto';
import { type Json, wireValue } from './wire-values.ts';

/** A message as it is stored: flat, with every field that its kind has. */
export type MessageRecord = Record<string, Json>;

/** A message of LangChain's, or a plain record that LangGraph will make one of. */
export type Message = Record<string, unknown>;

const kinds: Record<string, string> = { assistant: 'ai', user: 'human' };

/** `human`, `ai`, `tool`, `system`, `remove`; undefined for what is no message. */
export function kindOf(value: unknown): string | undefined {
  if (!isObject(value) || !('content' in value)) return undefined;
  if (typeof value.getType === 'function') return (value as { getType(): string }).getType();
  const { type = value.role } = value;
  return typeof type === 'string' ? (kinds[type] ?? type) : undefined;
}

/** LangGraph gives messages without an id one when they reach the state; named before, journal and state agree. */
export function named(message: Message): Message {
  if (typeof message.id === 'string') return message;
  const id = randomUUID();
  if (typeof message.getType !== 'function') return { ...message, id };
  message.id = id;
  if (isObject(message.lc_kwargs)) message.lc_kwargs.id = id;
  return message;
}

export function recordOf(message: Message): MessageRecord {
  const { tool_call_chunks: _pieces, role: _role, ...fields } = wireValue(message) as MessageRecord;
  const kind = kindOf(message) ?? 'human';
  return {
    name: null,
    id: null,
    additional_kwargs: {},
    response_metadata: {},
    ...(kind === 'ai' && { tool_calls: [], invalid_tool_calls: [], usage_metadata: null }),
    ...fields,
    type: kind,
  };
}

/** The message in what a tool has answered: itself, or the first one in the update of the state that wraps it. */
export function toolMessageIn(output: unknown): Message | undefined {
  const answers = Array.isArray(output) ? output : [output];
  // A state that a tool passes on, as one that asks an agent may, is no answer of its own.
  const own = answers.filter((answer) => kindOf(answer) !== undefined || isCommand(answer));
  return messagesIn(own).find((message) => kindOf(message) === 'tool');
}

/** The messages that a node adds to the state, in their order. */
export function messagesIn(output: unknown): Message[] {
  if (kindOf(output) !== undefined) return [output as Message];
  if (Array.isArray(output)) return output.flatMap((part) => messagesIn(part));
  if (!isObject(output)) return [];
  return isCommand(output) ? messagesInUpdate(output.update) : messagesOf(output.messages);
}

/** An update is an object, or a list of channels with their values. */
function messagesInUpdate(update: unknown): Message[] {
  if (!Array.isArray(update)) return isObject(update) ? messagesOf(update.messages) : [];
  return update.flatMap((entry: unknown) =>
    Array.isArray(entry) && entry[0] === 'messages' ? messagesOf(entry[1]) : [],
  );
}

/** A record without an id gets a copy with one in its place, which is what LangGraph then makes a message of. */
function messagesOf(messages: unknown): Message[] {
  if (!Array.isArray(messages)) return kindOf(messages) === undefined ? [] : [messages as Message];
  return messages.flatMap((message: unknown, index) => {
    if (kindOf(message) === undefined) return [];
    const withId = named(message as Message);
    if (withId !== message && !Object.isFrozen(messages)) messages[index] = withId;
    return [withId];
  });
}

/** As chat-completion interfaces write messages; for the trace of a model call. */
export function completionMessage(message: MessageRecord): Json {
  const { type, content = null, name, tool_calls: calls, tool_call_id: callId } = message;
  return {
    role: roles[String(type)] ?? String(type),
    content,
    ...(typeof name === 'string' && { name }),
    ...(typeof callId === 'string' && { tool_call_id: callId }),
    ...(Array.isArray(calls) && calls.length > 0 && { tool_calls: calls.map(completionCall) }),
  };
}

const roles: Record<string, string> = { human: 'user', ai: 'assistant' };

function completionCall(call: Json): Json {
  const { id = null, name = null, args = {} } = call as Record<string, Json>;
  return { id, type: 'function', function: { name, arguments: JSON.stringify(args) } };
}

/** How LangGraph marks what a node or tool returns in order to say more than the update of the state. */
export function isCommand(value: unknown): value is { update: unknown } {
  return isObject(value) && value.lg_name === 'Command';
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
