import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ToolMessage } from '@langchain/core/messages';
import type { Command } from '@langchain/langgraph';
import { describe, expect, it } from 'vitest';
import { PoolFilesInMemory } from '../../../testing/pool-files-fixture.ts';
import { savedWorkflows } from '../../../testing/saved-workflows-fixture.ts';
import { threadWorkspace } from '../../../testing/thread-workspace.ts';
import { AppError } from '../../lib/app-error.ts';
import { runHandleKey } from '../run-contract/run-handle.ts';
import { runWorkflowTool } from './run-workflow.ts';
import type { WorkflowOrder, WorkflowRunner, WorkflowUpdate } from './workflow-runner.ts';
import type { Workspace } from './workspace.ts';

const file = {
  fileId: 'f1',
  filename: 'a.png',
  url: 'http://gate/a.png',
  contentType: 'image/png',
  sizeBytes: 12,
};
const halfWay: WorkflowUpdate = { type: 'progress', progress: 50, node: 'Grow', instance: 'one' };
const done: WorkflowUpdate = { type: 'completed', files: [file], texts: ['seen'] };

describe('the tool run_workflow', () => {
  it('submits for the owner of the thread, under a key made of run and call', async () => {
    const pool = new Pool([done]);
    await pool.run({ args: { workflow: { '1': {} }, params: { '1.x': 2 }, name: 'mine' } });

    expect(pool.orders).toEqual([
      {
        userId: 'user-1',
        workflow: { '1': {} },
        params: { '1.x': 2 },
        paramsToSubmit: expect.any(Function),
        name: 'mine',
        idempotencyKey: 'run-1:call-1',
        threadId: 'thread-1',
        runId: 'run-1',
        toolCallId: 'call-1',
      },
    ]);
  });

  it('submits only once the checkpoint with its call is on disk', async () => {
    const pool = new Pool([done]);
    let arrive = () => {};
    const stored = new Promise<void>((resolve) => {
      arrive = resolve;
    });
    const running = pool.run({ beforeActing: () => stored });
    await new Promise(setImmediate);
    expect(pool.orders).toHaveLength(0);

    arrive();
    await running;
    expect(pool.orders).toHaveLength(1);
  });

  it('submits nothing when the run was cancelled before that', async () => {
    const pool = new Pool([done]);
    const abort = new AbortController();
    const running = pool.run({
      signal: abort.signal,
      beforeActing: async () => abort.abort(stop('cancelled')),
    });

    await expect(running).rejects.toThrow();
    expect(pool.orders).toHaveLength(0);
  });

  it('reports progress and files, and returns the files', async () => {
    const pool = new Pool([{ ...halfWay, progress: 0 }, halfWay, halfWay, done]);
    const { message, events } = await pool.run();

    expect(events).toEqual([
      progressed(0),
      progressed(50),
      {
        type: 'worker_task_completed',
        task_id: 'task-1',
        tool_call_id: 'call-1',
        files: [
          {
            file_id: 'f1',
            filename: 'a.png',
            url: 'http://gate/a.png',
            content_type: 'image/png',
            size: 12,
            virtual_path: null,
          },
        ],
      },
    ]);
    expect(JSON.parse(message.text)).toMatchObject({
      task_id: 'task-1',
      status: 'completed',
      files: [{ filename: 'a.png', url: 'http://gate/a.png' }],
      texts: ['seen'],
    });
  });

  it('gives a file of the thread to the pool and adds the results to the artifacts', async () => {
    const home = await mkdtemp(join(tmpdir(), 'switchyard-bridge-'));
    const workspace = threadWorkspace(home);
    const whose = { userId: 'user-1', threadId: 'thread-1' };
    await workspace.write(whose, '/mnt/user-data/uploads/cat.png', Buffer.from('a cat'));
    const pool = new Pool([done]);
    const load = { class_type: 'LoadImage', inputs: { image: '/mnt/user-data/uploads/cat.png' } };
    const { message: answer, events } = await pool.run({ args: { workflow: { '1': load } }, workspace });

    expect(pool.orders).toMatchObject([{ params: {} }]);
    expect(await pool.orders[0]?.paramsToSubmit()).toEqual({ '1.image': { $file: 'f1' } });
    const path = '/mnt/user-data/outputs/a-task1.png';
    const { update } = answer as unknown as Command<unknown, { messages: ToolMessage[] }>;
    expect(update).toMatchObject({ artifacts: [path], messages: [{ status: 'success' }] });
    const { messages } = update as { messages: ToolMessage[] };
    expect(JSON.parse(messages[0]?.text ?? '').files).toMatchObject([{ file_id: 'f1', virtual_path: path }]);
    expect(events.at(-1)).toMatchObject({ type: 'worker_task_completed', files: [{ virtual_path: path }] });
    expect((await workspace.read(whose, path, 99)).bytes.toString()).toBe('a cat');
    await rm(home, { recursive: true });
  });

  it('reports why a task failed, and fails', async () => {
    const pool = new Pool([halfWay, { type: 'failed', code: 'out_of_memory', message: 'Too large.' }]);
    const events: unknown[] = [];

    await expect(pool.run({ events })).rejects.toMatchObject({ name: 'ToolFailure', code: 'out_of_memory' });
    expect(events.at(-1)).toEqual({
      type: 'worker_task_failed',
      task_id: 'task-1',
      tool_call_id: 'call-1',
      error: { code: 'out_of_memory', message: 'Too large.' },
    });
    expect(pool.cancelled).toEqual([]);
  });

  it('passes on why a workflow was refused', async () => {
    const pool = new Pool([]);
    pool.refusal = new AppError('no_capable_instance');

    await expect(pool.run()).rejects.toBe(pool.refusal);
  });

  it('watches again when it was disconnected for being slow', async () => {
    const pool = new Pool([halfWay], [halfWay, done]);
    const { message } = await pool.run();

    expect(message.status).not.toBe('error');
    expect(pool.watches).toBe(2);
  });

  it.each(['cancelled', 'timeout'])('cancels its task when the run is %s', async (kind) => {
    const pool = new Pool([halfWay, 'wait']);
    const abort = new AbortController();
    const running = pool.run({ signal: abort.signal, onEvent: () => abort.abort(stop(kind)) });

    await expect(running).rejects.toThrow();
    await expect.poll(() => pool.cancelled).toEqual(['task-1']);
  });

  it.each(['lost', 'released', 'something else'])(
    'leaves its task alone when another process goes on with the run (%s)',
    async (kind) => {
      const pool = new Pool([halfWay, 'wait']);
      const abort = new AbortController();
      const running = pool.run({ signal: abort.signal, onEvent: () => abort.abort(stop(kind)) });

      await expect(running).rejects.toThrow();
      await expect.poll(() => pool.isWatched).toBe(false);
      expect(pool.cancelled).toEqual([]);
    },
  );

  it('works only in a run of the gateway', async () => {
    const tool = runWorkflowTool({ workflows: new Pool([done]), workspace: null });

    await expect(tool.invoke(call({ workflow: {} }))).rejects.toThrow('knows for whom it acts');
  });
});

