import type { Readable } from 'node:stream';
import type { TaskError } from '@switchyard/contract/dispatch/task';
import type { Transaction } from 'kysely';
import { type Clock, toIso } from '../lib/clock.ts';
import { type AttemptOutcome, failed, outcomeOfResult, outcomeOfSubmit } from './attempt-outcome.ts';
import { type Collected, collectOutputs, type KeptOutput, type SocketImage } from './collect-outputs.ts';
import type { DispatchEvents } from './dispatch-events.ts';
import { type Graph, parseGraph, plannedNodes, titleOf } from './graph.ts';
import { applyParams } from './params.ts';
import { RunProgress } from './progress.ts';
import { type RunTimeouts, RunWatch, type WatchEnd } from './run-watch.ts';
import type { DispatchTables } from './tables.ts';
import type { TaskMarks } from './task-marks.ts';
import type { AttemptFence, RunningMark, TaskRow, TaskStore } from './task-store.ts';
import { type FileToPush, WorkerCallError, type WorkerClient } from './worker-client/worker-client.ts';
import type { RunEvent, WorkerEvent } from './worker-client/worker-event.ts';
import { workerFileName } from './worker-client/worker-file-name.ts';

/** What an attempt needs of the stored files. */
export interface AttemptFiles {
  /** The files that the task's params name, by file id. */
  inputsOf: (taskId: string) => Promise<Map<string, FileToPush>>;
  keep: (
    source: Readable,
    output: { owner: string; taskId: string; filename: string; contentType: string; node: string },
  ) => Promise<KeptOutput>;
  /** Writes the rows of kept outputs in the transaction that ends the task. */
  insertKept: (
    trx: Transaction<DispatchTables>,
    output: { owner: string; taskId: string; kept: readonly KeptOutput[]; at: string },
  ) => Promise<void>;
  maxOutputBytes: number;
}

export interface AttemptDeps {
  store: TaskStore;
  marks: TaskMarks;
  files: AttemptFiles;
  events: DispatchEvents;
  client: WorkerClient;
  outputClasses: () => ReadonlySet<string> | null;
  clock: Clock;
  timeouts: RunTimeouts;
  /** Work that commits with the end of a task, such as its webhooks. */
  withEnd: (trx: Transaction<DispatchTables>, task: TaskRow) => Promise<void>;
  /** Aborts when the runner may not write any more. */
  signal: AbortSignal;
}

/** The attempt is over for the worker; what follows needs the worker for its outputs alone. */
export interface WorkerPart {
  outcome: AttemptOutcome;
  /** The worker may still hold the run, though the attempt has ended. */
  isStuck: boolean;
}

/** One attempt of one task on one worker, from the claim on. The runner decides what follows a failure. */
export class TaskAttempt {
  readonly fence: AttemptFence;
  readonly promptId: string;
  readonly #deps: AttemptDeps;
  #row: TaskRow;
  #graph: Graph = {};
  #progress = new RunProgress(new Set());
  #watch: RunWatch | null = null;
  #asked: 'cancel' | 'give_back' | null = null;
  #isMarkedRunning: boolean;
  #startedAt: string | null;
  readonly #images: SocketImage[] = [];
  readonly #texts: { nodeId: string; text: string }[] = [];

  constructor(deps: AttemptDeps, attempt: { row: TaskRow; fence: AttemptFence; promptId: string }) {
    this.#deps = deps;
    this.#row = attempt.row;
    this.fence = attempt.fence;
    this.promptId = attempt.promptId;
    this.#isMarkedRunning = attempt.row.status === 'running';
    this.#startedAt = attempt.row.startedAt;
    if (attempt.row.cancelRequested === 1) this.#asked = 'cancel';
  }

  get row(): TaskRow {
    return this.#row;
  }

  get wasAskedToStop(): boolean {
    return this.#asked !== null;
  }

  cancel(): void {
    this.#asked = 'cancel';
    this.#row = { ...this.#row, cancelRequested: 1 };
    this.#watch?.askToStop();
  }

  /** For a drain with force: stop, and back to the queue. A cancel that came first stands. */
  giveBack(): void {
    this.#asked ??= 'give_back';
    this.#watch?.askToStop();
  }

  notice(event: WorkerEvent): void {
    this.#watch?.notice(event);
    if ('promptId' in event && event.promptId === this.promptId) this.#takeIn(event);
  }

