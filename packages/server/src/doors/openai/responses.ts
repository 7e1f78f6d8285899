import type {
  OpenaiOutputItem,
  OpenaiResponse,
  OpenaiResponsesRequest,
} from '@switchyard/contract/doors/openai';
import type { AnswerPart } from './answer.ts';
import type { AnswerForm } from './chat-completions.ts';

interface NewResponse {
  id: string;
  request: OpenaiResponsesRequest;
  createdMs: number;
  isStored: boolean;
}

type Event = { type: string } & Record<string, unknown>;

/** An answer in the form of the Responses API. */
export function responseForm(response: NewResponse): AnswerForm {
  return {
    async *events(parts) {
      const writer = new ResponseWriter(response);
      yield textOf(writer.begin());
      for await (const part of parts) yield textOf(writer.add(part));
    },
    failure: (error) => {
      const { error: told } = error as {
        error: { code: string | null; message: string; param: string | null };
      };
      return textOf([
        { type: 'error', sequence_number: 0, code: told.code, message: told.message, param: told.param },
      ]);
    },
    body: (parts) => {
      const writer = new ResponseWriter(response);
      writer.begin();
      for (const part of parts) writer.add(part);
      return writer.response;
    },
  };
}

function textOf(events: readonly Event[]): string {
  return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('');
}

/** Puts the parts of an answer into items: messages, thoughts and calls, in the order in which they come. */
class ResponseWriter {
  readonly response: OpenaiResponse;
  readonly #runId: string;
  #sequence = 0;
  #open: OpenaiOutputItem | null = null;
  #callIndex = -1;

  constructor({ id, request, createdMs, isStored }: NewResponse) {
    this.#runId = id;
    this.response = {
      id: `resp_${id}`,
      object: 'response',
      created_at: Math.floor(createdMs / 1_000),
      status: 'in_progress',
      error: null,
      incomplete_details: null,
      instructions: request.instructions ?? null,
      metadata: request.metadata ?? {},
      model: request.model,
      output: [],
      parallel_tool_calls: request.parallel_tool_calls ?? true,
      previous_response_id: request.previous_response_id ?? null,
      store: isStored,
      temperature: request.temperature ?? null,
      tool_choice: request.tool_choice ?? 'auto',
      tools: request.tools ?? [],
      top_p: request.top_p ?? null,
      usage: null,
    };
  }

  begin(): Event[] {
    return [
      this.#event('response.created', this.#whole()),
      this.#event('response.in_progress', this.#whole()),
    ];
  }

  add(part: AnswerPart): Event[] {
    switch (part.type) {
      case 'text':
        return [...this.#begun('message'), ...this.#text(part.text)];
      case 'reasoning':
        return [...this.#begun('reasoning'), ...this.#thought(part.text)];
      case 'call':
        return this.#call(part);
      default:
        return [...this.#close(), ...this.#end(part)];
    }
  }

  #text(delta: string): Event[] {
    const [content] = this.#open?.content ?? [];
    if (content) content.text += delta;
    return [this.#ofItem('response.output_text.delta', { content_index: 0, delta, logprobs: [] })];
  }

  #thought(delta: string): Event[] {
    const [summary] = this.#open?.summary ?? [];
    if (summary) summary.text += delta;
    return [this.#ofItem('response.reasoning_summary_text.delta', { summary_index: 0, delta })];
  }

  #call({ index, id, name, args }: Extract<AnswerPart, { type: 'call' }>): Event[] {
    const isNew = this.#open?.type !== 'function_call' || index !== this.#callIndex;
    this.#callIndex = index;
    const begun = isNew
      ? this.#newItem({ type: 'function_call', call_id: id ?? '', name: name ?? '', arguments: '' })
      : [];
    if (this.#open) this.#open.arguments += args;
    return args === ''
      ? begun
      : [...begun, this.#ofItem('response.function_call_arguments.delta', { delta: args })];
  }

  /** Goes on with the open item of this type, or begins one. */
  #begun(type: 'message' | 'reasoning'): Event[] {
    if (this.#open?.type === type) return [];
    if (type === 'message') {
      const part = { type: 'output_text' as const, text: '', annotations: [] };
      const opened = this.#newItem({ type, role: 'assistant', content: [] });
      this.#open?.content?.push(part);
      return [
        ...opened,
        this.#ofItem('response.content_part.added', { content_index: 0, part: { ...part } }),
      ];
    }
    const part = { type: 'summary_text' as const, text: '' };
    const opened = this.#newItem({ type, summary: [] });
    this.#open?.summary?.push(part);
    return [
      ...opened,
      this.#ofItem('response.reasoning_summary_part.added', { summary_index: 0, part: { ...part } }),
    ];
  }

  #newItem(item: Omit<OpenaiOutputItem, 'id'>): Event[] {
    const closed = this.#close();
    const prefix = { message: 'msg', reasoning: 'rs', function_call: 'fc' }[item.type];
    this.#open = {
      ...item,
      id: `${prefix}_${this.#runId}_${this.response.output.length}`,
      status: 'in_progress',
    };
    this.response.output.push(this.#open);
    const shown = structuredClone(this.#open);
    return [...closed, this.#event('response.output_item.added', { output_index: this.#index, item: shown })];
  }

  #close(): Event[] {
    const item = this.#open;
    if (!item) return [];
    item.status = 'completed';
    const done = [
      ...this.#doneOf(item),
      this.#event('response.output_item.done', { output_index: this.#index, item }),
    ];
    this.#open = null;
    return done;
  }

  #doneOf({ type, content, summary, arguments: args, name }: OpenaiOutputItem): Event[] {
    const [part] = content ?? summary ?? [];
    if (type === 'function_call')
      return [this.#ofItem('response.function_call_arguments.done', { arguments: args, name })];
    if (type === 'reasoning')
      return [
        this.#ofItem('response.reasoning_summary_text.done', { summary_index: 0, text: part?.text }),
        this.#ofItem('response.reasoning_summary_part.done', { summary_index: 0, part }),
      ];
    return [
      this.#ofItem('response.output_text.done', { content_index: 0, text: part?.text, logprobs: [] }),
      this.#ofItem('response.content_part.done', { content_index: 0, part }),
    ];
  }

  #end({ reason, usage: { input, output, cached } }: Extract<AnswerPart, { type: 'end' }>): Event[] {
    const why = reason === 'length' ? 'max_output_tokens' : reason === 'content_filter' ? reason : null;
    this.response.status = why === null ? 'completed' : 'incomplete';
    this.response.incomplete_details = why === null ? null : { reason: why };
    this.response.usage = {
      input_tokens: input,
      input_tokens_details: { cached_tokens: cached },
      output_tokens: output,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: input + output,
    };
    return [this.#event(`response.${this.response.status}`, this.#whole())];
  }

  #whole(): object {
    return { response: { ...this.response, output: [...this.response.output] } };
  }

  get #index(): number {
    return this.response.output.length - 1;
  }

  #ofItem(type: string, rest: object): Event {
    return this.#event(type, { item_id: this.#open?.id, output_index: this.#index, ...rest });
  }

  #event(type: string, rest: object): Event {
    return { type, sequence_number: this.#sequence++, ...rest };
  }
}
