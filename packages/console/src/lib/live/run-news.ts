import { MessageList } from '@switchyard/client/conversation/message-list';
import type { RunFrame } from '@switchyard/client/conversation/run-frame';
import type { CustomEvent, StreamedMessage } from '@switchyard/contract/conversation/stream-frames';
import { isRecord } from '@switchyard/contract/is-record';
import { type LiveSubagent, subagentAfter } from './run-subagents.ts';
import { type LiveWorkerTask, workerTaskAfter } from './run-worker-tasks.ts';

/** The question to a human, as `__interrupt__` has it. */
export interface LiveInterrupt {
  id?: string;
  value: unknown;
}

/** The content of the stream of one run so far. */
export interface RunNews {
  phase: 'connecting' | 'streaming' | 'reconnecting' | 'ended' | 'failed';
  /** The messages of the thread as far as the stream has shown them. */
  messages: readonly StreamedMessage[];
  /** Tasks of the pool, by the id of the tool call that asked for them. */
  tasks: ReadonlyMap<string, LiveWorkerTask>;
  /** What other servers say of their tasks, by the id of the tool call. */
  progress: ReadonlyMap<string, string>;
  /** Sub-agents, by the id of the tool call that began them. */
  subagents: ReadonlyMap<string, LiveSubagent>;
  /** The rest of the latest state: `todos`, `artifacts`, `title`. */
  values: Record<string, unknown>;
  interrupts: readonly LiveInterrupt[];
  error: string | null;
  /** The model is asked again: how often it was tried, and why. */
  retry: Extract<CustomEvent, { type: 'llm_retry' }> | null;
  /** Frames are missing for good, so the stored state was read again. */
  isRestored: boolean;
}

export const noRunNews: RunNews = {
  phase: 'connecting',
  messages: [],
  tasks: new Map(),
  progress: new Map(),
  subagents: new Map(),
  values: {},
  interrupts: [],
  error: null,
  retry: null,
  isRestored: false,
};

/** Frames of a run in, what the page shows out. Made once for each reading of a run. */
export class RunNewsReader {
  readonly #messages = new MessageList();
  #news = noRunNews;

  get news(): RunNews {
    return this.#news;
  }

  /** Applies the frames of one animation frame. */
  apply(frames: readonly RunFrame[]): RunNews {
    let news = this.#news;
    for (const frame of frames) {
      this.#messages.apply(frame);
      news = newsAfter(news, frame);
    }
    this.#news = { ...news, messages: this.#messages.all };
    return this.#news;
  }

  end(error: string | null): RunNews {
    const { phase, error: told } = this.#news;
    const isFailed = error !== null || phase === 'failed';
    this.#news = { ...this.#news, phase: isFailed ? 'failed' : 'ended', error: told ?? error };
    return this.#news;
  }
}

function newsAfter(news: RunNews, frame: RunFrame): RunNews {
  if (frame.event === 'disconnected') return { ...news, phase: 'reconnecting' };
  const heard: RunNews = news.phase === 'failed' ? news : { ...news, phase: 'streaming' };
  switch (frame.event) {
    case 'gap':
      return { ...heard, isRestored: true };
    case 'error':
      return { ...heard, phase: 'failed', error: frame.data.message };
    case 'messages':
      return heard.retry ? { ...heard, retry: null } : heard;
    case 'values':
      return frame.namespace.length === 0 ? afterValues(heard, frame.data) : heard;
    case 'updates':
      return afterInterrupt(heard, frame.data);
    case 'custom':
      return isRecord(frame.data) ? afterCustom(heard, frame.data as CustomEvent) : heard;
    default:
      return heard;
  }
}

function afterValues(news: RunNews, { messages: _told, ...values }: Record<string, unknown>): RunNews {
  return afterInterrupt({ ...news, values }, values);
}

function afterInterrupt(news: RunNews, { __interrupt__: asked }: Record<string, unknown>): RunNews {
  return Array.isArray(asked) && asked.length > 0 ? { ...news, interrupts: asked as LiveInterrupt[] } : news;
}

function afterCustom(news: RunNews, event: CustomEvent): RunNews {
  if (event.type === 'llm_retry') return { ...news, retry: event };
  if (event.type === 'external_task_progress') {
    const { tool_call_id: callId, message, status } = event;
    return { ...news, progress: new Map(news.progress).set(callId, message ?? status) };
  }
  const task = workerTaskAfter(news.tasks, event);
  if (task) return { ...news, tasks: task };
  const subagents = subagentAfter(news.subagents, event);
  return subagents ? { ...news, subagents } : news;
}
