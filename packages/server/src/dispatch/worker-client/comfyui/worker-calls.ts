import { type ExecutionResult, isProxyFault, WorkerCallError } from '../worker-client.ts';
import { failureOfStatus } from './call-failure.ts';
import { readHistoryEntry } from './execution-result.ts';
import { cancelled, features, history, type Infer, names, queue, readJson, type WireCheck } from './wire.ts';
import type { CallAnswer, WorkerHttp } from './worker-http.ts';

const megabyte = 1_048_576;
/** The queue and the history carry whole graphs. */
export const maxAnswerBytes = 32 * megabyte;

/** More than the largest collections have. */
const maxEmbeddings = 20_000;

interface AskOptions {
  deadlineMs?: number;
  signal?: AbortSignal | undefined;
}

export interface WorkerFeatures {
  /** ComfyUI keeps its outputs; the reference worker reports that it deletes what was collected. */
  deletesCollected: boolean;
  /** The limit of every request body, uploads and prompts alike; infinite when the server names none. */
  maxRequestBytes: number;
}

const noFeatures: WorkerFeatures = { deletesCollected: false, maxRequestBytes: Number.POSITIVE_INFINITY };

/** The questions and orders of the protocol, one function each. */
export class WorkerCalls {
  readonly #http: WorkerHttp;
  readonly #deadlineMs: number;

  constructor(http: WorkerHttp, { deadlineMs }: { deadlineMs: number }) {
    this.#http = http;
    this.#deadlineMs = deadlineMs;
  }

  queue(): Promise<Infer<typeof queue>> {
    return this.ask('/queue', queue);
  }

  /** Returns null while the worker has no entry of that prompt. */
  async historyOf(promptId: string): Promise<ExecutionResult | null> {
    const entries = await this.ask(`/history/${encodeURIComponent(promptId)}`, history);
    const entry = Object.hasOwn(entries, promptId) ? entries[promptId] : undefined;
    return entry === undefined ? null : readHistoryEntry(entry, this.#http.label);
  }

  /** Takes a waiting prompt out of the queue; a running one is left alone. */
  deleteWaiting(promptId: string): Promise<void> {
    return this.#tell('/queue', { delete: [promptId] });
  }

  /** Stops a prompt if it is the one that runs. Only for workers that read the id: others stop any running prompt. */
  interrupt(promptId: string): Promise<void> {
    return this.#tell('/interrupt', { prompt_id: promptId });
  }

  freeMemory(): Promise<void> {
    return this.#tell('/free', { unload_models: true, free_memory: true });
  }

  /** Newer servers cancel one job in any state; returns false when this server does not know how. */
  async cancelJob(promptId: string): Promise<boolean> {
    const answer = await this.#send(`/api/jobs/${encodeURIComponent(promptId)}/cancel`, {});
    if (answer.status !== 200) return false;
    try {
      readJson(answer.body, cancelled, this.#http.label);
      return true;
    } catch (error) {
      if (error instanceof WorkerCallError) return false;
      throw error;
    }
  }

  /** Returns what the server reports about itself. One without this route, or with another answer there, reports nothing. */
  async features(): Promise<WorkerFeatures> {
    const answer = await this.#http.call({
      method: 'GET',
      path: '/features',
      deadlineMs: this.#deadlineMs,
      maxBytes: megabyte,
    });
    if (isProxyFault(answer.status)) this.#bodyOf(answer);
    if (answer.status !== 200) return noFeatures;
    try {
      const told = readJson(answer.body, features, this.#http.label);
      const limit = Number(told.max_upload_size ?? Number.NaN);
      return {
        deletesCollected: told.deletes_collected === true,
        maxRequestBytes: limit > 0 ? limit : Number.POSITIVE_INFINITY,
      };
    } catch (error) {
      if (error instanceof WorkerCallError) return noFeatures;
      throw error;
    }
  }

  /** Returns null when the server does not say which embeddings it has. */
  async embeddings(options: AskOptions): Promise<string[] | null> {
    try {
      return (await this.ask('/embeddings', names, options)).slice(0, maxEmbeddings);
    } catch (error) {
      if (error instanceof WorkerCallError) return null;
      throw error;
    }
  }

  async deleteCollected(promptId: string): Promise<void> {
    const answer = await this.#http.call({
      method: 'DELETE',
      path: `/outputs/${encodeURIComponent(promptId)}`,
      deadlineMs: this.#deadlineMs,
      maxBytes: megabyte,
    });
    this.#bodyOf(answer);
  }

  async ask<Value>(path: string, check: WireCheck<Value>, options: AskOptions = {}): Promise<Value> {
    return readJson(await this.read(path, options), check, this.#http.label);
  }

  /** Returns the body of the answer. */
  async read(path: string, options: AskOptions = {}): Promise<Buffer> {
    const answer = await this.#http.call({
      method: 'GET',
      path,
      deadlineMs: this.#deadlineMs,
      maxBytes: maxAnswerBytes,
      ...options,
    });
    return this.#bodyOf(answer);
  }

  async #tell(path: string, body: unknown): Promise<void> {
    this.#bodyOf(await this.#send(path, body));
  }

  #send(path: string, body: unknown): Promise<CallAnswer> {
    return this.#http.call({
      method: 'POST',
      path,
      body: JSON.stringify(body),
      deadlineMs: this.#deadlineMs,
      maxBytes: megabyte,
    });
  }

  #bodyOf(answer: CallAnswer): Buffer {
    const failure = failureOfStatus(answer.status, this.#http.label);
    if (failure) throw failure;
    return answer.body;
  }
}
