import type { Readable } from 'node:stream';
import type { Patience } from '@switchyard/contract/dispatch/patience';
import { inEach, say } from '@switchyard/contract/sentences/sentences';
import { AppError } from '../../lib/app-error.ts';
import { newDeferred } from '../../lib/async/deferred.ts';
import { linkedAbort } from '../../lib/async/linked-abort.ts';
import type { Clock } from '../../lib/clock.ts';
import { newSpanId } from '../../platform/telemetry/trace-ids.ts';
import type { Traces } from '../../platform/telemetry/traces.ts';
import { type GraphWords, graphWords, noGraphWords } from '../graphs/file-words.ts';
import { type Graph, parseGraph } from '../graphs/graph.ts';
import { applyParams, fileIdsIn } from '../graphs/params.ts';
import type { AttemptNames, WorkerNames } from '../graphs/worker-names.ts';
import type { InstanceMonitor } from '../instances/instance-monitor.ts';
import type { TaskRow } from '../tables.ts';
import type { AttemptFence } from '../tasks/attempt-store.ts';
import { newTaskError, type WordedTaskError } from '../tasks/task-messages.ts';
import type { TaskStore } from '../tasks/task-store.ts';
import { targetsOf } from '../tasks/task-view.ts';
import { placeInAttempt, traceparentOfAttempt } from '../timeline/task-traces.ts';
import { isSocketOutput } from '../worker-client/socket-outputs.ts';
import {
  type ExecutionResult,
  type FileToPush,
  WorkerCallError,
  type WorkerClient,
} from '../worker-client/worker-client.ts';
import type { WorkerEvent } from '../worker-client/worker-event.ts';
import { workerFileName } from '../worker-client/worker-file-name.ts';
import {
  type AttemptOutcome,
  failed,
  notTaken,
  outcomeOfResult,
  outcomeOfSubmit,
} from './attempt-outcome.ts';
import { AttemptRecord, type RecordDeps } from './attempt-record.ts';
import { type Collected, collectOutputs, type KeptOutput, type OutputToKeep } from './collect-outputs.ts';
import { ExecutionReports } from './execution-reports.ts';
import { type ExecutionTimeouts, timeoutsOf } from './execution-timeouts.ts';
import { ExecutionWatch, type WatchEnd } from './execution-watch.ts';

/** The part of the stored files that an attempt needs. */
export interface AttemptFiles {
  /** The files that the task's params name, by file id. */
  inputsOf: (taskId: string) => Promise<Map<string, FileToPush>>;
  keep: (source: Readable, output: OutputToKeep) => Promise<KeptOutput>;
  maxOutputBytes: number;
}

export interface AttemptDeps extends RecordDeps {
  tasks: Pick<TaskStore, 'input'>;
  files: AttemptFiles;
  workerNames: WorkerNames;
  client: WorkerClient;
  outputClasses: () => ReadonlySet<string> | null;
  /** Null when nothing is traced. */
  traces: Traces | null;
  /** Measures durations; it is never set like a wall clock. */
  steadyClock: Clock;
  timeouts: ExecutionTimeouts;
  /** The patience that the instance's server sets. */
  serverPatience: () => Patience | null;
  monitor: Pick<InstanceMonitor, 'noteDeaf' | 'noteHearing'>;
  /** Returns false once another process may own the instance, also when the signal has not said so yet. */
  isOwner: () => boolean;
}

/** The attempt is over for the worker; what follows needs the worker only for its outputs. */
export interface WorkerPart {
  outcome: AttemptOutcome;
  /** The worker may still execute the prompt, though the attempt has ended. */
  isStuck: boolean;
}

/** The values with which a task was submitted. */
interface AttemptInput {
  /** JSON. */
  workflow: string;
  params: Record<string, unknown>;
  /** JSON. */
  extraData: string | null;
  targets: string[] | null;
}

/** One attempt of one task on one worker, starting with the claim. What follows a failure is decided elsewhere. */
export class TaskAttempt {
  readonly promptId: string;
  readonly #knownPromptId: string | null;
  readonly record: AttemptRecord;
  readonly #leftWorker = newDeferred();
  readonly #deps: AttemptDeps;
  readonly #reports: ExecutionReports;
  readonly #names: AttemptNames;
  #graph: Graph = {};
  /** The words of the graph without the names that only the worker sees. */
  #words: () => GraphWords = () => noGraphWords;
  #watch: ExecutionWatch | null = null;
  #asked: 'cancel' | 'give_back' | null = null;
  /** Interrupts the exchange between gateway and worker: submitting the prompt, or fetching its outputs. */
  #breakOff: { handOver: () => void; collecting: () => void } = { handOver: nothing, collecting: nothing };