/** Each watch plays one script; `wait` stays until the signal aborts. */
class Pool implements WorkflowRunner {
  readonly saved = savedWorkflows([]);
  readonly files = new PoolFilesInMemory();
  readonly approvals = null;
  readonly orders: WorkflowOrder[] = [];
  readonly cancelled: string[] = [];
  watches = 0;
  isWatched = false;
  refusal: Error | null = null;
  readonly #scripts: (WorkflowUpdate | 'wait')[][];

  constructor(...scripts: (WorkflowUpdate | 'wait')[][]) {
    this.#scripts = scripts;
  }

  async submit(order: WorkflowOrder): Promise<{ taskId: string }> {
    if (this.refusal) throw this.refusal;
    await order.paramsToSubmit();
    this.orders.push(order);
    return { taskId: 'task-1' };
  }

  async *watch(_userId: string, _taskId: string, signal: AbortSignal): AsyncGenerator<WorkflowUpdate> {
    this.isWatched = true;
    try {
      for (const step of this.#scripts[this.watches++] ?? []) {
        if (step !== 'wait') yield step;
        else if (!signal.aborted) await once(signal, 'abort');
      }
    } finally {
      this.isWatched = false;
    }
  }

  async cancel(_userId: string, taskId: string): Promise<void> {
    this.cancelled.push(taskId);
  }

  async cancelOfRun(): Promise<void> {}

  async instances(): Promise<never[]> {
    return [];
  }

  async run({
    args = { workflow: {} },
    beforeActing = async () => {},
    events = [],
    onEvent = () => {},
    signal,
    workspace = null,
  }: {
    args?: Record<string, unknown>;
    beforeActing?: () => Promise<void>;
    events?: unknown[];
    onEvent?: () => void;
    signal?: AbortSignal;
    workspace?: Workspace | null;
  } = {}): Promise<{ message: ToolMessage; events: unknown[] }> {
    const handle = { runId: 'run-1', threadId: 'thread-1', userId: 'user-1', beforeActing };
    const writer = (event: unknown) => {
      events.push(event);
      onEvent();
    };
    const config = { configurable: { [runHandleKey]: handle }, writer, ...(signal && { signal }) };
    const message: unknown = await runWorkflowTool({ workflows: this, workspace }).invoke(call(args), config);
    return { message: message as ToolMessage, events };
  }
}

function call(args: Record<string, unknown>) {
  return {
    name: 'run_workflow',
    args: args as { workflow: object },
    id: 'call-1',
    type: 'tool_call' as const,
  };
}

function stop(kind: string): Error {
  return Object.assign(new Error(kind), { how: { kind } });
}

function progressed(progress: number): object {
  return {
    type: 'worker_task_progress',
    task_id: 'task-1',
    tool_call_id: 'call-1',
    progress,
    node: 'Grow',
    instance: 'one',
  };
}
