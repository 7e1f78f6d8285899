import { isRecord } from '@switchyard/contract/is-record';
import { type MessageContent, messageText } from '../../agents/message-text.ts';
import type { ProtocolEvent } from '../../agents/run-events/protocol-event.ts';

type Json = Record<string, unknown>;

/** An event of AG-UI. */
export interface AgUiEvent extends Json {
  type: string;
}

/** A message of a model while it is written. */
interface OpenMessage {
  model: unknown;
  hasText: boolean;
  /** The id of the reasoning that is being written. */
  reasoning: string | null;
  /** The calls whose arguments are being written. */
  calls: Set<string>;
}

/** Turns the events of a run in LangGraph's second protocol into those of AG-UI. */
export class AgUiRunEvents {
  readonly #name: { threadId: string; runId: string };
  readonly #open = new Map<string, OpenMessage>();
  /** The number of tasks of a node that are at work. A step is open once, however many tasks it has. */
  readonly #steps = new Map<string, number>();
  readonly #interrupts: Json[] = [];
  readonly #usage: Json[] = [];
  #messages: unknown;
  #state = '{}';
  #isOver = false;

  constructor(name: { threadId: string; runId: string }) {
    this.#name = name;
  }

  /** `runId` is the gateway's own id of the run. */
  begin(runId: string): AgUiEvent {
    return { type: 'RUN_STARTED', ...this.#name, metadata: { switchyard: { run_id: runId } } };
  }

  add({ method, namespace, data: text, name }: ProtocolEvent): AgUiEvent[] {
    const isOfRoot = namespace.length === 0;
    switch (method) {
      case 'messages':
        return this.#message(JSON.parse(text));
      case 'tools':
        return toolResult(JSON.parse(text));
      case 'values':
        return isOfRoot ? this.#values(JSON.parse(text)) : [];
      case 'tasks':
        return isOfRoot ? this.#step(JSON.parse(text)) : [];
      case 'custom':
        return [custom(JSON.parse(text), name)];
      case 'input.requested':
        return [this.#ask(JSON.parse(text))];
      case 'lifecycle':
        return isOfRoot ? this.#lifecycle(JSON.parse(text)) : [];
      default:
        return [];
    }
  }

  /** The run may be deleted while it is read. */
  end(): AgUiEvent[] {
    return this.#isOver ? [] : this.#fail('The run was taken back before it ended.');
  }

  #message(data: Json): AgUiEvent[] {
    const id = String(data.run_id);
    const open = this.#open.get(id);
    if (data.event === 'message-start' && data.role === 'ai') {
      const { model } = isRecord(data.metadata) ? data.metadata : {};
      this.#open.set(id, { model, hasText: false, reasoning: null, calls: new Set() });
      return [];
    }
    if (!open) return [];
    const content = isRecord(data.content) ? data.content : {};
    switch (data.event) {
      case 'content-block-start':
        return blockStart(id, open, content, Number(data.index));
      case 'content-block-delta':
        return blockDelta(id, open, data.delta);
      case 'content-block-finish':
        return blockEnd(id, open, content);
      case 'message-finish':
        if (isRecord(data.usage)) this.#usage.push(usageOf(data.usage, open.model));
        return this.#close(id, open);
      case 'error':
        return this.#close(id, open);
      default:
        return [];
    }
  }

  #close(id: string, open: OpenMessage): AgUiEvent[] {
    this.#open.delete(id);
    return [
      ...reasoningEnd(open),
      ...[...open.calls].map((toolCallId) => ({ type: 'TOOL_CALL_END', toolCallId })),
      ...(open.hasText ? [{ type: 'TEXT_MESSAGE_END', messageId: id }] : []),
    ];
  }

  #values({ messages, ...state }: Json): AgUiEvent[] {
    this.#messages = messages;
    const text = JSON.stringify(state);
    if (text === this.#state) return [];
    this.#state = text;
    return [{ type: 'STATE_SNAPSHOT', snapshot: state }];
  }

