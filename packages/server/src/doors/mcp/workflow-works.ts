import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/server';
import type { Task, TaskDetail } from '@switchyard/contract/dispatch/task';
import type { StoredFiles } from '../../dispatch/files/stored-files.ts';
import { type TaskUpdate, WatcherBehind } from '../../dispatch/intake/task-watch.ts';
import type { Tasks } from '../../dispatch/intake/tasks.ts';
import { graphOf, seedsIn } from '../../dispatch/recipes/recipe-graph.ts';
import type { SavedWorkflows } from '../../dispatch/workflows/saved-workflows.ts';
import { AppError } from '../../lib/app-error.ts';
import { type WorkerPrice, workerCost } from '../../lib/worker-price.ts';
import type { McpCaller, McpWork, McpWorks } from './mcp-work.ts';

/** Clients keep what they are given in the context of a model, so only small pictures are given as such. */
const maxInlineBytes = 1_000_000;
const maxInlineTogether = 4_000_000;
const maxFiles = 100;
const maxTextLength = 100_000;

/** Tasks of the pool that were made of saved workflows. */
export class WorkflowWorks implements McpWorks {
  readonly #options;

  constructor(options: {
    tasks: Pick<Tasks, 'get' | 'watch' | 'cancel'>;
    savedWorkflows: Pick<SavedWorkflows, 'run'>;
    files: Pick<StoredFiles, 'open'>;
    price: WorkerPrice | null;
  }) {
    this.#options = options;
  }

  /** Returns once the task is on disk. */
  async start(caller: McpCaller, workflowId: string, params: Record<string, unknown>): Promise<McpWork> {
    const { userId, byAdmin, origin, requestId, traceparent } = caller;
    const meta = { userId, byAdmin, origin, requestId, traceparent, idempotencyKey: null };
    const { task } = await this.#options.savedWorkflows.run(workflowId, { params }, meta);
    return this.#workOf(caller, task);
  }

  async look(caller: McpCaller, id: string): Promise<McpWork> {
    return this.#workOf(caller, await this.#options.tasks.get(readerOf(caller), id));
  }

  async cancel(caller: McpCaller, id: string): Promise<void> {
    try {
      await this.#options.tasks.cancel(readerOf(caller), id);
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'task_finished') throw error;
    }
  }

  async *follow({ userId }: McpCaller, id: string, signal: AbortSignal) {
    try {
      for await (const update of this.#options.tasks.watch({ user: userId }, id, signal)) {
        const news = newsOf(update);
        if (news) yield news;
      }
    } catch (error) {
      if (!(error instanceof WatcherBehind)) throw error;
    }
  }

  #workOf(caller: McpCaller, task: TaskDetail): McpWork {
    const { id, createdAt, updatedAt } = task;
    const facts = { id, createdAt, updatedAt };
    if (task.phase !== 'ended') return { ...facts, status: 'working', message: messageOf(task) };
    if (task.error?.code === 'cancelled')
      return { ...facts, status: 'cancelled', message: task.error.message };
    const message = task.error?.message ?? 'Completed.';
    return { ...facts, status: 'completed', message, result: () => this.#resultOf(caller, task) };
  }

  async #resultOf(caller: McpCaller, task: TaskDetail): Promise<CallToolResult> {
    const { id, error } = task;
    if (error) {
      const facts = { task_id: id, status: 'failed', error: { code: error.code, message: error.message } };
      return { isError: true, content: [text(error.message)], structuredContent: facts };
    }
    const outputs = task.result?.outputs ?? [];
    const texts = (task.result?.texts ?? []).map((made) => made.text.slice(0, maxTextLength));
    const seconds = secondsOf(task);
    const facts = {
      task_id: id,
      status: 'completed',
      files: outputs.map((file) => ({
        file_id: file.fileId,
        filename: file.filename,
        content_type: file.contentType,
        size_bytes: file.size,
        url: file.url,
      })),
      texts,
      seeds: seedsOf(task),
      seconds,
      ...workerCost(this.#options.price, seconds),
    };
    const files = await this.#contentOf(caller, outputs.slice(0, maxFiles));
    return { content: [...files, text(JSON.stringify(facts))], structuredContent: facts };
  }

  async #contentOf(caller: McpCaller, outputs: Outputs): Promise<ContentBlock[]> {
    const blocks: ContentBlock[] = [];
    let room = maxInlineTogether;
    for (const output of outputs) {
      const { contentType, size, filename, url } = output;
      const isInline = /^image\//.test(contentType) && size < maxInlineBytes && size <= room;
      const data = isInline ? await this.#read(caller, output.fileId) : null;
      if (data !== null) {
        room -= size;
        blocks.push({ type: 'image', data, mimeType: contentType });
      } else blocks.push({ type: 'resource_link', uri: url, name: filename, mimeType: contentType, size });
    }
    return blocks;
  }

  /** Returns null for a file that was deleted since. */
  async #read({ userId }: McpCaller, fileId: string): Promise<string | null> {
    try {
      const { read } = await this.#options.files.open({ user: userId }, fileId);
      const { stream } = await read();
      const parts: Buffer[] = [];
      for await (const part of stream) parts.push(part as Buffer);
      return Buffer.concat(parts).toString('base64');
    } catch (error) {
      if (error instanceof AppError && error.code === 'file_not_found') return null;
      throw error;
    }
  }
}

type Outputs = NonNullable<Task['result']>['outputs'];

function readerOf({ userId, origin }: McpCaller) {
  return { owner: { user: userId }, origin };
}

function text(words: string): ContentBlock {
  return { type: 'text', text: words };
}

function messageOf({ phase, position, waiting, progress, node }: TaskDetail): string {
  if (phase !== 'queued') return progressMessage(progress, node);
  const place = position === null ? 'Queued.' : `Place ${position} in the queue.`;
  return waiting ? `${place} ${waiting}` : place;
}

function progressMessage(percent: number, node: string | null): string {
  return node === null ? `${percent} %` : `${percent} %, ${node}`;
}

function newsOf(update: TaskUpdate): { percent: number; message: string } | null {
  if (update.type === 'progress') {
    const { progress, node = null } = update.progress;
    return { percent: progress, message: progressMessage(progress, node) };
  }
  const { phase, progress, node } = update.task;
  if (phase === 'ended') return null;
  return { percent: progress, message: phase === 'queued' ? 'Queued.' : progressMessage(progress, node) };
}

function secondsOf({ startedAt, finishedAt }: Task): number | null {
  if (startedAt === null || finishedAt === null) return null;
  return Math.max(0, Date.parse(finishedAt) - Date.parse(startedAt)) / 1000;
}

function seedsOf({ workflow, params }: TaskDetail): object[] {
  const input = { workflow: JSON.stringify(workflow), params: JSON.stringify(params) };
  return seedsIn(graphOf({ input, sources: [] })).map(({ nodeId, title, value }) => ({
    node: nodeId,
    title,
    seed: value,
  }));
}