  /** Hands the run to the worker and waits until the worker is done with it. Null: abandoned, nothing may be written. */
  async runOnWorker(): Promise<WorkerPart | null> {
    const files = await this.#pushInputs();
    if ('kind' in files) return { outcome: files, isStuck: false };
    await this.#prepare(files);
    if (this.#asked) return { outcome: this.#outcomeOfAsking(), isStuck: false };
    return this.#submitAndWatch();
  }

  /** Picks up a run that an earlier process, or an earlier owner of the instance, left on the worker. */
  async reattach(): Promise<WorkerPart | null> {
    const inputs = await this.#deps.files.inputsOf(this.#row.id);
    await this.#prepare(new Map([...inputs].map(([id, file]) => [id, workerFileName(file)])));
    this.#deps.client.watch(this.#watchedRun());
    const watch = this.#newWatch();
    watch.lookFirst();
    if (this.#asked) watch.askToStop();
    const end = await watch.untilOver();
    if (end.kind === 'never_taken' && this.#row.status === 'pending') {
      this.#watch = null;
      return this.runOnWorker();
    }
    return this.#workerPartOf(end);
  }

  /** Pulls the outputs and writes the end. False: somebody else's word stands by now. */
  async complete(outcome: Extract<AttemptOutcome, { kind: 'succeeded' }>): Promise<boolean | AttemptOutcome> {
    this.#mark({ phase: 'collecting' });
    const { files, client, signal } = this.#deps;
    let collected: Collected;
    try {
      collected = await collectOutputs({
        client,
        result: outcome.result,
        images: this.#images,
        texts: this.#texts,
        keep: (source, output) =>
          files.keep(source, { ...output, owner: this.#row.owner, taskId: this.#row.id }),
        maxOutputBytes: files.maxOutputBytes,
        signal,
      });
    } catch (error) {
      if (!(error instanceof WorkerCallError)) throw error;
      return failed('outputs_lost', `The outputs could not be fetched from the worker: ${error.message}`);
    }
    return this.#end(
      { status: 'completed', outcome: 'completed', error: null, result: JSON.stringify(collected.stored) },
      collected.kept,
    );
  }

  async fail(error: TaskError, outcome: string): Promise<boolean> {
    return this.#end({ status: 'failed', outcome, error: JSON.stringify(error), result: null }, []);
  }

  async requeue(outcome: string, error: TaskError | null): Promise<boolean> {
    this.#deps.marks.take(this.fence);
    const at = toIso(this.#deps.clock());
    const text = error && JSON.stringify(error);
    if (!(await this.#deps.store.requeue(this.fence, { outcome, error: text, at }))) return false;
    this.#row = {
      ...this.#row,
      status: 'pending',
      phase: 'queued',
      instanceId: null,
      claimToken: null,
      node: null,
      updatedAt: at,
    };
    this.#deps.events.announce({ type: 'task_requeued', task: this.#row });
    return true;
  }

  forget(): void {
    this.#deps.client.forget(this.promptId);
  }

  async #pushInputs(): Promise<Map<string, string> | AttemptOutcome> {
    const { files, client, signal } = this.#deps;
    const names = new Map<string, string>();
    try {
      for (const [fileId, file] of await files.inputsOf(this.#row.id)) {
        names.set(fileId, await client.pushFile(file, { signal }));
      }
      return names;
    } catch (error) {
      if (!(error instanceof WorkerCallError)) throw error;
      return failed('not_taken', `An input file could not be handed to the worker: ${error.message}`);
    }
  }

  async #prepare(fileNames: ReadonlyMap<string, string>): Promise<void> {
    const input = await this.#deps.store.input(this.#row.id);
    if (!input) throw new Error(`Task ${this.#row.id} has no input row.`);
    const applied = applyParams({
      graph: parseGraph(JSON.parse(input.workflow)),
      params: JSON.parse(input.params) as Record<string, unknown>,
      strict: false,
      fileNames,
    });
    this.#graph = applied.graph;
    this.#progress = new RunProgress(
      plannedNodes(this.#graph, this.#deps.outputClasses()),
      this.#row.progress,
    );
  }

  async #submitAndWatch(): Promise<WorkerPart | null> {
    const { client, signal } = this.#deps;
    const watch = this.#newWatch();
    const submitted = await client.submit({
      ...this.#watchedRun(),
      graphJson: JSON.stringify(this.#graph),
      signal,
    });
    const refused = outcomeOfSubmit(submitted, this.#graph);
    if (refused) return { outcome: refused, isStuck: false };
    if (submitted.outcome === 'unknown') watch.lookFirst();
    if (submitted.outcome === 'accepted') {
      this.#markAccepted();
      this.#warnOfSkipped(submitted.skipped);
    }
    if (this.#asked) watch.askToStop();
    const end = await watch.untilOver();
    if (end.kind === 'never_taken' && submitted.outcome === 'unknown') {
      const outcome = failed('not_taken', `The worker did not take the task: ${submitted.message}`);
      return { outcome, isStuck: false };
    }
    return this.#workerPartOf(end);
  }

  #newWatch(): RunWatch {
    this.#watch = new RunWatch({
      client: this.#deps.client,
      promptId: this.promptId,
      clock: this.#deps.clock,
      timeouts: this.#deps.timeouts,
      timeLimitMs: this.#row.timeoutSeconds === null ? null : this.#row.timeoutSeconds * 1000,
      signal: this.#deps.signal,
    });
    return this.#watch;
  }

  #watchedRun() {
    return { promptId: this.promptId, classOf: (nodeId: string) => this.#graph[nodeId]?.class_type };
  }

  #workerPartOf(end: WatchEnd): WorkerPart | null {
    switch (end.kind) {
      case 'over':
        return {
          outcome: outcomeOfResult(end.result, { graph: this.#graph, wasAsked: this.#asked }),
          isStuck: false,
        };
      case 'removed':
        return { outcome: this.#outcomeOfAsking(), isStuck: false };
      case 'would_not_stop':
        return { outcome: this.#outcomeOfAsking(), isStuck: true };
      case 'lost':
        return {
          outcome: this.#asked ? this.#outcomeOfAsking() : failed('lost', end.message),
          isStuck: false,
        };
      case 'never_taken':
        return { outcome: failed('lost', 'The worker does not know the run any more.'), isStuck: false };
      case 'stuck':
        return { outcome: failed('stalled', end.message), isStuck: true };
      case 'timed_out':
        return {
          outcome: failed('timed_out', `The run took longer than ${this.#row.timeoutSeconds} s.`),
          isStuck: true,
        };
      case 'abandoned':
        return null;
    }
  }

  #outcomeOfAsking(): AttemptOutcome {
    return { kind: this.#asked === 'give_back' ? 'given_back' : 'cancelled' };
  }

  #takeIn(event: RunEvent): void {
    if (event.type === 'image_output') this.#keepImage(event);
    if (event.type === 'node_text' && this.#texts.length < mostSocketTexts) this.#texts.push(event);
    if (event.type === 'preview') {
      const preview = { mediaType: event.mediaType, bytes: event.bytes };
      this.#deps.events.announce({
        type: 'task_preview',
        taskId: this.#row.id,
        owner: this.#row.owner,
        preview: event.nodeId === null ? preview : { ...preview, node: event.nodeId },
      });
    }
    if (event.type === 'run_started' || !this.#isMarkedRunning) this.#markAccepted();
    if (this.#progress.apply(event)) this.#showProgress();
  }

  #keepImage(image: SocketImage): void {
    const heldBytes = this.#images.reduce((sum, { bytes }) => sum + bytes.byteLength, 0);
    if (heldBytes + image.bytes.byteLength <= this.#deps.files.maxOutputBytes) this.#images.push(image);
  }

  #markAccepted(): void {
    if (this.#isMarkedRunning) return;
    this.#isMarkedRunning = true;
    const at = toIso(this.#deps.clock());
    this.#startedAt ??= at;
    this.#mark({ status: 'running', phase: 'executing', startedAt: this.#startedAt, acceptedAt: at });
    this.#deps.events.announce({ type: 'task_started', task: this.#row });
  }

  #warnOfSkipped(skipped: readonly { message: string }[]): void {
    if (skipped.length === 0) return;
    const warnings = [
      ...(JSON.parse(this.#row.warnings) as string[]),
      ...skipped.map(({ message }) => `The worker leaves an output out: ${message}`),
    ];
    this.#row = { ...this.#row, warnings: JSON.stringify(warnings) };
  }

  #showProgress(): void {
    const { percent, nodeId, step, steps } = this.#progress.view;
    const node = nodeId === null ? null : titleOf(this.#graph, nodeId);
    this.#mark({ progress: percent, node });
    this.#deps.events.announce({
      type: 'task_progress',
      taskId: this.#row.id,
      owner: this.#row.owner,
      requestId: this.#row.requestId,
      progress: {
        progress: percent,
        ...(node !== null && { node }),
        ...(step !== null && steps !== null && { step, steps }),
      },
    });
  }

  #mark(change: Omit<RunningMark, 'updatedAt'>): void {
    const updatedAt = toIso(this.#deps.clock());
    const { acceptedAt: _attemptColumn, ...columns } = change;
    this.#row = { ...this.#row, ...columns, updatedAt };
    this.#deps.marks.mark(this.fence, { ...change, updatedAt });
  }

  async #end(
    end: Pick<TaskRow, 'error' | 'result'> & { status: 'completed' | 'failed'; outcome: string },
    kept: readonly KeptOutput[],
  ): Promise<boolean> {
    const { store, marks, files, events, clock, withEnd } = this.#deps;
    const unwritten = marks.take(this.fence);
    const at = toIso(clock());
    const { outcome, ...columns } = end;
    const change = {
      ...columns,
      phase: 'ended',
      progress: end.status === 'completed' ? 100 : this.#row.progress,
      node: null,
      warnings: this.#row.warnings,
      startedAt: this.#startedAt,
      updatedAt: at,
      finishedAt: at,
    } as const;
    const row: TaskRow = { ...this.#row, ...change };
    const written = await store.end(
      this.fence,
      { ...change, outcome, acceptedAt: unwritten?.acceptedAt ?? null },
      async (trx) => {
        if (kept.length > 0) {
          await files.insertKept(trx, { owner: row.owner, taskId: row.id, kept, at });
        }
        await withEnd(trx, row);
      },
    );
    if (!written) return false;
    this.#row = row;
    events.announce({ type: 'task_ended', task: row });
    return true;
  }
}

const mostSocketTexts = 1_000;
