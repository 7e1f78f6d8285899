import type {
  CallOrigin,
  PoolFiles,
  SavedWorkflowRunner,
  WorkerSummary,
  WorkflowApprovals,
  WorkflowOrder,
  WorkflowRunner,
  WorkflowUpdate,
} from '../agents/tools/workflow-runner.ts';
import type { StoredFiles } from '../dispatch/files/stored-files.ts';
import type { Instances } from '../dispatch/fleet/instances.ts';
import { type TaskUpdate, WatcherBehind } from '../dispatch/intake/task-watch.ts';
import type { SubmitMeta, Tasks } from '../dispatch/intake/tasks.ts';
import type { Links } from '../dispatch/links.ts';
import type { TaskRow } from '../dispatch/tables.ts';
import type { TaskCosts } from '../dispatch/tasks/task-costs.ts';
import { taskErrorOf } from '../dispatch/tasks/task-messages.ts';
import { viewResult } from '../dispatch/tasks/task-view.ts';
import type { SavedWorkflows } from '../dispatch/workflows/saved-workflows.ts';
import { AppError } from '../lib/app-error.ts';

/** The pool of workers as the tools of agents see it; the only place where the two areas meet. */
export class PoolWorkflows implements WorkflowRunner {
  readonly saved: SavedWorkflowRunner;
  readonly files: PoolFiles;
  readonly approvals: WorkflowApprovals | null;
  readonly #options;

  constructor(options: {
    tasks: Pick<Tasks, 'submitRequest' | 'watch' | 'cancel'>;
    savedWorkflows: Pick<SavedWorkflows, 'mark' | 'exposed' | 'runWith'>;
    files: Pick<StoredFiles, 'addOnce' | 'open'>;
    costs: Pick<TaskCosts, 'ofRun'>;
    approvals: WorkflowApprovals | null;
    instances: Pick<Instances, 'list'>;
    links: Pick<Links, 'to'>;
    /** Returns the span around what a tool call asks for. Null when nothing is traced. */
    traceOfCall: ((call: { runId: string; toolCallId: string }) => Promise<string>) | null;
  }) {
    this.#options = options;
    const { savedWorkflows, files, approvals } = options;
    this.approvals = approvals;
    this.saved = {
      mark: (userId) => savedWorkflows.mark(userId),
      exposed: (userId) => savedWorkflows.exposed(userId),
      submit: async ({ workflowId, params, paramsToSubmit, ...origin }) => {
        const values = { params, submitted: paramsToSubmit };
        const { task } = await savedWorkflows.runWith(workflowId, values, await this.#metaOf(origin));
        return { taskId: task.id };
      },
    };
    this.files = {
      keep: (userId, filename, content) => files.addOnce(userId, filename, content),
      open: async (userId, fileId) => {
        const { read } = await files.open({ user: userId }, fileId);
        return (await read()).stream;
      },
    };
  }

  async submit(order: WorkflowOrder): Promise<{ taskId: string }> {
    const { workflow, params, paramsToSubmit, name, ...origin } = order;
    const input = { workflow, params, ...(name !== null && { name }) };
    const { task } = await this.#options.tasks.submitRequest(
      input,
      async () => ({ input: { ...input, params: await paramsToSubmit() } }),
      await this.#metaOf(origin),
    );
    return { taskId: task.id };
  }

  async *watch(userId: string, taskId: string, signal: AbortSignal): AsyncGenerator<WorkflowUpdate> {
    let instance: string | null = null;
    try {
      for await (const update of this.#options.tasks.watch({ user: userId }, taskId, signal)) {
        if ('task' in update) instance = update.task.instanceId;
        yield this.#updateOf(update, instance);
      }
    } catch (error) {
      if (!(error instanceof WatcherBehind)) throw error;
    }
  }

  async cancel(userId: string, taskId: string): Promise<void> {
    try {
      await this.#options.tasks.cancel({ owner: { user: userId } }, taskId);
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'task_finished') throw error;
    }
  }

  async cancelOfRun(userId: string, runId: string): Promise<void> {
    const tasks = await this.#options.costs.ofRun(userId, runId);
    for (const { taskId, hasEnded } of tasks) {
      if (!hasEnded) await this.cancel(userId, taskId);
    }
  }

  async instances(): Promise<WorkerSummary[]> {
    const instances = await this.#options.instances.list();
    return instances.map((instance) => ({
      id: instance.id,
      name: instance.serverName,
      state: instance.state,
      kind: instance.kind,
      currentTaskId: instance.currentTaskId,
      lastError: instance.lastError,
    }));
  }

  #updateOf(update: TaskUpdate, instance: string | null): WorkflowUpdate {
    if (update.type === 'progress') {
      const { progress, node = null } = update.progress;
      return { type: 'progress', progress, node, instance };
    }
    const { task } = update;
    if (task.phase === 'ended') return this.#endOf(task);
    return { type: 'progress', progress: task.progress, node: task.node, instance };
  }

  #endOf(task: TaskRow): WorkflowUpdate {
    const error = taskErrorOf(task);
    if (error) return { type: 'failed', code: error.code, message: error.message };
    // The link is signed, because the reader of a chat opens it in a browser that is not signed in. After a day it
    // works only for the owner, who signs in as for any other address of the file.
    const result = viewResult(task, (file) => this.#options.links.to(file));
    const files = (result?.outputs ?? []).map(({ fileId, filename, url, contentType, size }) => ({
      fileId,
      filename,
      url,
      contentType,
      sizeBytes: size,
    }));
    return { type: 'completed', files, texts: (result?.texts ?? []).map(({ text }) => text) };
  }

  async #metaOf({ userId, idempotencyKey, ...origin }: CallOrigin): Promise<SubmitMeta> {
    const { threadId, runId, toolCallId, agent } = origin;
    const { traceOfCall } = this.#options;
    return {
      userId,
      byAdmin: false,
      requestId: null,
      idempotencyKey,
      conversation: { threadId, runId, toolCallId, agent },
      ...(traceOfCall && { traceparent: await traceOfCall({ runId, toolCallId }) }),
    };
  }
}
