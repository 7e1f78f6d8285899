import { createHash } from 'node:crypto';
import type { ProbeCause } from '@switchyard/contract/dispatch/instance';
import { sleepWithSignal } from '../../../lib/async/sleep-with-signal.ts';
import { systemTimer, type Timer } from '../../../lib/async/timer.ts';
import { type Clock, systemClock } from '../../../lib/clock.ts';
import { guardedLookup } from '../../../platform/outbound/host-rules.ts';
import type { ProxySettings } from '../../../platform/outbound/proxy-rules.ts';
import {
  type CancelOutcome,
  type ExecutionLocation,
  type ExecutionResult,
  type FileToPush,
  type OutputFile,
  type ProbeOutcome,
  type PromptToSubmit,
  type PulledOutput,
  type PullOptions,
  type ReconcileOutcome,
  type SubmitOutcome,
  type WatchedExecution,
  WorkerCallError,
  type WorkerCapabilities,
  type WorkerClient,
} from '../worker-client.ts';
import type { OnWorkerEvent } from '../worker-event.ts';
import { workerFileName } from '../worker-file-name.ts';
import { callFailure, sizeRefused } from './call-failure.ts';
import { EventReader } from './event-reader.ts';
import { readObjectInfo } from './object-info.ts';
import { askStatus, canStopOneRun } from './probe.ts';
import { readSubmitAnswer } from './submit-answer.ts';
import { pullOutput, pushFile } from './transfer.ts';
import { maxAnswerBytes, WorkerCalls, type WorkerFeatures } from './worker-calls.ts';
import { type WorkerAddress, WorkerHttp } from './worker-http.ts';
import { WorkerSocket } from './worker-socket.ts';

const deadlines = { submitMs: 15_000, askMs: 10_000, probeMs: 2_000, capabilitiesMs: 30_000 };
/** The history is written within milliseconds after the end was announced. */
const historyDelaysMs = [5, 20, 50, 100, 250, 500];
const maxKnownFiles = 1_000;
/** Every server takes a prompt of this size, so the first task of each is not held up by a question. */
const smallPromptBytes = 256 * 1024;

interface ToldAnswer {
  body: Buffer;
  embeddings: string[];
  hash: string;
}

/** A ComfyUI server, or another server with its protocol. */
export class ComfyuiClient implements WorkerClient {
  readonly #clientId: string;
  readonly #emit: OnWorkerEvent;
  readonly #timer: Timer;
  readonly #now: Clock;
  readonly #probeTimeoutMs: number;
  readonly #http: WorkerHttp;
  readonly #calls: WorkerCalls;
  readonly #events: EventReader;
  readonly #socket: WorkerSocket;
  /**
   * Own prompts with the connection under which each was submitted: a connection that was never lost received
   * everything.
   */
  readonly #submittedUnder = new Map<string, { connection: number | null; wasHeardOf: boolean }>();
  readonly #pushed = new Set<string>();
  #framesHeard = 0;
  #knownPromptId: string | null = null;
  #lastNumber: number | null = null;
  #version: string | null = null;
  /** What the worker last said; one that does not answer keeps them. */
  #embeddings: string[] = [];
  /** The hash of the last answer that was parsed; most answers are the same, and large. */
  #objectInfoHash: string | null = null;
  #hasJobs: boolean | null = null;
  #features: WorkerFeatures | null = null;
  /** The smallest request that the worker has refused for its size. */
  #refusedBytes = Number.POSITIVE_INFINITY;

