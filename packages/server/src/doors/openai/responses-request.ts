import type { OpenaiResponsesRequest } from '@switchyard/contract/doors/openai';
import { isRecord } from '@switchyard/contract/is-record';
import type { AnswerRequest, ChatMessage } from './answer.ts';
import { callOf, contentOf, formatOf, threadIdIn, toolsOf } from './chat-request.ts';
import { invalid, OpenaiRefusal, unsupported } from './openai-errors.ts';

const maxItems = 10_000;
const uuid = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
const responseId = new RegExp(`^resp_(${uuid})$`);
const itemId = new RegExp(`^(?:msg|rs|fc)_(${uuid})_\\d+$`);

/** Returns the thread of an earlier answer of the caller; null when it is gone or was not kept. */
export type ThreadOfRun = (runId: string) => Promise<string | null>;

/** Reads a request of the Responses API. An answer of before, named by its id or by its items, is a run, whose thread goes on. */
export async function responsesRequestOf(
  body: OpenaiResponsesRequest,
  { threadOfRun }: { threadOfRun: ThreadOfRun },
): Promise<AnswerRequest> {
  const { instructions, temperature, top_p } = body;
  const items = itemsOf(body.input);
  const last = items.findLastIndex(isReference);
  const messages = items
    .slice(last + 1)
    .flatMap((item, index) => messageOf(item, `input.${last + 1 + index}`));
  const threadId =
    threadIdIn(body.metadata) ?? (await threadBefore(body, { item: items[last], threadOfRun }));
  if (messages.length === 0) throw invalid('input', 'It has no message. Send text or a list of messages.');
  return {
    model: body.model,
    messages: instructions ? [{ role: 'system', content: instructions }, ...messages] : messages,
    threadId,
    isKept: threadId !== null || body.store !== false,
    tools: toolsOf(body.tools ?? [], 'tools'),
    toolChoice: choiceOf(body.tool_choice),
    isParallel: body.parallel_tool_calls ?? null,
    responseFormat: formatOf(body.text?.format, 'text.format'),
    effort: body.reasoning?.effort ?? null,
    sampling: {
      temperature: temperature ?? null,
      topP: top_p ?? null,
      maxTokens: body.max_output_tokens ?? null,
      frequencyPenalty: null,
      presencePenalty: null,
      seed: null,
      stop: [],
    },
    fields: {
      tools: 'tools',
      responseFormat: 'text.format',
      thread: body.previous_response_id
        ? 'previous_response_id'
        : last === -1
          ? 'metadata.thread_id'
          : 'input',
    },
  };
}

async function threadBefore(
  { previous_response_id: previous }: OpenaiResponsesRequest,
  { item, threadOfRun }: { item: unknown; threadOfRun: ThreadOfRun },
): Promise<string | null> {
  const named = isRecord(item) ? itemId.exec(String(item.id)) : null;
  if (item !== undefined && !named)
    throw notFound('input', 'An item_reference names no item of an earlier answer.');
  const before = previous ? responseId.exec(previous) : null;
  if (previous && !before) throw notFound('previous_response_id', `There is no response '${previous}'.`);
  const runId = before?.[1] ?? named?.[1];
  if (runId === undefined) return null;
  const threadId = await threadOfRun(runId);
  if (threadId !== null) return threadId;
  throw notFound(
    before ? 'previous_response_id' : 'input',
    'The earlier answer is not kept: it was one of a plain model, was made with store: false, or its thread was deleted. Send the whole history with store: false.',
  );
}

function notFound(param: string, message: string): OpenaiRefusal {
  return new OpenaiRefusal('previous_response_not_found', { param, message });
}

function itemsOf(input: unknown): unknown[] {
  if (typeof input === 'string') return [{ role: 'user', content: input }];
  if (!Array.isArray(input)) throw invalid('input', 'It is text or a list of items.');
  if (input.length > maxItems) throw invalid('input', `It has more than ${maxItems} items.`);
  return input;
}

function isReference(item: unknown): boolean {
  return isRecord(item) && item.type === 'item_reference';
}

function messageOf(item: unknown, field: string): ChatMessage[] {
  if (!isRecord(item)) throw invalid(field, 'An item is an object.');
  const { type = 'message', role, content, call_id: callId, name, arguments: args, output } = item;
  switch (type) {
    case 'message': {
      const known = role === 'developer' ? 'system' : role;
      if (known !== 'system' && known !== 'user' && known !== 'assistant')
        throw invalid(`${field}.role`, 'A role is user, assistant, system or developer.');
      return [{ role: known, content: contentOf(content, `${field}.content`) }];
    }
    case 'function_call':
      return [{ role: 'assistant', content: '', tool_calls: [callOf({ id: callId, name, args }, field)] }];
    case 'function_call_output':
      if (typeof callId !== 'string')
        throw invalid(`${field}.call_id`, 'An output names the call that it answers.');
      return [{ role: 'tool', content: contentOf(output, `${field}.output`), tool_call_id: callId }];
    case 'reasoning':
      return [];
    default:
      throw unsupported(
        `${field}.type`,
        'An item is a message, function_call, function_call_output or reasoning here.',
      );
  }
}

/** Chat completions name a function one level deeper. */
function choiceOf(choice: unknown): unknown {
  if (!isRecord(choice) || choice.type !== 'function') return choice ?? null;
  return { type: 'function', function: { name: choice.name } };
}
