import type { InstanceEventKind } from '@switchyard/contract/dispatch/instance-event';
import { pushLimits } from '@switchyard/contract/dispatch/push';
import { say, type Wording } from '@switchyard/contract/sentences/sentences';
import { systemTimer, type Timer } from '../../lib/async/timer.ts';
import { toIso } from '../../lib/clock.ts';
import type { BoundStatement } from '../../platform/database/bound-statement.ts';
import type { WriteTransaction } from '../../platform/database/database.ts';
import type { NewFile, TaskProgress } from '../dispatch-events.ts';
import type { DispatchParts } from '../dispatch-parts.ts';
import { type GraphWords, noGraphWords } from '../graphs/file-words.ts';
import type { FleetJournal } from '../instances/fleet-journal.ts';
import type { DispatchTables, TaskRow } from '../tables.ts';
import type { AttemptFence, AttemptStore, RunningMark } from '../tasks/attempt-store.ts';
import { NodeRecord } from '../tasks/node-record.ts';
import type { MarkDue, TaskMarks } from '../tasks/task-marks.ts';
import { type WordedTaskError, withWarnings } from '../tasks/task-messages.ts';
import type { ExecutionEvent } from '../worker-client/worker-event.ts';
import type { Collected, KeptOutput } from './collect-outputs.ts';
import { maxProgressBeforeEnd } from './progress.ts';

type Trx = WriteTransaction<DispatchTables>;

export interface RecordDeps extends Pick<DispatchParts, 'events' | 'clock'> {
  attempts: AttemptStore;
  marks: TaskMarks;
  journal: Pick<FleetJournal, 'note'>;
  timer?: Timer;
  /** Aborts when the runner may not write any more. */
  signal: AbortSignal;
  /** Returns what stores kept outputs, in the transaction that ends the task. */
  insertKept: (output: {
    task: Pick<TaskRow, 'id' | 'owner' | 'workflowId'>;
    kept: readonly KeptOutput[];
    graph: GraphWords;
    at: string;
  }) => { statements: readonly BoundStatement[]; committed: () => void };
  /** Adds the calls of webhooks, in the same transaction. */
  addCalls: (trx: Trx, task: TaskRow) => Promise<void>;
}

/** A crash loses what is known of the nodes since the last checkpoint; the history of the worker fills part of it. */
const checkpointDelayMs = 3_000;

/** The rows of one attempt and the events about them. Nothing else writes a task while a worker has it. */
export class AttemptRecord {
  readonly fence: AttemptFence;
  readonly #deps: RecordDeps;
  readonly #instanceId: string | null;
  readonly #nodes: NodeRecord;
  /** Changed in place, since a task has tens of marks; what is announced is a copy. */
  readonly #row: TaskRow;
  #isOver = false;
  #mayHoldFiles = true;
  #stopCheckpoint: (() => void) | null = null;

  /** `nodes` is the stored record of the nodes of an attempt that is resumed. */
  constructor(
    deps: RecordDeps,
    { row, fence, nodes = null }: { row: TaskRow; fence: AttemptFence; nodes?: string | null },
  ) {
    this.#deps = deps;
    this.#row = { ...row };
    this.#nodes = new NodeRecord(nodes);
    this.#instanceId = row.instanceId;
    this.fence = fence;
  }

  /** The row with the marks that are not written yet. */
  get row(): Readonly<TaskRow> {
    return this.#row;
  }

  /** True once this runner has written how the attempt ended. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** The task names no files. */
  noteNoFiles(): void {
    this.#mayHoldFiles = false;
  }

  noteCancel(): void {
    this.#row.cancelRequested = 1;
  }