  constructor(options: {
    address: WorkerAddress;
    /**
     * The same for every gateway process that ever owns the instance, so that a restarted one gets the events of
     * prompts that still run.
     */
    clientId: string;
    onEvent: OnWorkerEvent;
    probeTimeoutMs?: number;
    /** The limit for questions and orders. A worker that loads models answers slowly, but every call ends. */
    askTimeoutMs?: number;
    /** The proxies through which workers are called; none when it is absent. */
    proxies?: ProxySettings;
    timer?: Timer;
    now?: Clock;
  }) {
    this.#clientId = options.clientId;
    this.#emit = options.onEvent;
    this.#timer = options.timer ?? systemTimer;
    this.#now = options.now ?? systemClock;
    this.#probeTimeoutMs = options.probeTimeoutMs ?? deadlines.probeMs;
    const lookup = guardedLookup({ allowPrivate: true });
    const { address, proxies } = options;
    this.#http = new WorkerHttp(address, { timer: this.#timer, lookup, proxies });
    this.#calls = new WorkerCalls(this.#http, { deadlineMs: options.askTimeoutMs ?? deadlines.askMs });
    this.#events = new EventReader((event) => {
      if ('promptId' in event) this.#noteSeen(event.promptId);
      this.#emit(event);
    }, this.#timer);
    this.#socket = new WorkerSocket({
      http: this.#http,
      clientId: options.clientId,
      timer: this.#timer,
      onOpen: () => this.#emit({ type: 'socket_opened' }),
      onClose: () => this.#onSocketClosed(),
      onText: (raw) => {
        this.#framesHeard++;
        this.#events.readText(raw);
      },
      onBinary: (raw) => {
        this.#framesHeard++;
        this.#events.readBinary(raw);
      },
    });
  }

  get isConnected(): boolean {
    return this.#socket.isOpen;
  }

  get framesHeard(): number {
    return this.#framesHeard;
  }

  get knownPromptId(): string | null {
    return this.#knownPromptId;
  }

  open(): void {
    this.#socket.open();
  }

  reopen(): Promise<void> {
    return this.#socket.reopen();
  }

  async close(): Promise<void> {
    this.#events.close();
    await this.#socket.close();
    this.#http.close();
  }

  async probe({ signal }: { signal?: AbortSignal } = {}): Promise<ProbeOutcome> {
    const startedAtMs = this.#now();
    const latencyMs = () => Math.max(Math.round(this.#now() - startedAtMs), 0);
    try {
      const status = await askStatus(this.#http, { deadlineMs: this.#probeTimeoutMs, signal });
      this.#version = status.version;
      return { ok: true, latencyMs: latencyMs(), ...status };
    } catch (error) {
      if (!(error instanceof WorkerCallError)) throw error;
      return { ok: false, latencyMs: latencyMs(), cause: probeCauseOf(error), message: error.sentences };
    }
  }

  async capabilities(options: { signal?: AbortSignal } = {}): Promise<WorkerCapabilities> {
    return this.#readObjectInfo(await this.#askObjectInfo(options));
  }

  async changedCapabilities(options: { signal?: AbortSignal } = {}): Promise<WorkerCapabilities | null> {
    const answer = await this.#askObjectInfo(options);
    return answer.hash === this.#objectInfoHash ? null : this.#readObjectInfo(answer);
  }

  async submit(run: PromptToSubmit): Promise<SubmitOutcome> {
    const { promptId } = run;
    this.watch(run);
    this.#submittedUnder.set(promptId, { connection: this.#socket.connection, wasHeardOf: false });
    const outcome = await this.#post(run);
    if (outcome.outcome === 'accepted') this.#noteNumber(outcome.number);
    else if (outcome.outcome === 'input_missing') this.#pushed.clear();
    if (outcome.outcome !== 'accepted' && outcome.outcome !== 'unknown') this.forget(promptId);
    return outcome;
  }

  watch(run: WatchedExecution): void {
    this.#events.watch(run);
  }

  forget(promptId: string): void {
    this.#events.forget(promptId);
    this.#submittedUnder.delete(promptId);
  }

  async locate(promptId: string): Promise<ExecutionLocation> {
    const { queue_running: running, queue_pending: waiting } = await this.#calls.queue();
    if (running.some(([, id]) => id === promptId)) return { state: 'running' };
    const own = waiting.find(([, id]) => id === promptId);
    if (own) {
      const before = waiting.filter(([number]) => number < own[0]).length;
      return { state: 'waiting', ahead: running.length + before };
    }
    const result = await this.#historyOf(promptId);
    return result ? { state: 'finished', result } : { state: 'absent' };
  }

  async reconcile(
    promptId: string,
    { graceMs, knownPromptId, signal }: Parameters<WorkerClient['reconcile']>[1],
  ): Promise<ReconcileOutcome> {
    let location = await this.locate(promptId);
    if (location.state === 'absent') {
      await sleepWithSignal(graceMs, { signal, timer: this.#timer });
      location = await this.locate(promptId);
    }
    if (location.state !== 'absent') return location;
    const heard = this.#events.heardResultOf(promptId);
    if (heard) return { state: 'finished', result: heard };
    return { state: 'absent', isSameProcess: await this.#isSameProcess(promptId, knownPromptId) };
  }

  async result(promptId: string): Promise<ExecutionResult | null> {
    let result = await this.#historyOf(promptId);
    for (const delayMs of historyDelaysMs) {
      if (result) break;
      await sleepWithSignal(delayMs, { timer: this.#timer });
      result = await this.#historyOf(promptId);
    }
    return result ?? this.#events.heardResultOf(promptId);
  }

  async cancel(promptId: string): Promise<CancelOutcome> {
    if (this.#hasJobs !== false) this.#hasJobs = await this.#calls.cancelJob(promptId);
    if (!this.#hasJobs) await this.#calls.deleteWaiting(promptId);
    const location = await this.locate(promptId);
    if (location.state === 'absent') return { outcome: 'removed' };
    if (location.state === 'finished') return { outcome: 'finished', result: location.result };
    if (this.#hasJobs) return { outcome: 'stopping' };
    this.#version ??= (await askStatus(this.#http, { deadlineMs: deadlines.askMs })).version;
    if (!canStopOneRun(this.#version)) return { outcome: 'cannot_stop' };
    // Interrupting comes only after the prompt was seen to run: even if the worker ignores the id, it stops this
    // prompt.
    if (location.state === 'running') await this.#calls.interrupt(promptId);
    return { outcome: 'stopping' };
  }

  async pushFile(file: FileToPush, { signal }: { signal?: AbortSignal } = {}): Promise<string> {
    const known = workerFileName(file);
    if (this.#pushed.has(known)) return known;
    const { sizeBytes } = file;
    await this.#requireRoom(sizeBytes);
    try {
      await pushFile(this.#http, file, { signal, timer: this.#timer });
    } catch (error) {
      const isRefusal = error instanceof WorkerCallError && error.workerCause === 'refused_size';
      throw isRefusal ? this.#refusalOf(sizeBytes) : error;
    }
    if (this.#pushed.size >= maxKnownFiles) this.#pushed.clear();
    this.#pushed.add(known);
    return known;
  }

  pullOutput(output: OutputFile, options: PullOptions): Promise<PulledOutput | null> {
    return pullOutput(this.#http, output, { timer: this.#timer, ...options });
  }

  async discardOutputs(promptId: string): Promise<void> {
    const { deletesCollected } = await this.#askFeatures();
    if (deletesCollected) await this.#calls.deleteCollected(promptId);
  }

  freeMemory(): Promise<void> {
    return this.#calls.freeMemory();
  }

  async #post({
    promptId,
    graphJson,
    extraDataJson,
    targets,
    traceparent,
    signal,
    maySend,
  }: PromptToSubmit): Promise<SubmitOutcome> {
    const extra = extraDataJson === undefined ? '' : `,"extra_data":${extraDataJson}`;
    const only = targets === undefined ? '' : `,"partial_execution_targets":${JSON.stringify(targets)}`;
    const ids = `"client_id":${JSON.stringify(this.#clientId)},"prompt_id":${JSON.stringify(promptId)}`;
    const body = `{"prompt":${graphJson},${ids}${extra}${only}}`;
    const sizeBytes = Buffer.byteLength(body);
    try {
      if (sizeBytes > smallPromptBytes) await this.#requireRoom(sizeBytes);
    } catch (error) {
      if (!(error instanceof WorkerCallError)) throw error;
      return { outcome: 'not_taken', cause: error.workerCause, message: error.message };
    }
    try {
      const answer = await this.#http.call({
        method: 'POST',
        path: '/prompt',
        ...(traceparent && { headers: { traceparent } }),
        body,
        deadlineMs: deadlines.submitMs,
        maxBytes: maxAnswerBytes,
        signal,
        maySend,
      });
      if (answer.status === 413) throw this.#refusalOf(sizeBytes);
      const outcome = readSubmitAnswer(answer, { promptId, label: this.#http.label });
      return outcome.outcome === 'other_id' ? await this.#giveBack(outcome.promptId) : outcome;
    } catch (error) {
      if (!(error instanceof WorkerCallError)) throw error;
      const { mayHaveArrived, workerCause: cause, sentences: message } = error;
      return { outcome: mayHaveArrived ? 'unknown' : 'not_taken', cause, message };
    }
  }

  async #askFeatures(): Promise<WorkerFeatures> {
    this.#features ??= await this.#calls.features();
    return this.#features;
  }

  /** Throws when it is known that the worker takes no request of this size. */
  async #requireRoom(sizeBytes: number): Promise<void> {
    const { maxRequestBytes: limitBytes } = await this.#askFeatures();
    if (sizeBytes > limitBytes) throw sizeRefused(this.#http.label, { sizeBytes, limitBytes });
    if (sizeBytes >= this.#refusedBytes) throw this.#refusalOf(sizeBytes);
  }

  /** Remembers that the worker takes no request of this size. */
  #refusalOf(sizeBytes: number): WorkerCallError {
    this.#refusedBytes = Math.min(this.#refusedBytes, sizeBytes);
    return sizeRefused(this.#http.label, { sizeBytes, limitBytes: null });
  }

  async #askObjectInfo({ signal }: { signal?: AbortSignal }): Promise<ToldAnswer> {
    const body = await this.#calls.read('/object_info', { deadlineMs: deadlines.capabilitiesMs, signal });
    this.#embeddings = (await this.#calls.embeddings({ signal })) ?? this.#embeddings;
    const embeddings = this.#embeddings;
    const hash = createHash('sha256').update(body).update(JSON.stringify(embeddings)).digest('base64');
    return { body, embeddings, hash };
  }

  async #readObjectInfo({ body, embeddings, hash }: ToldAnswer): Promise<WorkerCapabilities> {
    const { text, ...capabilities } = await readObjectInfo(body, this.#http.label);
    this.#objectInfoHash = hash;
    return { ...capabilities, told: { objectInfo: text, embeddings } };
  }

  async #historyOf(promptId: string): Promise<ExecutionResult | null> {
    const { connection } = this.#socket;
    const result = await this.#calls.historyOf(promptId);
    const isSameProcess = connection !== null && connection === this.#socket.connection;
    if (result && isSameProcess) this.#knownPromptId = promptId;
    return result;
  }

  /** Returns whether the process that answers now is the one that the prompt was meant for; null when that is not known. */
  async #isSameProcess(promptId: string, knownPromptId: string | null): Promise<boolean | null> {
    const submitted = this.#submittedUnder.get(promptId);
    if (submitted?.wasHeardOf) return false;
    const connection = submitted?.connection ?? null;
    if (connection !== null && connection === this.#socket.connection) return true;
    // A connection that was lost since may have ended together with the process.
    if (knownPromptId === null) return connection === null ? null : false;
    return (await this.locate(knownPromptId)).state !== 'absent';
  }

  /** A prompt under another id could not be found again after a crash, so it must be stopped. */
  async #giveBack(otherId: string): Promise<SubmitOutcome> {
    await this.cancel(otherId);
    const { workerCause: cause, sentences: message } = callFailure('too_old', this.#http.label);
    return { outcome: 'not_taken', cause, message };
  }

  /** A worker counts its prompts from 0: a number that is not higher than the last comes from another process. */
  #noteNumber(number: number): void {
    const isOther = this.#lastNumber !== null && number <= this.#lastNumber;
    this.#lastNumber = number;
    if (!isOther) return;
    this.#forgetProcess();
    this.#emit({ type: 'worker_restarted' });
  }

  #noteSeen(promptId: string): void {
    const submitted = this.#submittedUnder.get(promptId);
    if (submitted) submitted.wasHeardOf = true;
  }

  #onSocketClosed(): void {
    this.#events.reset();
    this.#forgetProcess();
    this.#emit({ type: 'socket_closed' });
  }

  /** Forgets what was learnt about the process behind the address; the next one may be a newer version. */
  #forgetProcess(): void {
    this.#pushed.clear();
    this.#knownPromptId = null;
    this.#version = null;
    this.#hasJobs = null;
    this.#features = null;
    this.#refusedBytes = Number.POSITIVE_INFINITY;
    this.#objectInfoHash = null;
  }
}

function probeCauseOf({ workerCause }: WorkerCallError): ProbeCause {
  switch (workerCause) {
    case 'broken_off':
    case 'aborted':
      return 'unreachable';
    case 'bad_answer':
    case 'too_large':
    case 'refused_size':
      return 'not_comfyui';
    default:
      return workerCause;
  }
}
