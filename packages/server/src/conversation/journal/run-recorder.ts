import type { Coverage } from '../../agents/run-contract/event-origin.ts';
import type { NewRunEvent, RunRecord, SpanMark } from '../../agents/run-contract/run-record.ts';
import type { Timer } from '../../lib/async/timer.ts';
import { type Clock, toIso } from '../../lib/clock.ts';
import { wellFormed } from '../../lib/storable-text.ts';
import type { WriteTransaction } from '../../platform/database/database.ts';
import type { UnitPart } from '../../platform/database/unit-part.ts';
import type { EventStorage, RunKey, RunUnit } from './event-storage.ts';
import { humanMessageIn } from './human-message.ts';
import { Outbox } from './outbox.ts';
import { endLostSpans, saveSpans } from './run-span-store.ts';
import { count, type RunTotals, type Tally, totalsOf } from './run-totals.ts';
import { SpanBook } from './span-book.ts';
import { storedEvent } from './stored-event.ts';

/** The number of events in a batch. Every unit that the run commits takes along all that wait. */
const flushAt = 20;
/** The limit of waiting events. It is reached when the database accepts none of them; recording more throws. */
const maxWaiting = 10_000;
const maxPreviewLength = 500;
/** Work that takes longer is on disk before it ends. Shorter work is written with what follows it, and costs no write of its own. */
const unwrittenBeginMs = 250;

export interface RunEnding {
  status: 'success' | 'error' | 'timeout' | 'interrupted';
  error?: { name: string; message: string } | null;
}

/**
 * Takes the events of one run and writes them in batches. They are committed by the next `write`, together with what it writes or
 * before it. The checkpoints and the end of the run are written through it, so that journal, checkpoints and run agree.
 */
export class RunRecorder implements RunRecord {
  readonly #options;
  readonly #outbox = new Outbox();
  readonly #spans: SpanBook;
  #tally: Tally;
  /** Cancels the write that follows a mark of a span that goes on; undefined when none is planned. */
  #cancelPlanned: (() => void) | undefined;
  /** An earlier attempt may have left spans without an end. */
  #mayHaveLostSpans: boolean;
  #flushing: Promise<void> | undefined;
  #hasEnded = false;
  /** The first events of a run whose question has no id yet. They are recorded before any other event. */
  #held: { question: Record<string, unknown>; events: NewRunEvent[] } | null = null;

  constructor(options: {
    run: RunKey;
    /** Counts from one. Events of later attempts carry it. */
    attempt: number;
    followUpTo: string | null;
    storage: EventStorage;
    maxTraceBytes: number;
    trackTokens: boolean;
    now: Clock;
    timer: Timer;
    /** Totals of what is stored of the run. */
    recount: () => Promise<Tally>;
    tally: Tally;
    /** Part of each unit: throws when this process may no longer write for the run. */
    confirm: UnitPart | undefined;
    onFlushFailed: (error: unknown) => void;
  }) {
    this.#options = options;
    this.#tally = options.tally;
    this.#spans = new SpanBook(options);
    this.#mayHaveLostSpans = options.attempt > 1;
  }

  get run(): RunKey {
    return this.#options.run;
  }

  /** Nothing is recorded after the end, so an interrupted graph that still works adds nothing. */
  record(event: NewRunEvent): void {
    if (this.#hasEnded) return;
    this.#release();
    this.#add(event);
  }