  /** A task is told when it begins and when it has a result, an error or a question. */
  #step(task: Json): AgUiEvent[] {
    const stepName = String(task.name);
    const before = this.#steps.get(stepName) ?? 0;
    const now = Math.max('input' in task ? before + 1 : before - 1, 0);
    this.#steps.set(stepName, now);
    if (before === 0 && now === 1) return [{ type: 'STEP_STARTED', stepName }];
    return before === 1 && now === 0 ? [{ type: 'STEP_FINISHED', stepName }] : [];
  }

  #ask({ interrupt_id: id, payload }: Json): AgUiEvent {
    const message = questionIn(payload);
    this.#interrupts.push({
      id,
      reason: 'input_required',
      ...(message !== null && { message }),
      metadata: { payload },
    });
    // Pages that are written for LangGraph's own adapter wait for this name.
    return { type: 'CUSTOM', name: 'on_interrupt', value: payload };
  }

  #lifecycle({ event, error }: Json): AgUiEvent[] {
    if (event === 'running') return this.#restart();
    if (event === 'failed') return this.#fail(typeof error === 'string' ? error : 'The run has failed.');
    const outcome =
      event === 'completed'
        ? { type: 'success' }
        : this.#interrupts.length > 0
          ? { type: 'interrupt', interrupts: this.#interrupts }
          : { type: 'cancelled' };
    const usage = this.#usage.length > 0 && { usage: this.#usage };
    return [...this.#rest(), { type: 'RUN_FINISHED', ...this.#name, outcome, ...usage }];
  }

  /** The run begins, or begins again from its last checkpoint after its process is gone. */
  #restart(): AgUiEvent[] {
    this.#interrupts.length = 0;
    return this.#endSteps();
  }

  #endSteps(): AgUiEvent[] {
    const ended = [...this.#steps].filter(([, count]) => count > 0);
    this.#steps.clear();
    return ended.map(([stepName]) => ({ type: 'STEP_FINISHED', stepName }));
  }

  #fail(message: string): AgUiEvent[] {
    return [...this.#rest(), { type: 'RUN_ERROR', message, code: 'run_failed' }];
  }

  /** What is shown at the end is what is stored. */
  #rest(): AgUiEvent[] {
    this.#isOver = true;
    const messages = Array.isArray(this.#messages)
      ? this.#messages.filter(isRecord).flatMap(messageOf)
      : null;
    return [
      ...[...this.#open].flatMap(([id, open]) => this.#close(id, open)),
      ...this.#endSteps(),
      ...(messages ? [{ type: 'MESSAGES_SNAPSHOT', messages }] : []),
    ];
  }
}

function blockStart(id: string, open: OpenMessage, content: Json, index: number): AgUiEvent[] {
  if (content.type === 'text') {
    if (open.hasText) return [];
    open.hasText = true;
    return [{ type: 'TEXT_MESSAGE_START', messageId: id, role: 'assistant' }];
  }
  if (content.type === 'reasoning') {
    const messageId = `${id}-reasoning-${index}`;
    open.reasoning = messageId;
    return [
      { type: 'REASONING_START', messageId },
      { type: 'REASONING_MESSAGE_START', messageId, role: 'reasoning' },
    ];
  }
  return content.type === 'tool_call_chunk' ? callStart(id, open, content) : [];
}

function blockDelta(id: string, open: OpenMessage, delta: unknown): AgUiEvent[] {
  if (!isRecord(delta)) return [];
  if (delta.type === 'text-delta')
    return [{ type: 'TEXT_MESSAGE_CONTENT', messageId: id, delta: delta.text }];
  if (delta.type === 'reasoning-delta' && open.reasoning !== null)
    return [{ type: 'REASONING_MESSAGE_CONTENT', messageId: open.reasoning, delta: delta.reasoning }];
  return delta.type === 'block-delta' && isRecord(delta.fields) ? callStart(id, open, delta.fields) : [];
}

/** Arguments come whole at the end: the second protocol repeats them while they grow, and leaves the last pieces out. */
function blockEnd(id: string, open: OpenMessage, content: Json): AgUiEvent[] {
  if (content.type === 'reasoning') return reasoningEnd(open);
  if (content.type !== 'tool_call' && content.type !== 'invalid_tool_call') return [];
  const started = callStart(id, open, content);
  const toolCallId = String(content.id);
  if (!open.calls.delete(toolCallId)) return [];
  const delta = typeof content.args === 'string' ? content.args : JSON.stringify(content.args);
  return [...started, { type: 'TOOL_CALL_ARGS', toolCallId, delta }, { type: 'TOOL_CALL_END', toolCallId }];
}

function callStart(parentMessageId: string, open: OpenMessage, { id, name }: Json): AgUiEvent[] {
  if (typeof id !== 'string' || typeof name !== 'string' || name === '' || open.calls.has(id)) return [];
  open.calls.add(id);
  return [{ type: 'TOOL_CALL_START', toolCallId: id, toolCallName: name, parentMessageId }];
}

