import type { RunEventCategory } from '@switchyard/contract/conversation/run-event';
import type { UnitPart } from '../../platform/database/unit-part.ts';
import type { Coverage, Origin } from './event-origin.ts';

/** An event of a run, before it is stored. */
export interface NewRunEvent {
  event_type: string;
  category: RunEventCategory;
  /** Text or any JSON value. */
  content: unknown;
  metadata?: Record<string, unknown>;
  /** Absent when the event belongs to the run as a whole. */
  origin?: Origin | null;
}

/** The tokens that a model call reports, under LangChain's names. */
export interface ReportedUsage {
  input_tokens?: number;
  output_tokens?: number;
  total_tokens?: number;
  input_token_details?: { cache_read?: number };
}

/**
 * Says that a piece of work in a run begins, ends or turns out to be something else. `key` identifies it within one attempt of
 * the run; `within` is the key of the tool call around it.
 */
export type SpanMark =
  | {
      type: 'begin';
      key: string;
      kind: 'model' | 'tool';
      name: string | null;
      within: string | null;
      toolCallId: string | null;
    }
  /** The tool call gives its work to a sub-agent of this kind. */
  | { type: 'subagent'; key: string; name: string }
  /** The tool call waits for this task of the pool. */
  | { type: 'task'; key: string; taskId: string }
  | { type: 'end'; key: string; state: SpanEndState; model?: string | null; usage?: ReportedUsage | null };

/** `interrupted`: it was stopped, or it waits for a human and is called again with the answer. */
export type SpanEndState = 'success' | 'error' | 'interrupted';

/** The record of a run, as far as the runtime needs it. The conversation area stores it. */
export interface RunRecord {
  record(event: NewRunEvent): void;
  /**
   * Says under which ids the graph has its messages when its first node begins: a client may have sent the question without one.
   */
  nameQuestion(messages: readonly { id?: unknown; content?: unknown }[]): void;
  /** Returns the number of the model call that begins now. */
  nextCallIndex(): number;
  /** Returns the number of the step that this sub-agent has made; counts from one. */
  nextStepIndex(taskId: string): number;
  /** Records a part of the run's timeline. */
  mark(span: SpanMark): void;
  /** Commits these parts as one unit of the run, together with the events that were recorded before it. */
  write(...parts: readonly UnitPart[]): Promise<void>;
  /** Resolves when every recorded event is stored. */
  flush(): Promise<void>;
  /** Removes the events that will happen again when the run continues; returns how many. */
  dropUncovered(coverage: Coverage): Promise<number>;
}