  #add(event: NewRunEvent): void {
    if (this.#outbox.size >= maxWaiting) {
      throw new Error(
        `The journal of run ${this.run.runId} is full: none of ${maxWaiting} events could be written.`,
      );
    }
    const { attempt, now, maxTraceBytes, trackTokens } = this.#options;
    const complete = attempt > 1 ? { ...event, metadata: { ...event.metadata, attempt } } : event;
    count(this.#tally, complete, { trackTokens });
    this.#outbox.add(storedEvent(complete, { at: now(), maxTraceBytes }));
    if (this.#outbox.size >= flushAt) this.#flushSoon();
  }

  mark(span: SpanMark): void {
    if (this.#hasEnded) return;
    this.#spans.mark(span, this.#options.now());
    if (span.type !== 'end') this.#writeInTime();
  }

  /** Records the first events of an attempt. The message is recorded once, however often the run begins. */
  recordStart(input: unknown): void {
    const message = humanMessageIn(input);
    const isNew = message && this.#tally.firstHumanMessage === null && this.#tally.messages === 0;
    const events = [...(isNew ? [questionEvent(message, this.#options.followUpTo)] : []), startEvent(input)];
    if (isNew && message.id === null) this.#held = { question: message, events };
    else for (const event of events) this.record(event);
  }

  nameQuestion(messages: readonly { id?: unknown; content?: unknown }[]): void {
    if (this.#held === null) return;
    const { question } = this.#held;
    const content = JSON.stringify(question.content);
    const named = messages.findLast((message) => JSON.stringify(message.content) === content);
    if (typeof named?.id === 'string') question.id = named.id;
    this.#release();
  }

  #release(): void {
    const held = this.#held;
    this.#held = null;
    for (const event of held?.events ?? []) this.#add(event);
  }

  /** Records the last event; the unit that ends the run commits it. A second end takes the place of one that still waits. */
  recordEnd(ending: RunEnding): void {
    if (this.#hasEnded) this.#outbox.dropLast();
    this.#hasEnded = false;
    this.record(endEvent(ending));
    this.#spans.endAll(this.#options.now());
    this.#hasEnded = true;
  }

  /** Nothing is written any more that no caller asks for. */
  close(): void {
    this.#cancelPlanned?.();
    this.#cancelPlanned = () => undefined;
  }

  /** The number of the model call that begins now. */
  nextCallIndex(): number {
    this.#tally.lastCallIndex += 1;
    return this.#tally.lastCallIndex;
  }

  nextStepIndex(taskId: string): number {
    const { lastSteps } = this.#tally;
    const next = (lastSteps.get(taskId) ?? 0) + 1;
    lastSteps.set(taskId, next);
    return next;
  }

  /** Commits these parts as one unit of the run, with the recorded events in it or before it. When it throws, the events keep waiting. */
  async write(...parts: readonly UnitPart[]): Promise<void> {
    const { confirm } = this.#options;
    const all = confirm ? [confirm, ...parts] : parts;
    await this.writeClaimed(async (trx) => {
      for (const part of all) await part(trx as WriteTransaction<unknown>);
    });
  }

  /** Like `write`, for a unit that checks itself whether this process still owns the run. Returns the result of the unit. */
  async writeClaimed<Result>(unit: RunUnit<Result>): Promise<Result> {
    const { storage, run, attempt, now } = this.#options;
    const { rows, putBack } = this.#spans.take();
    const endsLost = this.#mayHaveLostSpans;
    if (rows.length === 0 && !endsLost) return storage.write(run, this.#outbox, unit);
    this.#mayHaveLostSpans = false;
    try {
      return await storage.write(run, this.#outbox, async (trx, lastly) => {
        const result = await unit(trx, lastly);
        const revision = this.#spans.nextRevision();
        if (endsLost) await endLostSpans(trx, run, { before: attempt, at: toIso(now()), revision });
        await saveSpans(trx, rows);
        return result;
      });
    } catch (error) {
      this.#mayHaveLostSpans = endsLost;
      putBack();
      throw error;
    }
  }

  /** Writes the recorded events; resolves when none waits any more. */
  async flush(): Promise<void> {
    await this.#flushing;
    if (this.#outbox.size > 0 || this.#spans.hasChanged) await this.write();
  }

  /** For a run that continues: forgets the events that will happen again, and counts the rest. */
  async dropUncovered(coverage: Coverage): Promise<number> {
    const { storage, run, recount } = this.#options;
    await this.flush();
    const dropped = await storage.dropUncovered(run, coverage);
    this.#tally = await recount();
    return dropped;
  }

  totals(): RunTotals {
    return totalsOf(this.#tally);
  }

  #writeInTime(): void {
    this.#cancelPlanned ??= this.#options.timer(() => {
      this.#cancelPlanned = undefined;
      if (!this.#spans.hasChanged) return;
      // A write that is on its way may have begun before the change.
      if (this.#flushing !== undefined) this.#writeInTime();
      else this.#flushSoon();
    }, unwrittenBeginMs);
  }

  /** Writes one batch at a time. Events that could not be written wait for the next batch. */
  #flushSoon(): void {
    this.#flushing ??= this.write()
      .catch((error: unknown) => this.#options.onFlushFailed(error))
      .finally(() => {
        this.#flushing = undefined;
      });
  }
}

function questionEvent(message: Record<string, unknown>, followUpTo: string | null): NewRunEvent {
  return {
    event_type: 'human_message',
    category: 'message',
    content: message,
    metadata: followUpTo === null ? {} : { follow_up_to_run_id: followUpTo },
  };
}

function startEvent(input: unknown): NewRunEvent {
  return {
    event_type: 'run_start',
    category: 'lifecycle',
    content: '',
    metadata: { input_preview: preview(input) },
  };
}

function endEvent({ status, error }: RunEnding): NewRunEvent {
  if (status === 'success' || status === 'interrupted') {
    return { event_type: 'run_end', category: 'lifecycle', content: '', metadata: { status } };
  }
  return {
    event_type: 'run_error',
    category: 'lifecycle',
    content: error?.message ?? '',
    metadata: { error_type: error?.name ?? status, status },
  };
}

function preview(input: unknown): string {
  const text = typeof input === 'string' ? input : (JSON.stringify(input) ?? '');
  return wellFormed(text.slice(0, maxPreviewLength));
}