function reasoningEnd(open: OpenMessage): AgUiEvent[] {
  const { reasoning: messageId } = open;
  open.reasoning = null;
  if (messageId === null) return [];
  return [
    { type: 'REASONING_MESSAGE_END', messageId },
    { type: 'REASONING_END', messageId },
  ];
}

function toolResult(data: Json): AgUiEvent[] {
  const toolCallId = String(data.tool_call_id);
  if (data.event === 'tool-error')
    return [resultOf(toolCallId, `${toolCallId}-result`, String(data.message))];
  if (data.event !== 'tool-finished') return [];
  const message = toolMessageIn(data.output, toolCallId);
  if (!message) return [resultOf(toolCallId, `${toolCallId}-result`, textOf(data.output))];
  return [resultOf(toolCallId, String(message.id ?? `${toolCallId}-result`), textOf(message.content))];
}

function resultOf(toolCallId: string, messageId: string, content: string): AgUiEvent {
  return { type: 'TOOL_CALL_RESULT', messageId, toolCallId, content, role: 'tool' };
}

/** A tool returns its message, or changes of the state that have it. */
function toolMessageIn(output: unknown, callId: string): Json | undefined {
  if (!isRecord(output)) return undefined;
  if (output.tool_call_id === callId) return output;
  const { messages } = isRecord(output.update) ? output.update : {};
  return Array.isArray(messages)
    ? messages.filter(isRecord).find(({ tool_call_id: id }) => id === callId)
    : undefined;
}

function custom(data: Json, name: string | undefined): AgUiEvent {
  const value = 'payload' in data ? data.payload : data;
  const type = isRecord(value) && typeof value.type === 'string' ? value.type : 'custom';
  return { type: 'CUSTOM', name: name ?? type, value };
}

function questionIn(payload: unknown): string | null {
  if (typeof payload === 'string') return payload;
  if (!isRecord(payload)) return null;
  const text = payload.question ?? payload.message ?? payload.description;
  return typeof text === 'string' ? text : null;
}

function usageOf(usage: Json, model: unknown): Json {
  const details = isRecord(usage.input_token_details) ? usage.input_token_details : {};
  const written = isRecord(usage.output_token_details) ? usage.output_token_details : {};
  const counts = {
    inputTokens: usage.input_tokens,
    outputTokens: usage.output_tokens,
    totalTokens: usage.total_tokens,
    cachedInputTokens: details.cache_read,
    reasoningTokens: written.reasoning,
  };
  const known = Object.entries(counts).filter(([, count]) => typeof count === 'number');
  return { ...(typeof model === 'string' && { model }), ...Object.fromEntries(known) };
}

/** Returns a message of the state as AG-UI has it. */
function messageOf({
  id,
  type,
  name,
  content,
  tool_calls: calls,
  tool_call_id: callId,
  status,
}: Json): Json[] {
  const named = { id: String(id), ...(typeof name === 'string' && name !== '' && { name }) };
  switch (type) {
    case 'human':
      return [{ ...named, role: 'user', content: userContent(content) }];
    case 'system':
      return [{ ...named, role: 'system', content: textOf(content) }];
    case 'ai': {
      const toolCalls = (Array.isArray(calls) ? calls : []).filter(isRecord).map(callOf);
      const text = textOf(content);
      return [{ ...named, role: 'assistant', content: text, ...(toolCalls.length > 0 && { toolCalls }) }];
    }
    case 'tool': {
      const text = textOf(content);
      return [
        {
          id: String(id),
          role: 'tool',
          content: text,
          toolCallId: String(callId),
          ...(status === 'error' && { error: text }),
        },
      ];
    }
    default:
      return [];
  }
}

function callOf({ id, name, args }: Json): Json {
  return { id: String(id), type: 'function', function: { name, arguments: JSON.stringify(args ?? {}) } };
}

function userContent(content: unknown): unknown {
  if (!Array.isArray(content)) return textOf(content);
  return content.filter(isRecord).flatMap((block): Json[] => {
    if (typeof block.text === 'string') return [{ type: 'text', text: block.text }];
    const url = isRecord(block.image_url) ? block.image_url.url : block.image_url;
    return typeof url === 'string' ? [{ type: 'image', source: imageSource(url) }] : [];
  });
}

function imageSource(url: string): Json {
  const [, mimeType, value] = /^data:([^;,]+);base64,(.*)$/s.exec(url) ?? [];
  return value === undefined ? { type: 'url', value: url } : { type: 'data', value, mimeType };
}

function textOf(content: unknown): string {
  if (typeof content === 'string' || Array.isArray(content)) return messageText(content as MessageContent);
  return content === undefined || content === null ? '' : JSON.stringify(content);
}
