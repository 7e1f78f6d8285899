import { type DevGateway, startGateway } from '@switchyard/dev-env/gateway';
import { startReferenceWorker } from '@switchyard/dev-env/reference-worker';
import { temporaryFolder } from '@switchyard/dev-env/temporary-folder';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { DispatchCaller } from './support/dispatch-caller.ts';
import { anyWorkflow, startPool } from './support/dispatch-pool.ts';
import { PushListener } from './support/push-listener.ts';

const withPrefix = (prefix: string, color: number) => ({
  '1': { class_type: 'EmptyImage', inputs: { width: 16, height: 16, batch_size: 1, color } },
  '2': { class_type: 'SaveImage', inputs: { images: ['1', 0], filename_prefix: prefix } },
});

let home: ReturnType<typeof temporaryFolder>;
let worker: Awaited<ReturnType<typeof startReferenceWorker>>;
let gateway: DevGateway;

beforeEach(async () => {
  home = temporaryFolder();
  worker = await startReferenceWorker();
  gateway = await startGateway(kept());
});

afterEach(async () => {
  await gateway.stop();
  await worker.close();
  home.remove();
});

/** The database is on disk, so that another gateway finds what this one leaves. */
const kept = () => ({ home: home.path, config: { database: { backend: 'sqlite' as const } } });

async function twoUsers(): Promise<DispatchCaller[]> {
  const admin = await DispatchCaller.initialize(gateway.url);
  await admin.useWorkers([worker.port]);
  const emails = ['ann@example.com', 'bob@example.com'];
  return Promise.all(emails.map((email) => DispatchCaller.register(gateway.url, email)));
}

it('two users who ask for the same name at once both get it, and see nothing of the name on the worker', async () => {
  const [ann, bob] = await twoUsers();
  if (!ann || !bob) throw new Error('two users were made');
  const listener = await PushListener.open(gateway.url, ann.token);
  await listener.next('global_status');
  const tasks = await Promise.all(
    [ann, bob].map((user, color) => user.submit({ workflow: withPrefix('private/x_%width%', color) })),
  );
  const ended = await Promise.all([ann.ended(tasks[0].id), bob.ended(tasks[1].id)]);
  for (const { status, result } of ended) {
    expect({ status, names: result.outputs.map(({ filename }: { filename: string }) => filename) }).toEqual({
      status: 'completed',
      names: ['x_16_00001_.png'],
    });
  }
  const pushed = await listener.next('task_completed');
  const files = await ann.call('GET', '/api/files');
  const picture = await (await fetch(ended[0].result.files[0])).arrayBuffer();
  const shown = JSON.stringify([ended, pushed, files, await ann.call('GET', '/api/tasks')]);
  expect(shown).not.toMatch(/sy-[0-9a-f]{32}/);
  const text = Buffer.from(picture).toString('latin1');
  expect(text).toContain('"filename_prefix":"private/x_%width%"');
  listener.close();
});

it('the names in a prompt to a worker begin with a prefix that cannot be guessed', async () => {
  const pool = await startPool();
  const [fake] = pool.workers;
  const sent: unknown[] = [];
  if (fake) {
    fake.refuses = (graph) => {
      sent.push(graph['2']?.inputs.filename_prefix);
      return null;
    };
  }
  for (const _ of [1, 2]) await pool.user.ended((await pool.user.submit({ workflow: anyWorkflow })).id);
  expect(sent).toEqual([1, 2].map(() => expect.stringMatching(/^sy-[0-9a-f]{32}-x$/)));
  expect(sent[0]).not.toBe(sent[1]);
  await pool.close();
});

it('a fault in which the worker names a file is shown with the name that the user knows', async () => {
  const pool = await startPool();
  const [fake] = pool.workers;
  if (fake) {
    fake.fails = (graph) => ({
      node_id: '2',
      node_type: 'SaveImage',
      exception_message: `No space left: out/${graph['2']?.inputs.filename_prefix}_00001_.png`,
    });
  }
  const { id } = await pool.user.submit({ workflow: anyWorkflow });
  const { error, attempts } = await pool.user.ended(id);
  expect(error.message).toBe('SaveImage: No space left: out/x_00001_.png');
  expect(attempts[0].error).toEqual(error);
  await pool.close();
});

it('the outputs of an execution that another process of the gateway resumes have the names that the user asked for', async () => {
  const [ann] = await twoUsers();
  worker.faults.set({ holdNodes: true });
  const { id } = await (ann as DispatchCaller).submit({ workflow: withPrefix('kept', 7) });
  await (ann as DispatchCaller).until(
    () => (ann as DispatchCaller).task(id),
    ({ phase }) => phase === 'executing',
  );
  await gateway.stop();
  worker.faults.set({ holdNodes: false });
  gateway = await startGateway(kept());
  const again = await DispatchCaller.login(gateway.url, 'ann@example.com');
  const { attempt, result } = await again.ended(id);
  expect({ attempt, name: result.outputs[0].filename }).toEqual({ attempt: 1, name: 'kept_00001_.png' });
});
