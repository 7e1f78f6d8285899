import { randomUUID } from 'node:crypto';
import type { Json } from '../../lib/json.ts';
import { wireValue } from '../state/wire-values.ts';

/** A message as it is stored: a flat record with every field of its kind. */
export type MessageRecord = Record<string, Json>;

/** A message of LangChain, or a plain record that LangGraph will turn into one. */
export type Message = Record<string, unknown>;

const kinds: Record<string, string> = { assistant: 'ai', user: 'human' };

/** Returns `human`, `ai`, `tool`, `system` or `remove`, or undefined when the value is not a message. */
export function kindOf(value: unknown): string | undefined {
  if (!isObject(value) || !('content' in value)) return undefined;
  if (typeof value.getType === 'function') return (value as { getType(): string }).getType();
  const { type = value.role } = value;
  return typeof type === 'string' ? (kinds[type] ?? type) : undefined;
}

/** Returns true for an object of LangChain, and false for a record that LangGraph has not turned into one yet. */
export function isMadeMessage(message: Message): boolean {
  return typeof message.getType === 'function';
}

/**
 * Gives a message an id. LangGraph gives one to messages without an id when they reach the state; giving it earlier makes journal
 * and state agree.
 */
export function named(message: Message): Message {
  if (typeof message.id === 'string') return message;
  const id = randomUUID();
  if (!isMadeMessage(message)) return { ...message, id };
  message.id = id;
  if (isObject(message.lc_kwargs)) message.lc_kwargs.id = id;
  return message;
}

/** Gives ids to the plain records in a list, for a state that turns them into messages. */
export function nameRecords(output: unknown): void {
  for (const list of messageListsIn(output)) {
    if (Object.isFrozen(list)) continue;
    for (const [index, message] of list.entries()) {
      if (kindOf(message) !== undefined) list[index] = named(message as Message);
    }
  }
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

/** Returns the message in a tool's answer: the answer itself, or the first message in the state update that contains it. */
export function toolMessageIn(output: unknown): Message | undefined {
  const answers = Array.isArray(output) ? output : [output];
  // A tool that asks an agent may pass on the agent's state, which is not the tool's own answer.
  const own = answers.filter((answer) => kindOf(answer) !== undefined || isCommand(answer));
  return messagesIn(own).find((message) => kindOf(message) === 'tool');
}

/** Returns the messages that a node adds to the state, in their order. */
export function messagesIn(output: unknown): Message[] {
  return messageListsIn(output).flatMap((list) =>
    list.filter((message): message is Message => kindOf(message) !== undefined),
  );
}

/** Returns the lists in what a node returns: a state, an update inside a command, or several of these. */
function messageListsIn(output: unknown): unknown[][] {
  if (kindOf(output) !== undefined) return [[output]];
  if (Array.isArray(output)) {
    return output.every((part) => kindOf(part) !== undefined) ? [output] : output.flatMap(messageListsIn);
  }
  if (isCommand(output)) return listsInUpdate(output.update);
  return isObject(output) ? listsOf(output.messages) : [];
}

/** An update is an object, or a list of channels with their values. */
function listsInUpdate(update: unknown): unknown[][] {
  if (!Array.isArray(update)) return isObject(update) ? listsOf(update.messages) : [];
  return update.flatMap((entry: unknown) =>
    Array.isArray(entry) && entry[0] === 'messages' ? listsOf(entry[1]) : [],
  );
}

function listsOf(messages: unknown): unknown[][] {
  return [Array.isArray(messages) ? messages : [messages]];
}

/** Returns a message as chat-completion interfaces write it, for the trace of a model call. */
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

/** Recognises LangGraph's mark on what a node or tool returns when it says more than the update of the state. */
export function isCommand(value: unknown): value is { update: unknown } {
  return isObject(value) && value.lg_name === 'Command';
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
