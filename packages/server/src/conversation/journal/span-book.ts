import type { SpanEndState, SpanMark } from '../../agents/run-contract/run-record.ts';
import { toIso } from '../../lib/clock.ts';
import { storable } from '../../lib/storable-text.ts';
import type { RunSpanRow } from '../tables.ts';
import type { RunKey } from './event-storage.ts';
import { addCall, type ModelUsage } from './run-totals.ts';

/** Spans of later attempts have higher ids and revisions, whatever an earlier process has written. */
const spansPerAttempt = 1_000_000;
const revisionsPerAttempt = 1_000_000_000;
/** No more spans are recorded of one attempt; its events still are. */
const maxSpans = 100_000;
const maxNameLength = 200;

interface Span {
  row: RunSpanRow;
  usage: Map<string, ModelUsage>;
  around: Span | null;
}

/** The timeline of one attempt of a run, until it is written. A span is written when it begins and each time it changes. */
export class SpanBook {
  readonly #options;
  /** By the key of the runtime. */
  readonly #open = new Map<string, Span>();
  readonly #changed = new Set<Span>();
  #count = 0;
  #revision: number;

  constructor(options: { run: RunKey; attempt: number; trackTokens: boolean }) {
    this.#options = options;
    this.#revision = options.attempt * revisionsPerAttempt;
  }

  get hasChanged(): boolean {
    return this.#changed.size > 0;
  }

  mark(mark: SpanMark, atMs: number): void {
    if (mark.type === 'begin') this.#begin(mark, atMs);
    else this.#change(mark, atMs);
  }

  /** The attempt is over, and with it everything that has not ended. */
  endAll(atMs: number): void {
    for (const [key, span] of this.#open) this.#end(span, { key, state: 'interrupted' }, atMs);
  }

  /** Takes the rows that have to be written. */
  take(): { rows: RunSpanRow[]; putBack: () => void } {
    const spans = [...this.#changed];
    this.#changed.clear();
    const rows = spans.map(({ row }) => {
      this.#revision += 1;
      return { ...row, revision: this.#revision };
    });
    const putBack = (): void => {
      for (const span of spans) this.#changed.add(span);
    };
    return { rows, putBack };
  }

  /** Also numbers a write that changes rows of earlier attempts. */
  nextRevision(): number {
    this.#revision += 1;
    return this.#revision;
  }

  #begin(mark: SpanMark & { type: 'begin' }, atMs: number): void {
    if (this.#count >= maxSpans) return;
    this.#count += 1;
    const { run, attempt } = this.#options;
    const around = (mark.within !== null && this.#open.get(mark.within)) || null;
    const span: Span = {
      row: {
        thread_id: run.threadId,
        run_id: run.runId,
        started_at: toIso(atMs),
        span_id: `${run.runId}.${attempt * spansPerAttempt + this.#count}`,
        parent_id: around?.row.span_id ?? null,
        attempt,
        kind: mark.kind,
        name: mark.name && shortName(mark.name),
        ended_at: null,
        state: 'running',
        tool_call_id: mark.toolCallId && shortName(mark.toolCallId),
        task_id: null,
        usage: null,
        revision: 0,
      },
      usage: new Map(),
      around,
    };
    this.#open.set(mark.key, span);
    this.#changed.add(span);
  }

  #change(mark: Exclude<SpanMark, { type: 'begin' }>, atMs: number): void {
    const span = this.#open.get(mark.key);
    if (!span) return;
    this.#changed.add(span);
    if (mark.type === 'end') this.#end(span, mark, atMs);
    else if (mark.type === 'task') span.row.task_id = shortName(mark.taskId);
    else {
      span.row.kind = 'subagent';
      span.row.name = shortName(mark.name);
    }
  }

  #end(
    span: Span,
    { key, state, model, usage }: { key: string; state: SpanEndState } & Partial<SpanMark & { type: 'end' }>,
    atMs: number,
  ): void {
    this.#open.delete(key);
    this.#changed.add(span);
    // The clock may have been set back.
    const endedAt = toIso(atMs);
    span.row.ended_at = endedAt < span.row.started_at ? span.row.started_at : endedAt;
    span.row.state = state;
    if (model) span.row.name = shortName(model);
    if (!usage || !this.#options.trackTokens) return;
    for (let each: Span | null = span; each; each = each.around) this.#addUsage(each, model ?? null, usage);
  }

  /** The tokens of a model call are those of the tool calls around it too. */
  #addUsage(
    span: Span,
    model: string | null,
    usage: NonNullable<(SpanMark & { type: 'end' })['usage']>,
  ): void {
    addCall(span.usage, model, usage);
    span.row.usage = JSON.stringify(Object.fromEntries(span.usage));
    this.#changed.add(span);
  }
}

function shortName(name: string): string {
  return storable(name.slice(0, maxNameLength));
}
