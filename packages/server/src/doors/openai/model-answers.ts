import { estimatedTokens } from '../../agents/message-text.ts';
import type { AskPlainly, PlainPiece } from '../../agents/models/plain-model.ts';
import { additionsOf } from '../../agents/run-events/message-blocks.ts';
import type { ModelConfig } from '../../config/models.ts';
import type { UsageStore } from '../../conversation/usage/usage-store.ts';
import { AppError } from '../../lib/app-error.ts';
import { linkedAbort } from '../../lib/async/linked-abort.ts';
import type { Clock } from '../../lib/clock.ts';
import { newTimeOrderedId } from '../../lib/ids.ts';
import type { Log } from '../../lib/log.ts';
import { once } from '../../lib/once.ts';
import { Shares } from '../../lib/shares.ts';
import {
  type AnswerPart,
  type AnswerRequest,
  type AnswerUsage,
  type FinishReason,
  type StartedAnswer,
  textOf,
} from './answer.ts';
import { hasPictures, noVision } from './input-pictures.ts';
import { modelNotFound, unsupported } from './openai-errors.ts';

/** Calls at the same time; beyond it 429. A call holds a connection to a provider and little else. */
const maxCalls = { each: 64, together: 512 };

/** Answers of configured models: no agent, no tools of the gateway, no thread. Their tokens count in the usage as those of runs do. */
export class ModelAnswers {
  readonly #options;
  readonly #open = new Shares(maxCalls);

  constructor(options: {
    ask: AskPlainly;
    /** The names that are offered; the demo model's while none is configured. */
    names: readonly string[];
    models: readonly ModelConfig[];
    usage: Pick<UsageStore, 'addCall'>;
    clock: Clock;
    log: Pick<Log, 'error'>;
  }) {
    this.#options = options;
  }

  /** Resolves with the first piece, so that a provider that refuses is answered with a status of its own. */
  async start(
    userId: string,
    name: string,
    { request, signal }: { request: AnswerRequest; signal: AbortSignal },
  ): Promise<StartedAnswer> {
    const { names, models, clock } = this.#options;
    if (!names.includes(name)) throw modelNotFound(request.model);
    const { threadId, fields, responseFormat, messages } = request;
    const config = models.find((model) => model.name === name);
    if (hasPictures(messages) && config?.supports_vision !== true)
      throw unsupported('messages', noVision(request.model));
    if (threadId !== null)
      throw unsupported(
        fields.thread,
        'A plain model has no thread. Send the whole history, or name an agent.',
      );
    if (responseFormat !== null && config?.provider !== 'openai')
      throw unsupported(fields.responseFormat, `${request.model} gives text alone.`);
    if (this.#open.take(userId) !== 'taken')
      throw new AppError('rate_limited', {
        message: `You have ${maxCalls.each} calls of models open, or all users together ${maxCalls.together}. Wait for one to end.`,
      });
    const id = newTimeOrderedId(clock());
    const stop = linkedAbort(signal);
    const parts = this.#parts({ id, userId, name, request, signal: stop.signal });
    const close = once(() => {
      stop.abort();
      stop.release();
      this.#open.give(userId);
    });
    try {
      const first = await parts.next();
      return { id, parts: () => withFirst(first, parts), close };
    } catch (error) {
      close();
      throw error;
    }
  }

  async *#parts({
    id,
    userId,
    name,
    request,
    signal,
  }: {
    id: string;
    userId: string;
    name: string;
    request: AnswerRequest;
    signal: AbortSignal;
  }): AsyncGenerator<AnswerPart, void, undefined> {
    const { ask, usage: store, clock, log } = this.#options;
    const counted = new CallCount(request);
    let isStored = false;
    const record = async () => {
      isStored = true;
      const { input, output, cached } = counted.usage;
      await store.addCall({
        run_id: id,
        model: name,
        user_id: userId,
        ended_ms: clock(),
        first_of_run: 1,
        calls: 1,
        tokens: input + output,
        input_tokens: input,
        output_tokens: output,
        cache_read_tokens: cached,
        agent: request.model,
      });
    };
    try {
      for await (const piece of ask(callOf(name, request, signal))) {
        counted.add(piece);
        yield* partsIn(piece);
      }
      await record();
      yield { type: 'end', reason: counted.reason, usage: counted.usage };
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      // The client has gone, or the model broke off in the middle: what it has written was paid for.
      if (!isStored && counted.hasBegun)
        await record().catch((err: unknown) =>
          log.error({ err, userId }, 'The tokens of a call could not be counted'),
        );
    }
  }
}

function* partsIn(piece: PlainPiece): Generator<AnswerPart> {
  for (const addition of additionsOf({ ...piece })) {
    if (addition.kind === 'call') {
      const { key, id, name, args } = addition;
      yield { type: 'call', index: Number(key) || 0, id, name, args };
    } else if (addition.kind !== 'whole') yield { type: addition.kind, text: addition.text };
  }
}

async function* withFirst(
  first: IteratorResult<AnswerPart, void>,
  rest: AsyncGenerator<AnswerPart, void, undefined>,
): AsyncGenerator<AnswerPart, void, undefined> {
  if (first.done) return;
  yield first.value;
  yield* rest;
}

function callOf(model: string, request: AnswerRequest, signal: AbortSignal): Parameters<AskPlainly>[0] {
  const { messages, tools, effort, toolChoice, isParallel, responseFormat, sampling } = request;
  const { seed, stop, ...settings } = sampling;
  return {
    model,
    messages,
    tools,
    effort,
    settings: given(settings),
    options: given({
      seed,
      stop: stop.length > 0 ? stop : null,
      response_format: responseFormat,
      ...(tools.length > 0 && { tool_choice: toolChoice, parallel_tool_calls: isParallel }),
    }),
    signal,
  };
}

function given(values: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null));
}

/** What one call has used. A model that does not report it is estimated. */
class CallCount {
  readonly #request: AnswerRequest;
  #reported: AnswerUsage | null = null;
  #text = '';
  #reason: unknown;
  #hasCalls = false;
  hasBegun = false;

  constructor(request: AnswerRequest) {
    this.#request = request;
  }

  get usage(): AnswerUsage {
    if (this.#reported) return this.#reported;
    const said = this.#request.messages.map((message) => ({
      text: textOf(message),
      calls: message.tool_calls ?? [],
    }));
    return {
      input: estimatedTokens(said),
      output: estimatedTokens([{ text: this.#text, calls: [] }]),
      cached: 0,
    };
  }

  get reason(): FinishReason {
    if (this.#hasCalls) return 'tool_calls';
    if (this.#reason === 'length' || this.#reason === 'max_tokens') return 'length';
    return this.#reason === 'content_filter' || this.#reason === 'refusal' ? 'content_filter' : 'stop';
  }

  add(piece: PlainPiece): void {
    this.hasBegun = true;
    const { usage_metadata: usage, response_metadata: about, content } = piece;
    if (typeof content === 'string') this.#text += content;
    if (Array.isArray(piece.tool_call_chunks) && piece.tool_call_chunks.length > 0) this.#hasCalls = true;
    this.#reason = about?.finish_reason ?? about?.stop_reason ?? this.#reason;
    if (!usage) return;
    const { input, output, cached } = this.#reported ?? { input: 0, output: 0, cached: 0 };
    this.#reported = {
      input: input + usage.input_tokens,
      output: output + usage.output_tokens,
      cached: cached + (usage.input_token_details?.cache_read ?? 0),
    };
  }
}
