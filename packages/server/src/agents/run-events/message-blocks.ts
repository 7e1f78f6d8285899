import { isRecord } from '@switchyard/contract/is-record';

type Json = Record<string, unknown>;

/** A part of a piece of a message, by what it adds to. */
export type Addition =
  | { kind: 'text'; text: string }
  | { kind: 'reasoning'; text: string }
  | { kind: 'call'; key: string; id: string | null; name: string | null; args: string }
  /** A picture, a file or anything else that comes at once. */
  | { kind: 'whole'; block: Json };

/** Returns what a message, or a piece of one, adds. Providers write reasoning and calls in several ways. */
export function additionsOf(message: Json): Addition[] {
  const { content, additional_kwargs: further } = message;
  const reasoning = isRecord(further) ? further.reasoning_content : undefined;
  return [
    ...(typeof reasoning === 'string' && reasoning !== ''
      ? [{ kind: 'reasoning' as const, text: reasoning }]
      : []),
    ...contentOf(content),
    ...callsOf(message),
  ];
}

function contentOf(content: unknown): Addition[] {
  if (typeof content === 'string') return content === '' ? [] : [{ kind: 'text', text: content }];
  return Array.isArray(content) ? content.filter(isRecord).flatMap(additionOfBlock) : [];
}

/** The calls of a message stand beside its content as well, and are taken from there. */
const blocksOfCalls = new Set([
  'tool_use',
  'tool_call',
  'tool_call_chunk',
  'input_json_delta',
  'function_call',
  'invalid_tool_call',
]);

function additionOfBlock(block: Json): Addition[] {
  const { type, text, reasoning, thinking } = block;
  if (typeof type !== 'string' || blocksOfCalls.has(type)) return [];
  if (type === 'text' || type === 'text_delta') return written('text', text);
  if (type === 'reasoning' && typeof reasoning === 'string') return written('reasoning', reasoning);
  if (type === 'thinking') return written('reasoning', thinking);
  return [{ kind: 'whole', block }];
}

function written(kind: 'text' | 'reasoning', text: unknown): Addition[] {
  return typeof text === 'string' && text !== '' ? [{ kind, text }] : [];
}

function callsOf({
  tool_call_chunks: pieces,
  tool_calls: calls,
  invalid_tool_calls: broken,
}: Json): Addition[] {
  // A piece of a message has both; its whole calls are only what could be read so far.
  if (Array.isArray(pieces)) return pieces.filter(isRecord).map(callOfPiece);
  const whole = [calls, broken].flatMap((list) => (Array.isArray(list) ? list.filter(isRecord) : []));
  return whole.map((call, index) => callOfPiece({ ...call, index }));
}

function callOfPiece({ id, name, args, index }: Json): Addition {
  return {
    kind: 'call',
    key: String(index ?? id ?? 0),
    id: typeof id === 'string' ? id : null,
    name: typeof name === 'string' ? name : null,
    args: typeof args === 'string' ? args : JSON.stringify(args ?? ''),
  };
}

/** The form that a call has once it is complete. */
export function finishedCall({
  id,
  name,
  args,
}: {
  id: string | null;
  name: string | null;
  args: string;
}): Json {
  try {
    const value: unknown = JSON.parse(args === '' ? '{}' : args);
    if (isRecord(value)) return { type: 'tool_call', id, name: name ?? '', args: value };
  } catch {
    // The model's text is not JSON; clients get it as it is.
  }
  return { type: 'invalid_tool_call', id, name, args, error: 'The arguments are not a JSON object.' };
}
