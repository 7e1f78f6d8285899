import type { OpenaiChatRequest } from '@switchyard/contract/doors/openai';
import { isRecord } from '@switchyard/contract/is-record';
import type { AnswerRequest, ChatMessage, FunctionTool, MessageBlock } from './answer.ts';
import { invalid, OpenaiRefusal, unsupported } from './openai-errors.ts';

const maxStops = 16;
const maxThreadIdLength = 64;

/** Reads a request of chat completions. Fields that would change the meaning of the answer and cannot be obeyed are refused. */
export function chatRequestOf(body: OpenaiChatRequest): AnswerRequest {
  refuseUnsupported(body as unknown as Record<string, unknown>);
  const { temperature, top_p, frequency_penalty, presence_penalty, seed } = body;
  const threadId = threadIdIn(body.metadata);
  return {
    model: body.model,
    messages: body.messages.map((message, index) => messageOf(message, `messages.${index}`)),
    threadId,
    isKept: threadId !== null,
    tools: toolsOf(body.tools ?? [], 'tools'),
    toolChoice: body.tool_choice ?? null,
    isParallel: body.parallel_tool_calls ?? null,
    responseFormat: formatOf(body.response_format, 'response_format'),
    effort: body.reasoning_effort ?? null,
    sampling: {
      temperature: temperature ?? null,
      topP: top_p ?? null,
      maxTokens: body.max_completion_tokens ?? body.max_tokens ?? null,
      frequencyPenalty: frequency_penalty ?? null,
      presencePenalty: presence_penalty ?? null,
      seed: seed ?? null,
      stop: stopsOf(body.stop),
    },
    fields: { tools: 'tools', responseFormat: 'response_format', thread: 'metadata.thread_id' },
  };
}

/** Null when the request names no thread. Clients put metadata of their own there, so other keys are left alone. */
export function threadIdIn(metadata: Record<string, unknown> | null | undefined): string | null {
  const id = metadata?.thread_id ?? null;
  if (id === null) return null;
  if (typeof id !== 'string' || !/^[A-Za-z0-9_-]+$/.test(id) || id.length > maxThreadIdLength)
    throw invalid(
      'metadata.thread_id',
      `A thread id has 1 to ${maxThreadIdLength} letters, digits, - and _.`,
    );
  return id;
}

/** Returns the functions of the caller in the form of chat completions. */
export function toolsOf(tools: readonly unknown[], field: string): FunctionTool[] {
  return tools.map((tool, index) => {
    const at = `${field}.${index}`;
    if (!isRecord(tool)) throw invalid(at, 'A tool is an object.');
    if (tool.type !== 'function')
      throw unsupported(`${at}.type`, 'Only tools of the type function can be passed to a model here.');
    const given = isRecord(tool.function) ? tool.function : tool;
    const { name, description, parameters, strict } = given;
    if (typeof name !== 'string' || !/^[A-Za-z0-9_.-]{1,128}$/.test(name))
      throw invalid(`${at}.name`, 'A function has a name of 1 to 128 letters, digits, _ . and -.');
    return {
      type: 'function',
      function: {
        name,
        ...(typeof description === 'string' && { description }),
        ...(isRecord(parameters) && { parameters }),
        ...(typeof strict === 'boolean' && { strict }),
      },
    };
  });
}

/** Returns null for plain text. */
export function formatOf(format: unknown, field: string): Record<string, unknown> | null {
  if (format === undefined || format === null) return null;
  if (!isRecord(format) || typeof format.type !== 'string')
    throw invalid(field, 'It is an object with a type.');
  if (format.type === 'text') return null;
  if (format.type === 'json_object') return { type: 'json_object' };
  const schema = isRecord(format.json_schema) ? format.json_schema : format;
  if (format.type !== 'json_schema' || !isRecord(schema.schema))
    throw invalid(field, 'Its type is text, json_object, or json_schema with a schema.');
  const { name = 'answer', schema: json, strict, description } = schema;
  return {
    type: 'json_schema',
    json_schema: {
      name,
      schema: json,
      ...(typeof strict === 'boolean' && { strict }),
      ...(typeof description === 'string' && { description }),
    },
  };
}

/** Returns the content of a message; its parts have the names of either interface. */
export function contentOf(content: unknown, field: string): ChatMessage['content'] {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) throw invalid(field, 'A content is text or a list of parts.');
  const blocks = content.map((part: unknown, index) => blockOf(part, `${field}.${index}`));
  const isText = blocks.every(({ type }) => type === 'text');
  return isText ? blocks.map((block) => (block.type === 'text' ? block.text : '')).join('') : blocks;
}

