import { setImmediate as nextTurn } from 'node:timers/promises';
import { type ProtocolEvent, seqOf } from '../../agents/run-events/protocol-event.ts';
import { type EndOfRun, RunEvents } from '../../agents/run-events/run-events.ts';
import type { Owner } from '../../lib/owner.ts';
import { dataOf } from '../../platform/stream-log/stream-frame.ts';
import type { StreamLog, StreamPart } from '../../platform/stream-log/stream-log.ts';
import { failureOf } from '../runs/records/run.ts';
import { idsBefore } from '../runs/records/run-frames.ts';
import type { Runs } from '../runs/runs.ts';
import type { RunRow } from '../tables.ts';
import { type EventFilter, matches, methodsOf } from './event-filter.ts';
import { ProtocolError } from './protocol-error.ts';

export interface Subscription extends EventFilter {
  /** Events before this number are left out. */
  since?: number | undefined;
}

/**
 * The events of a thread in LangGraph's second protocol. They are made of the frames that the stream log keeps anyway, for each
 * reader, so nothing is stored for them. The caller has checked whose thread it is.
 */
export class ThreadEvents {
  readonly #options;

  constructor(options: {
    runs: Pick<Runs, 'followRuns' | 'latest' | 'valuesOf' | 'newest' | 'look'>;
    streamLog: Pick<StreamLog, 'read' | 'retained' | 'has'>;
    clock: () => number;
  }) {
    this.#options = options;
  }

  /** A number that the thread cannot have reached is of another thread. */
  async requirePosition(owner: Owner, threadId: string, since: number | undefined): Promise<void> {
    if (since === undefined) return;
    const newest = await this.#options.runs.newest(owner, threadId);
    if (since < seqOf((newest?.admission ?? 0) + 1, 0)) return;
    throw new ProtocolError(
      'invalid_argument',
      `since: this thread has no event ${since}. Leave it out to begin with the oldest event that is kept.`,
    );
  }

  /** Events that are kept, then live ones, across runs. It lasts until the signal aborts and throws when it breaks. */
  async *read(
    owner: Owner,
    threadId: string,
    filter: Subscription,
    signal: AbortSignal,
  ): AsyncGenerator<ProtocolEvent[]> {
    const { runs, streamLog } = this.#options;
    const kept = (runId: string) => streamLog.read(runId, { after: 0, signal });
    for await (const followed of runs.followRuns(owner, threadId, signal)) {
      const parts = await this.#partsOf(followed, { owner, filter, kept });
      if (parts) yield* this.#ofRun(followed.run, parts, { owner, filter, signal });
    }
  }

  /** The events of a run that has just been started, until its end. */
  async *ofRun(
    owner: Owner,
    run: RunRow,
    filter: EventFilter,
    signal: AbortSignal,
  ): AsyncGenerator<ProtocolEvent[]> {
    const parts = this.#options.streamLog.read(run.run_id, { after: 0, signal });
    yield* this.#ofRun(run, parts, { owner, filter, signal });
  }

  /** Returns how many events are kept for a reader that begins now. Until the signal aborts, it counts those that came before. */
  async countKept(
    owner: Owner,
    threadId: string,
    filter: Subscription,
    signal: AbortSignal,
  ): Promise<number> {
    const { runs, streamLog } = this.#options;
    const kept = (runId: string) => streamLog.retained(runId);
    const latest = await runs.latest(owner, threadId);
    let count = 0;
    for (const run of latest) {
      const isNewest = run === latest.at(-1);
      const parts = await this.#partsOf({ run, isNewest }, { owner, filter, kept });
      if (!parts) continue;
      for await (const batch of this.#ofRun(run, parts, { owner, filter, signal })) {
        count += batch.length;
        // The kept frames may have many megabytes, and other clients wait meanwhile.
        await nextTurn();
        if (signal.aborted) return count;
      }
    }
    return count;
  }

  /** Undefined when nothing of the run is told. */
  async #partsOf(
    { run, isNewest }: { run: RunRow; isNewest: boolean },
    { owner, filter, kept }: { owner: Owner; filter: Subscription; kept: (runId: string) => Parts },
  ): Promise<Parts | undefined> {
    if (seqOf(run.admission + 1, 0) <= (filter.since ?? 0)) return undefined;
    if (await this.#options.streamLog.has(run.run_id)) return kept(run.run_id);
    const now = run.ended_at === null ? await this.#again(owner, run) : run;
    if (!now) return undefined;
    if (now.ended_at === null) return kept(run.run_id);
    // A reader that was cut off before the end would wait for it for ever.
    return isNewest ? [allGone(now)] : undefined;
  }

  async *#ofRun(
    run: RunRow,
    parts: Parts,
    { owner, filter, signal }: { owner: Owner; filter: Subscription; signal: AbortSignal },
  ): AsyncGenerator<ProtocolEvent[]> {
    const { run_id: runId, admission, graph_id: graphName } = run;
    const events = new RunEvents({ runId, admission, graphName, methods: methodsOf(filter) });
    const wanted = (made: ProtocolEvent[]): ProtocolEvent[] =>
      made.filter((event) => event.seq >= (filter.since ?? 0) && matches(event, filter));
    for await (const part of parts) {
      if (part.type === 'gap') yield wanted(await this.#skip(run, events, part.earliest - 1));
      else yield wanted(part.frames.flatMap((frame) => events.add(frame, dataOf(frame))));
    }
    if (signal.aborted) return;
    const end = endOf(await this.#again(owner, run));
    if (end) yield wanted(events.end(end));
  }

  /** The state that is stored stands for the frames that are gone. */
  async #skip(run: RunRow, events: RunEvents, upTo: number): Promise<ProtocolEvent[]> {
    const values = Object.entries(await this.#options.runs.valuesOf(run)).filter(
      ([key]) => key !== failureKey,
    );
    return events.skip({
      upTo,
      values: JSON.stringify(Object.fromEntries(values)),
      atMs: run.ended_at === null ? this.#options.clock() : Date.parse(run.ended_at),
    });
  }

  /** The run as it is stored now; null when it is deleted. */
  async #again(owner: Owner, { run_id: runId, thread_id: threadId }: RunRow): Promise<RunRow | null> {
    return this.#options.runs.look(owner, { threadId, runId });
  }
}

type Parts = AsyncIterable<StreamPart> | Iterable<StreamPart>;

/** Stands for the frames of a run that ended a while ago, or before the gateway was started again. */
function allGone({ attempt }: RunRow): StreamPart {
  const latest = idsBefore(attempt + 1);
  return { type: 'gap', requested: 0, earliest: latest + 1, latest };
}

/** Waiting callers of version 1 find a failure among the values. */
const failureKey = '__error__';

/** Undefined when the run goes on elsewhere, or is deleted. */
function endOf(run: RunRow | null): EndOfRun | undefined {
  if (!run || run.ended_at === null || run.status === 'pending' || run.status === 'running') return undefined;
  return { status: run.status, error: failureOf(run)?.message ?? null, atMs: Date.parse(run.ended_at) };
}