  constructor(
    deps: AttemptDeps,
    attempt: {
      row: TaskRow;
      fence: AttemptFence;
      promptId: string;
      /** A prompt that the worker knew when an earlier owner claimed the task. */
      knownPromptId: string | null;
      nodes: string | null;
    },
  ) {
    this.#deps = deps;
    this.promptId = attempt.promptId;
    this.#knownPromptId = attempt.knownPromptId;
    this.#names = deps.workerNames.of(attempt.promptId);
    this.record = new AttemptRecord(deps, attempt);
    this.#reports = new ExecutionReports({
      record: this.record,
      events: deps.events,
      keep: (...given) => deps.files.keep(...given),
    });
    if (attempt.row.cancelRequested === 1) this.#asked = 'cancel';
  }

  get taskId(): string {
    return this.record.fence.taskId;
  }

  cancel(): void {
    this.#asked = 'cancel';
    this.record.noteCancel();
    this.#watch?.askToStop();
    this.#breakOff.handOver();
    this.#breakOff.collecting();
  }

  /**
   * For a drain with force: stops the attempt and puts the task back into the queue. An earlier cancel stays in force.
   */
  giveBack(): void {
    this.#asked ??= 'give_back';
    this.#watch?.askToStop();
    this.#breakOff.handOver();
  }

  /**
   * Resolves when the worker has said that it is done, which may be a moment before it is known how the execution
   * ended.
   */
  get leftWorker(): Promise<void> {
    return this.#leftWorker.promise;
  }

  notice(event: WorkerEvent): void {
    this.#watch?.notice(event);
    if (!('promptId' in event) || event.promptId !== this.promptId) return;
    this.#reports.takeIn(event);
    if (event.type === 'run_settled') this.#leftWorker.resolve();
  }

  /**
   * Submits the prompt to the worker and waits until the worker is done with it. Returns null when abandoned; nothing
   * may be written then.
   */
  async runOnWorker(): Promise<WorkerPart | null> {
    const handOver = linkedAbort(this.#deps.signal);
    this.#breakOff.handOver = handOver.abort;
    try {
      const input = await this.#input();
      const names = await this.#pushInputs(input, handOver.signal);
      const refused = 'kind' in names ? names : this.#prepare(input, names);
      if (this.#asked) return { outcome: this.#outcomeOfAsking(), isStuck: false };
      if (refused) return { outcome: refused, isStuck: false };
      return await this.#submitAndWatch(input, handOver.signal);
    } finally {
      handOver.release();
    }
  }

  /** Resumes an execution that an earlier process, or an earlier owner of the instance, left on the worker. */
  async reattach(): Promise<WorkerPart | null> {
    const input = await this.#input();
    const files = await this.#filesOf(input);
    const refused = this.#prepare(input, new Map([...files].map(([id, file]) => [id, workerFileName(file)])));
    if (refused) return { outcome: refused, isStuck: false };
    this.#deps.client.watch(this.#watchedExecution());
    const watch = this.#newWatch();
    const wasAccepted = this.record.row.status === 'running';
    if (wasAccepted) watch.noteThere();
    watch.lookFirst();
    if (this.#asked) watch.askToStop();
    const end = await watch.untilOver();
    if (end.kind === 'never_taken' && !wasAccepted) {
      return { outcome: this.#unlessAsked(failed('unsent', say('run_unsent'))), isStuck: false };
    }
    return this.#workerPartOf(end);
  }

  /** Fetches the outputs and writes the end. Returns the outcome instead when the attempt did not complete. */
  async complete(outcome: Extract<AttemptOutcome, { kind: 'succeeded' }>): Promise<AttemptOutcome | null> {
    this.record.markCollecting();
    try {
      const collected = await this.#traced('collect', () => this.#collect(outcome));
      if (this.#asked === 'cancel') return { kind: 'cancelled' };
      if (collected.isAllLost) return await this.#outputsAreGone(outcome);
      await this.record.complete(collected, collected.kept.length > 0 ? this.#words() : noGraphWords);
      return null;
    } catch (error) {
      if (this.#asked === 'cancel') return { kind: 'cancelled' };
      // Abandoned: the next owner of the instance finds the result in the worker's history.
      if (this.#deps.signal.aborted) return null;
      if (!(error instanceof WorkerCallError)) throw error;
      return failed('outputs_lost', say('outputs_not_fetched', { cause: error.sentences }));
    }
  }

  async #outputsAreGone({ result }: Extract<AttemptOutcome, { kind: 'succeeded' }>): Promise<AttemptOutcome> {
    // The worker would name the same lost files again, from its cache.
    if (result.cachedNodes.length > 0) await this.#deps.client.freeMemory().catch(nothing);
    return failed('outputs_lost', say('outputs_gone'));
  }

  fail(error: WordedTaskError, outcome: string): Promise<boolean> {
    return this.record.fail(error, outcome);
  }

  forget(): void {
    if (this.#deps.signal.aborted) this.record.abandon();
    this.#deps.client.forget(this.promptId);
  }

  /** Must be called once the end is written: until then a restarted gateway would fetch the outputs again. */
  discardOutputs(): void {
    if (!this.record.isOver) return;
    // Files that stay on the worker take up room there and do no other harm.
    this.#deps.client.discardOutputs(this.promptId).catch(nothing);
  }

  async #input(): Promise<AttemptInput> {
    const row = await this.#deps.tasks.input(this.taskId);
    if (!row) throw new Error(`Task ${this.taskId} has no input row.`);
    const params = JSON.parse(row.params) as Record<string, unknown>;
    if (fileIdsIn(params).length === 0) this.record.noteNoFiles();
    return {
      workflow: row.workflow,
      params,
      extraData: row.extraData,
      targets: targetsOf(row),
    };
  }

  async #filesOf({ params }: AttemptInput): Promise<Map<string, FileToPush>> {
    if (fileIdsIn(params).length === 0) return new Map();
    return this.#deps.files.inputsOf(this.taskId);
  }

  async #pushInputs(input: AttemptInput, signal: AbortSignal): Promise<Map<string, string> | AttemptOutcome> {
    const { client } = this.#deps;
    const names = new Map<string, string>();
    try {
      for (const [fileId, file] of await this.#filesOf(input)) {
        const push = () => client.pushFile(file, { signal });
        names.set(fileId, await this.#traced('upload', push));
      }
      return names;
    } catch (error) {
      if (error instanceof AppError && error.code === 'file_not_found') {
        return failed('graph_error', error.sentences, 'input_file_missing');
      }
      if (!(error instanceof WorkerCallError)) throw error;
      const { workerCause: cause, sentences } = error;
      return notTaken(
        cause === 'refused_size' ? sentences : say('input_not_handed', { cause: sentences }),
        cause,
      );
    }
  }

  /** Returns an outcome when the stored task cannot be turned into a prompt, which no other attempt would change. */
  #prepare(
    { workflow, params, targets }: AttemptInput,
    fileNames: ReadonlyMap<string, string>,
  ): AttemptOutcome | null {
    try {
      const graph = parseGraph(JSON.parse(workflow));
      const { graph: filled } = applyParams({ graph, params, strict: false, fileNames });
      this.#graph = this.#names.putOn(filled);
      this.#words = () => graphWords(filled, new Set(fileNames.values()));
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      return failed('graph_error', error.sentences, 'invalid_workflow');
    }
    this.#reports.begin(this.#graph, { targets, outputClasses: this.#deps.outputClasses() });
    return null;
  }

  async #submitAndWatch(
    { extraData, targets }: AttemptInput,
    signal: AbortSignal,
  ): Promise<WorkerPart | null> {
    const watch = this.#newWatch();
    const { client, isOwner, traces } = this.#deps;
    const prompt = {
      graphJson: JSON.stringify(this.#graph),
      signal,
      // Rows fence writes, but a worker takes every prompt.
      maySend: isOwner,
      ...this.#watchedExecution(),
      ...(extraData !== null && { extraDataJson: extraData }),
      ...(targets !== null && { targets }),
      ...(traces && { traceparent: traceparentOfAttempt(this.record.row) }),
    };
    const submitted = await this.#traced('submit', () => client.submit(prompt));
    if (submitted.outcome === 'not_taken' && !isOwner()) return null;
    const refused = outcomeOfSubmit(submitted, this.#graph);
    if (refused) return { outcome: this.#asNamedByUser(refused), isStuck: false };
    if (submitted.outcome === 'unknown') watch.lookFirst();
    if (submitted.outcome === 'accepted') {
      this.record.markAccepted();
      watch.noteAccepted();
      const skipped = submitted.skipped.map(({ message }) =>
        say('output_left_out', { cause: this.#names.takeOff(message) }),
      );
      if (skipped.length > 0) this.record.warn(skipped);
    }
    if (this.#asked) watch.askToStop();
    const end = await watch.untilOver();
    if (end.kind === 'never_taken' && submitted.outcome === 'unknown' && !this.#asked) {
      const outcome = notTaken(say('task_not_taken', { cause: submitted.message }), submitted.cause);
      return { outcome, isStuck: false };
    }
    return this.#workerPartOf(end);
  }

  /** A call of the worker is a span of the attempt. */
  #traced<Value>(call: 'upload' | 'submit' | 'collect', work: () => Promise<Value>): Promise<Value> {
    const { traces } = this.#deps;
    if (traces === null) return work();
    const { row } = this.record;
    const attributes = { 'switchyard.task_id': row.id, 'switchyard.instance_id': row.instanceId ?? '' };
    return traces.around(
      { name: `worker ${call}`, spanId: newSpanId(), place: placeInAttempt(row), kind: 'client', attributes },
      work,
    );
  }

  #newWatch(): ExecutionWatch {
    const { client, steadyClock, timeouts, serverPatience, monitor, signal } = this.#deps;
    const { timeoutSeconds, patience } = this.record.row;
    const own = patience === null ? null : (JSON.parse(patience) as Patience);
    this.#watch = new ExecutionWatch({
      client,
      promptId: this.promptId,
      knownPromptId: this.#knownPromptId,
      steadyClock,
      timeouts: timeoutsOf(timeouts, [serverPatience(), own]),
      onRunning: () => this.record.markExecuting(),
      onDeaf: (message) => monitor.noteDeaf(message),
      onHeard: () => monitor.noteHearing(),
      timeLimitMs: timeoutSeconds === null ? null : timeoutSeconds * 1000,
      signal,
    });
    return this.#watch;
  }

  #watchedExecution() {
    return { promptId: this.promptId, classOf: (nodeId: string) => this.#graph[nodeId]?.class_type };
  }

  #workerPartOf(end: WatchEnd): WorkerPart | null {
    switch (end.kind) {
      case 'over': {
        this.#noteHistory(end.result);
        const asked = { graph: this.#graph, wasAsked: this.#asked };
        return { outcome: this.#asNamedByUser(outcomeOfResult(end.result, asked)), isStuck: false };
      }
      case 'removed':
        return { outcome: this.#outcomeOfAsking(), isStuck: false };
      case 'would_not_stop':
        return { outcome: this.#outcomeOfAsking(), isStuck: true };
      case 'lost':
        return { outcome: this.#unlessAsked(failed('lost', end.message)), isStuck: false };
      case 'never_taken': {
        const outcome = failed('lost', say('run_unknown'));
        return { outcome: this.#unlessAsked(outcome), isStuck: false };
      }
      case 'untraced':
        return { outcome: this.#unlessAsked(failed('untraced', say('run_untraced'))), isStuck: false };
      case 'stuck':
        return { outcome: failed('stalled', end.message), isStuck: true };
      case 'timed_out': {
        const message = say('run_too_long', { seconds: this.record.row.timeoutSeconds ?? 0 });
        return { outcome: failed('timed_out', message), isStuck: !end.hasStopped };
      }
      case 'abandoned':
        return null;
    }
  }

  #noteHistory({ cachedNodes, files, texts }: ExecutionResult): void {
    const finished = [...files, ...texts].map(({ nodeId }) => nodeId);
    this.record.noteHistory({ cached: cachedNodes, finished });
  }

  /** Workers name files in their messages about a fault. */
  #asNamedByUser(outcome: AttemptOutcome): AttemptOutcome {
    if (outcome.kind !== 'failed') return outcome;
    const { error } = outcome;
    const message = inEach(error.sentences, (text) => this.#names.takeOff(text));
    return { ...outcome, error: { ...error, ...newTaskError(error.code, message) } };
  }

  #outcomeOfAsking(): AttemptOutcome {
    return { kind: this.#asked === 'give_back' ? 'given_back' : 'cancelled' };
  }

  #unlessAsked(outcome: AttemptOutcome): AttemptOutcome {
    return this.#asked ? this.#outcomeOfAsking() : outcome;
  }

  /** Ends early when the task is cancelled or the runner may not go on. */
  async #collect({ result }: Extract<AttemptOutcome, { kind: 'succeeded' }>): Promise<Collected> {
    const { client, files, signal } = this.#deps;
    const collecting = linkedAbort(signal);
    this.#breakOff.collecting = collecting.abort;
    if (this.#asked === 'cancel') collecting.abort();
    try {
      return await collectOutputs({
        client,
        result,
        images: this.#reports.images,
        imageNodes: Object.keys(this.#graph).filter((id) => isSocketOutput(this.#graph[id]?.class_type)),
        texts: this.#reports.texts,
        asNamedByUser: (text) => this.#names.takeOff(text),
        keep: (...given) => files.keep(...given),
        maxOutputBytes: files.maxOutputBytes,
        signal: collecting.signal,
      });
    } finally {
      collecting.release();
    }
  }
}

function nothing(): void {}
