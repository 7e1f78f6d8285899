import { afterEach, expect, it } from 'vitest';
import { DispatchCaller } from './support/dispatch-caller.ts';
import { anyWorkflow, type DispatchPool, startPool } from './support/dispatch-pool.ts';

/** So long that a test would never see its end: a task that waits for it keeps waiting. */
const executionTimeouts = { avoidMs: 3_600_000 };
const faulty = (width: number) => ({
  ...anyWorkflow,
  '1': { ...anyWorkflow['1'], inputs: { ...anyWorkflow['1'].inputs, width } },
});
type Graph = Parameters<DispatchPool['workers'][number]['refuses']>[0];
const isFaulty = (graph: Graph) => Number(graph['1']?.inputs.width) > 16;
const refusal = (type: string, details: string) => ({
  error: {
    type: 'prompt_outputs_failed_validation',
    message: 'Prompt outputs failed validation',
    details: '',
  },
  node_errors: {
    '1': {
      class_type: 'EmptyImage',
      errors: [{ type, message: details, details }],
      dependent_outputs: ['2'],
    },
  },
});
const outOfMemory = {
  node_id: '1',
  node_type: 'EmptyImage',
  exception_type: 'torch.cuda.OutOfMemoryError',
  exception_message: 'Allocation on device',
};

let pool: DispatchPool;
let other: DispatchCaller;

afterEach(() => pool.close());

async function usePool(workers: number): Promise<void> {
  pool = await startPool({ workers: Array.from({ length: workers }, () => ({})), executionTimeouts });
  other = await DispatchCaller.register(pool.gateway.url, 'other@example.com');
}

/** Returns how many attempts each task has had, once each has had one and waits or has ended. */
async function attemptsOf(ids: string[], user = pool.user): Promise<number[]> {
  return Promise.all(
    ids.map(async (id) => {
      const { attempts } = await user.until(
        () => user.task(id),
        ({ attempts: made, phase, status }) => made.length > 0 && (phase === 'queued' || status === 'failed'),
      );
      return attempts.length;
    }),
  );
}

it.each([
  ['a file that is not there', 'custom_validation_failed', 'image - Invalid image file: x.png'],
  ['a value that is not in the list', 'value_not_in_list', "sampler: 'x' not in ['y']"],
])('tasks with %s do not keep other tasks from the nodes that they use', async (_what, type, details) => {
  await usePool(1);
  for (const worker of pool.workers) {
    worker.refuses = (graph) => (isFaulty(graph) ? refusal(type, details) : null);
  }
  const tasks = await Promise.all(
    [1, 2, 3, 4, 5].map((more) => pool.user.submit({ workflow: faulty(16 + more) })),
  );
  expect(await attemptsOf(tasks.map(({ id }) => id))).toEqual([1, 1, 1, 1, 1]);
  for (const user of [other, pool.user]) {
    const { id } = await user.submit({ workflow: anyWorkflow });
    expect((await user.ended(id)).status).toBe('completed');
  }
});

it('a task whose values one worker has refused is given to another', async () => {
  await usePool(2);
  const [choosy] = pool.workers;
  if (choosy) choosy.refuses = () => refusal('value_not_in_list', "sampler: 'x' not in ['y']");
  const tasks = await Promise.all([1, 2, 3, 4].map(() => pool.user.submit({ workflow: anyWorkflow })));
  for (const { id } of tasks) expect((await pool.user.ended(id)).status).toBe('completed');
});

it('tasks that are too large for the memory slow only their own user, until a success', async () => {
  await usePool(1);
  const [worker] = pool.workers;
  if (worker) worker.fails = (graph) => (isFaulty(graph) ? outOfMemory : null);
  const first = await pool.user.submit({ workflow: faulty(4096), retry: 'on_error' });
  expect(await attemptsOf([first.id])).toEqual([1]);
  const second = await pool.user.submit({ workflow: faulty(4096) });
  const { id } = await other.submit({ workflow: faulty(4096) });
  // The other user has not failed here yet, so their task is tried while the first user's tasks wait.
  expect((await other.ended(id)).error.code).toBe('out_of_memory');
  expect((await pool.user.task(second.id)).attempts).toEqual([]);
  const third = await DispatchCaller.register(pool.gateway.url, 'third@example.com');
  expect((await third.ended((await third.submit({ workflow: anyWorkflow })).id)).status).toBe('completed');
  expect((await pool.user.ended(second.id)).error.code).toBe('out_of_memory');
});

it('a worker that lost a node class gets no task that needs it again at once, from any user', async () => {
  await usePool(1);
  const [worker] = pool.workers;
  let asked = 0;
  if (worker) {
    worker.refuses = () => {
      asked += 1;
      return {
        error: { type: 'missing_node_type', message: "Node 'X' not found.", details: "Node ID '#1'" },
        node_errors: {},
      };
    };
  }
  const first = await pool.user.submit({ workflow: anyWorkflow });
  expect(await attemptsOf([first.id])).toEqual([1]);
  const second = await other.submit({ workflow: anyWorkflow });
  // The worker gets a task with another requirement, so it has looked for a task since.
  const preview = { ...anyWorkflow['2'], class_type: 'PreviewImage' };
  const third = await other.submit({ workflow: { ...anyWorkflow, '2': preview } });
  expect(await attemptsOf([third.id], other)).toEqual([1]);
  expect({ attempts: (await other.task(second.id)).attempts, asked }).toEqual({ attempts: [], asked: 2 });
});
