import type { RunCreate } from '@switchyard/contract/conversation/run';
import type { AgUiInput, AgUiMessage } from '@switchyard/contract/doors/ag-ui';
import type { Fault } from '@switchyard/contract/errors';
import { isRecord } from '@switchyard/contract/is-record';
import { messageText } from '../../agents/message-text.ts';
import { refusal } from '../../conversation/runs/records/run-request.ts';

type Json = Record<string, unknown>;

/** What the thread has before the run. */
export interface KnownThread {
  values: Json;
  messageIds: ReadonlySet<string>;
}

/** Readers of the events get what these frames have. */
const streamModes = ['values', 'updates', 'messages-tuple', 'tools', 'custom', 'tasks'];

/** The question that is to be answered again: the last message, when the thread has it and something after it. */
export function askedAgain(
  { messages, resume, forwardedProps }: AgUiInput,
  known: KnownThread,
): string | null {
  const last = messages.at(-1);
  if (last?.role !== 'user' || resume?.length || forwardedProps?.command) return null;
  return known.messageIds.has(last.id) && [...known.messageIds].at(-1) !== last.id ? last.id : null;
}

/** Returns the run that a client of AG-UI asks for. */
export function askedRun(agent: string, input: AgUiInput, known: KnownThread): RunCreate {
  const { config, context } = input.forwardedProps ?? {};
  const command = commandOf(input);
  return {
    assistant_id: agent,
    ...(command ? { command } : { input: inputOf(input, known) }),
    ...(config && { config }),
    ...(context && { context }),
    if_not_exists: 'create',
    stream_mode: streamModes,
    stream_subgraphs: true,
  };
}

function commandOf({ resume, forwardedProps }: AgUiInput): RunCreate['command'] {
  if (!resume?.length) return forwardedProps?.command ?? null;
  const answers = resume.map(({ interruptId, payload = null }) => [interruptId, payload]);
  return { resume: Object.fromEntries(answers) as Json };
}

function inputOf({ messages, state, tools, context }: AgUiInput, { values, messageIds }: KnownThread): Json {
  const changes = Object.entries(isRecord(state) ? state : {}).filter(
    ([key, value]) => key !== 'messages' && JSON.stringify(value) !== JSON.stringify(values[key]),
  );
  const added = messages.flatMap((message, index) =>
    messageIds.has(message.id) ? [] : storedForm(message, ['messages', index]),
  );
  const ofPage = { tools: tools ?? [], context: context ?? [] };
  return {
    ...Object.fromEntries(changes),
    messages: added,
    // Graphs that are written for AG-UI or CopilotKit read here what the page offers; others have no such channel.
    ...((tools?.length || context?.length) && {
      'ag-ui': ofPage,
      copilotkit: { actions: ofPage.tools, context: ofPage.context },
    }),
  };
}

/** Activities and reasoning belong to the page. */
function storedForm(
  { id, role, name, content, toolCalls, toolCallId }: AgUiMessage,
  path: Fault['path'],
): Json[] {
  const named = { id, ...(name && { name }) };
  switch (role) {
    case 'user':
      return [{ ...named, type: 'human', content: contentOf(content, [...path, 'content']) }];
    case 'assistant': {
      const calls = (toolCalls ?? []).map((call, index) => ({
        id: call.id,
        name: call.function.name,
        args: argumentsOf(call.function.arguments, [...path, 'toolCalls', index, 'function', 'arguments']),
        type: 'tool_call',
      }));
      return [
        { ...named, type: 'ai', content: content ?? '', ...(calls.length > 0 && { tool_calls: calls }) },
      ];
    }
    case 'tool':
      return [{ ...named, type: 'tool', content: toolText(content), tool_call_id: toolCallId ?? undefined }];
    case 'system':
    case 'developer':
      return [{ ...named, type: 'system', content }];
    default:
      return [];
  }
}

function toolText(content: unknown): string {
  return typeof content === 'string' || Array.isArray(content)
    ? messageText(content)
    : JSON.stringify(content ?? '');
}

function contentOf(content: unknown, path: Fault['path']): unknown {
  if (!Array.isArray(content)) return content;
  return content.map((part: unknown, index) => {
    const at = [...path, index];
    if (!isRecord(part)) throw refusal(fault(at, 'a part of a message is an object', part));
    if (part.type === 'text') return { type: 'text', text: part.text };
    const url = part.type === 'image' && isRecord(part.source) ? addressOf(part.source) : null;
    if (url === null) throw refusal(fault(at, 'a part is text, or an image with its data or address', part));
    return { type: 'image_url', image_url: { url } };
  });
}

function addressOf({ type, value, mimeType }: Json): string | null {
  if (typeof value !== 'string') return null;
  if (type === 'url') return value;
  return type === 'data' && typeof mimeType === 'string' ? `data:${mimeType};base64,${value}` : null;
}

function argumentsOf(text: string, path: Fault['path']): unknown {
  try {
    const value: unknown = JSON.parse(text === '' ? '{}' : text);
    if (isRecord(value)) return value;
  } catch {
    // It is refused like any other JSON.
  }
  throw refusal(fault(path, 'the arguments of a call are a JSON object, as text', text));
}

function fault(path: Fault['path'], message: string, input: unknown): Omit<Fault, 'in'> {
  return { path, type: 'value_error', message: `Value error, ${message}`, input };
}
