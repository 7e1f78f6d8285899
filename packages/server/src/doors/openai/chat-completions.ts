import type { OpenaiChatCompletion } from '@switchyard/contract/doors/openai';
import type { AnswerPart, AnswerUsage } from './answer.ts';

/** How an answer is written in one of the two interfaces. */
export interface AnswerForm {
  /** Events of a stream, one or more at once. */
  events: (parts: AsyncIterable<AnswerPart>) => AsyncGenerator<string, void, undefined>;
  /** The event that says what went wrong within a stream. */
  failure: (error: object) => string;
  /** The whole answer. */
  body: (parts: readonly AnswerPart[]) => object;
}

interface Completion {
  id: string;
  model: string;
  createdMs: number;
  /** True when the stream ends with the usage. */
  includesUsage: boolean;
}

/** An answer in the form of chat completions. */
export function chatForm({ id: runId, model, createdMs, includesUsage }: Completion): AnswerForm {
  const about = { id: `chatcmpl-${runId}`, created: Math.floor(createdMs / 1_000), model };
  const chunk = (choices: object[], rest: object = {}): string =>
    eventOf({ ...about, object: 'chat.completion.chunk', choices, ...rest });
  const delta = (content: object, reason: string | null = null): string =>
    chunk([{ index: 0, delta: content, logprobs: null, finish_reason: reason }]);
  return {
    async *events(parts) {
      yield delta({ role: 'assistant', content: '' });
      for await (const part of parts) {
        if (part.type !== 'end') {
          yield delta(deltaOf(part));
          continue;
        }
        yield delta({}, part.reason);
        if (includesUsage) yield chunk([], { usage: chatUsageOf(part.usage) });
        yield 'data: [DONE]\n\n';
      }
    },
    failure: (error) => eventOf(error),
    body: (parts) => completionOf(about, parts),
  };
}

function completionOf(
  about: Pick<OpenaiChatCompletion, 'id' | 'created' | 'model'>,
  parts: readonly AnswerPart[],
): OpenaiChatCompletion {
  const { text, reasoning, calls, end } = wholeOf(parts);
  return {
    ...about,
    object: 'chat.completion',
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: text === '' && calls.length > 0 ? null : text,
          refusal: null,
          ...(reasoning !== '' && { reasoning_content: reasoning }),
          ...(calls.length > 0 && {
            tool_calls: calls.map(({ id, name, args }) => ({
              id,
              type: 'function' as const,
              function: { name, arguments: args },
            })),
          }),
        },
        logprobs: null,
        finish_reason: end.reason,
      },
    ],
    usage: chatUsageOf(end.usage),
  };
}

interface WholeAnswer {
  text: string;
  reasoning: string;
  calls: { id: string; name: string; args: string }[];
  end: Extract<AnswerPart, { type: 'end' }>;
}

function wholeOf(parts: readonly AnswerPart[]): WholeAnswer {
  const whole: WholeAnswer = {
    text: '',
    reasoning: '',
    calls: [],
    end: { type: 'end', reason: 'stop', usage: { input: 0, output: 0, cached: 0 } },
  };
  const calls = new Map<number, WholeAnswer['calls'][number]>();
  for (const part of parts) {
    if (part.type === 'text') whole.text += part.text;
    else if (part.type === 'reasoning') whole.reasoning += part.text;
    else if (part.type === 'end') whole.end = part;
    else {
      const call = calls.get(part.index) ?? { id: '', name: '', args: '' };
      calls.set(part.index, {
        id: part.id ?? call.id,
        name: part.name ?? call.name,
        args: call.args + part.args,
      });
    }
  }
  return { ...whole, calls: [...calls.values()] };
}

function deltaOf(part: Exclude<AnswerPart, { type: 'end' }>): object {
  if (part.type === 'text') return { content: part.text };
  return part.type === 'reasoning' ? { reasoning_content: part.text } : { tool_calls: [callPieceOf(part)] };
}

function callPieceOf({ index, id, name, args }: Extract<AnswerPart, { type: 'call' }>): object {
  return {
    index,
    ...(id !== null && { id, type: 'function' }),
    function: { ...(name !== null && { name }), arguments: args },
  };
}

function chatUsageOf({ input, output, cached }: AnswerUsage): OpenaiChatCompletion['usage'] {
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    prompt_tokens_details: { cached_tokens: cached },
  };
}

function eventOf(data: object): string {
  return `data: ${JSON.stringify(data)}\n\n`;
}
