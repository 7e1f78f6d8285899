import type { RunEventCategory } from '@switchyard/contract/conversation/run-event';
import type { UnitPart } from '../platform/database/unit-part.ts';
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

/** What the runtime needs from the record of a run. The conversation area stores it. */
export interface RunRecord {
  record(event: NewRunEvent): void;
  /** Returns the number of the model call that begins now. */
  nextCallIndex(): number;
  /** Commits these parts as one unit of the run, together with the events that were recorded before it. */
  write(...parts: readonly UnitPart[]): Promise<void>;
  /** Resolves when every recorded event is stored. */
  flush(): Promise<void>;
  /** Removes the events that will happen again when the run continues; returns how many. */
  dropUncovered(coverage: Coverage): Promise<number>;
}