function blockOf(part: unknown, field: string): MessageBlock {
  if (!isRecord(part)) throw invalid(field, 'A part is an object.');
  const { type, text, refusal, image_url: picture, detail } = part;
  switch (type) {
    case 'text':
    case 'input_text':
    case 'output_text':
      if (typeof text === 'string') return { type: 'text', text };
      throw invalid(`${field}.text`, 'A part of text has a text.');
    case 'refusal':
      return { type: 'text', text: typeof refusal === 'string' ? refusal : '' };
    case 'image_url':
    case 'input_image':
      return pictureOf(picture, detail, field);
    default:
      throw unsupported(`${field}.type`, 'A part is text or an image here.');
  }
}

function pictureOf(picture: unknown, detail: unknown, field: string): MessageBlock {
  const { url, detail: inner = detail } = isRecord(picture) ? picture : { url: picture, detail };
  if (typeof url !== 'string')
    throw invalid(`${field}.image_url`, 'An image has an address: data: or https.');
  return { type: 'image_url', image_url: { url, ...(typeof inner === 'string' && { detail: inner }) } };
}

function messageOf(message: OpenaiChatRequest['messages'][number], field: string): ChatMessage {
  const { role, content, tool_calls: calls, tool_call_id: callId } = message;
  switch (role) {
    case 'assistant': {
      const made = callsOf(calls, `${field}.tool_calls`);
      const said = content === undefined || content === null ? '' : contentOf(content, `${field}.content`);
      return { role, content: said, ...(made.length > 0 && { tool_calls: made }) };
    }
    case 'tool':
      if (!callId)
        throw invalid(`${field}.tool_call_id`, 'The result of a tool names the call that it answers.');
      return { role, content: contentOf(content, `${field}.content`), tool_call_id: callId };
    case 'developer':
      return { role: 'system', content: contentOf(content, `${field}.content`) };
    default:
      return { role, content: contentOf(content, `${field}.content`) };
  }
}

function callsOf(calls: unknown, field: string): NonNullable<ChatMessage['tool_calls']> {
  if (calls === undefined || calls === null) return [];
  if (!Array.isArray(calls)) throw invalid(field, 'Calls are a list.');
  return calls.map((call: unknown, index) => {
    const at = `${field}.${index}`;
    if (!isRecord(call) || !isRecord(call.function)) throw invalid(at, 'A call has a function.');
    return callOf({ id: call.id, name: call.function.name, args: call.function.arguments }, at);
  });
}

/** A model wrote the arguments, as JSON text. */
export function callOf(
  { id, name, args }: { id: unknown; name: unknown; args: unknown },
  field: string,
): NonNullable<ChatMessage['tool_calls']>[number] {
  if (typeof id !== 'string' || typeof name !== 'string')
    throw invalid(field, 'A call has an id and a name.');
  try {
    const value: unknown = JSON.parse(String(args || '{}'));
    if (isRecord(value)) return { type: 'tool_call', id, name, args: value };
  } catch {
    // The refusal below names the field.
  }
  throw invalid(`${field}.arguments`, 'The arguments of a call are a JSON object as text.');
}

function stopsOf(stop: unknown): string[] {
  const stops = stop === undefined || stop === null ? [] : [stop].flat();
  if (stops.length > maxStops || !stops.every((each) => typeof each === 'string'))
    throw invalid('stop', `It is text or a list of at most ${maxStops} texts.`);
  return stops;
}

function refuseUnsupported(body: Record<string, unknown>): void {
  const { n, logprobs, modalities } = body;
  if (n !== undefined && n !== null && n !== 1)
    throw unsupported('n', 'A request has one answer here: leave n out.');
  if (logprobs === true) throw unsupported('logprobs', 'Probabilities of tokens are not given here.');
  if (Array.isArray(modalities) && modalities.some((each) => each !== 'text'))
    throw unsupported('modalities', 'Answers are text here.');
  const named = ['audio', 'functions', 'function_call', 'web_search_options'].find(
    (name) => body[name] !== undefined && body[name] !== null,
  );
  if (named !== undefined)
    throw new OpenaiRefusal('unsupported_parameter', {
      param: named,
      message: `${named} is not supported here.${named.startsWith('function') ? ' Use tools.' : ''}`,
    });
}