  /** Warnings stay in memory until the end of the attempt is written. */
  warn(messages: readonly Wording[]): void {
    Object.assign(this.#row, withWarnings(this.#row, messages));
  }

  /** The worker has taken the prompt, though others may be before it there. Announced once. */
  markAccepted(): void {
    if (this.#row.status === 'running') return;
    const at = toIso(this.#deps.clock());
    const startedAt = this.#row.startedAt ?? at;
    this.#row.status = 'running';
    this.#row.startedAt = startedAt;
    this.#mark({ phase: 'accepted' }, { due: 'soon', accepted: { at, startedAt } });
    this.#deps.events.announce({ type: 'task_started', task: { ...this.#row } });
  }

  /** The worker executes the prompt. Announced once. */
  markExecuting(): void {
    this.markAccepted();
    if (this.#row.phase === 'accepted') this.#mark({ phase: 'executing' }, { due: 'soon' });
  }

  markProgress(progress: TaskProgress): void {
    this.#mark({ progress: progress.progress, node: progress.node ?? null }, { due: 'later' });
    const { id: taskId, owner, requestId } = this.#row;
    this.#deps.events.announce({ type: 'task_progress', taskId, owner, requestId, progress });
  }

  /** Must be called before the first node is noted. */
  beginNodes(isNodeOfGraph: (nodeId: string) => boolean): void {
    this.#nodes.begin(isNodeOfGraph);
  }

  noteNode(event: ExecutionEvent): void {
    if (this.#nodes.takeIn(event, this.#deps.clock())) this.#planCheckpoint();
  }

  /** Adds the nodes that the worker's history names and that no event has brought. */
  noteHistory(nodes: { cached: readonly string[]; finished: readonly string[] }): void {
    this.#nodes.fill(nodes);
  }

  /** Another runner resumes the attempt: this one writes nothing more about it. */
  abandon(): void {
    this.#stopCheckpoint?.();
    this.#stopCheckpoint = null;
  }

  /** The worker is done, but its outputs have not been fetched yet. */
  markCollecting(): void {
    this.markAccepted();
    this.#mark({ phase: 'collecting', progress: maxProgressBeforeEnd, node: null }, { due: 'later' });
  }

  /** Returns false when another end has been written already. */
  async complete({ kept, stored }: Collected, graph: GraphWords): Promise<boolean> {
    const end = { status: 'completed', error: null, result: JSON.stringify(stored) } as const;
    return this.#end(end, { outcome: 'completed', kept, graph });
  }

  async fail(error: WordedTaskError, outcome: string): Promise<boolean> {
    const end = { status: 'failed', error: JSON.stringify(error), result: null } as const;
    const written = await this.#end(end, { outcome, kept: [], graph: noGraphWords });
    if (written && error.code !== 'cancelled') this.#note(kindOfFailure(outcome), describeError(error));
    return written;
  }

  async requeue(
    outcome: string,
    { error, delayMs }: { error: WordedTaskError | null; delayMs: number },
  ): Promise<Awaited<ReturnType<AttemptStore['requeue']>>> {
    this.#deps.marks.take(this.fence);
    const nodes = this.#endNodes();
    const at = toIso(this.#deps.clock());
    const text = error && JSON.stringify(error);
    const requeued = await this.#deps.attempts.requeue(this.fence, {
      outcome,
      error: text,
      warnings: this.#row.warnings,
      warningSentences: this.#row.warningSentences,
      nodes,
      at,
    });
    if (requeued !== 'requeued') return requeued;
    this.#isOver = true;
    if (error) this.#note(kindOfFailure(outcome), describeError(error));
    this.#note('queued_again', say(error ? 'tried_again' : 'forced_out'));
    Object.assign(this.#row, {
      status: 'pending',
      phase: 'queued',
      instanceId: null,
      claimToken: null,
      node: null,
      updatedAt: at,
    } satisfies Partial<TaskRow>);
    this.#deps.events.announce({ type: 'task_requeued', task: { ...this.#row }, delayMs });
    return requeued;
  }

  #note(kind: InstanceEventKind, message: Wording): void {
    if (this.#instanceId === null) return;
    const { id, owner, attempt } = this.#row;
    const task = { id, owner, attempt };
    this.#deps.journal.note({ kind, instanceId: this.#instanceId, message, task });
  }

  #mark(
    change: Partial<Pick<TaskRow, 'phase' | 'progress' | 'node'>>,
    { due, ...ofAttempt }: { due: MarkDue } & Pick<RunningMark, 'accepted' | 'nodes'>,
  ): void {
    const row = Object.assign(this.#row, change);
    row.updatedAt = toIso(this.#deps.clock());
    const { phase, progress, node, updatedAt } = row;
    this.#deps.marks.mark(this.fence, { phase, progress, node, updatedAt, ...ofAttempt }, due);
  }

  /** Written with the marks, so that it needs no commit of its own. */
  #planCheckpoint(): void {
    const { timer = systemTimer, signal } = this.#deps;
    this.#stopCheckpoint ??= timer(() => {
      this.#stopCheckpoint = null;
      const nodes = this.#nodes.toJson();
      if (!signal.aborted && nodes !== null) this.#mark({}, { due: 'later', nodes });
    }, checkpointDelayMs);
  }

  #endNodes(): string | null {
    this.#stopCheckpoint?.();
    this.#stopCheckpoint = null;
    this.#nodes.end(this.#deps.clock());
    return this.#nodes.toJson();
  }

  async #end(
    end: Pick<TaskRow, 'error' | 'result'> & { status: 'completed' | 'failed' },
    { outcome, kept, graph }: { outcome: string; kept: readonly KeptOutput[]; graph: GraphWords },
  ): Promise<boolean> {
    const { attempts, marks, events, clock, insertKept, addCalls } = this.#deps;
    const unwritten = marks.take(this.fence);
    const nodes = this.#endNodes();
    const at = toIso(clock());
    const { warnings, warningSentences, startedAt, progress } = this.#row;
    const change = {
      phase: 'ended',
      progress: end.status === 'completed' ? 100 : progress,
      node: null,
      warnings,
      warningSentences,
      startedAt,
      updatedAt: at,
      finishedAt: at,
      ...end,
    } as const;
    const row: TaskRow = { ...this.#row, ...change };
    const acceptedAt = unwritten?.accepted?.at ?? null;
    const ending = { outcome, acceptedAt, nodes, mayHoldFiles: this.#mayHoldFiles, ...change };
    const files = kept.length > 0 ? insertKept({ task: row, kept, graph, at }) : null;
    const written = await attempts.end(this.fence, ending, {
      outputs: files?.statements ?? [],
      addCalls: (trx) => addCalls(trx, row),
    });
    if (!written) return false;
    files?.committed();
    this.#isOver = true;
    Object.assign(this.#row, change);
    events.announce({ type: 'task_ended', task: row });
    const announced = filesOf(kept, { taskId: row.id, at });
    for (let first = 0; first < announced.length; first += pushLimits.filesPerFrame) {
      const some = announced.slice(first, first + pushLimits.filesPerFrame);
      events.announce({ type: 'files_created', owner: row.owner, files: some });
    }
    return true;
  }
}

function filesOf(kept: readonly KeptOutput[], { taskId, at }: { taskId: string; at: string }): NewFile[] {
  return kept.map(({ fileId: id, filename, contentType, size, sha256, width, height }) => ({
    id,
    filename,
    contentType,
    size,
    sha256,
    source: 'output',
    taskId,
    width,
    height,
    createdAt: at,
  }));
}

/** Says which kind of failure the outcome in the attempt's row is. */
function kindOfFailure(outcome: string): 'lost' | 'refused' | 'failed' {
  if (['lost', 'stalled', 'outputs_lost', 'unsent', 'untraced'].includes(outcome)) return 'lost';
  return outcome === 'not_taken' || outcome === 'too_large' ? 'refused' : 'failed';
}

function describeError({ code, sentences }: WordedTaskError): Wording {
  return say('task_error', { error: code, cause: sentences });
}
