import { FakeWorker } from '@switchyard/dev-env/fake-worker';
import { SpawnedGateway } from '@switchyard/dev-env/spawned-gateway';
import { temporaryFolder } from '@switchyard/dev-env/temporary-folder';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DispatchCaller } from '../../packages/server/test/support/dispatch-caller.ts';
import { anyWorkflow } from '../../packages/server/test/support/dispatch-pool.ts';

/**
 * A real kill -9 between the claim of a task and its prompt. The worker takes the task's input file and never answers, so
 * the gateway stands exactly there.
 */
describe('a gateway that is killed after it has claimed a task and before it has sent the prompt', () => {
  const home = temporaryFolder();
  let worker: FakeWorker;
  let gateway: SpawnedGateway;
  let user: DispatchCaller;

  beforeEach(async () => {
    worker = await FakeWorker.start();
    await start();
    user = await DispatchCaller.register(gateway.url, `${worker.port}@example.com`);
  });
  afterEach(async () => {
    await gateway.stop();
    await worker.close();
  });

  afterAll(() => home.remove());

  async function start(): Promise<void> {
    const env = { SWITCHYARD__DISPATCH__WORKERS: `127.0.0.1:${worker.port}` };
    gateway = await SpawnedGateway.start({ home: `${home.path}/${worker.port}`, cwd: home.path, env });
  }

  function turn(trouble: 'stuck_upload' | null): void {
    worker.behaviour = { ...worker.behaviour, trouble };
  }

  async function submit(more: object): Promise<string> {
    turn('stuck_upload');
    const { fileId } = await user.upload('in.png', Buffer.from('a picture'));
    const workflow = { ...anyWorkflow, '3': { class_type: 'LoadImage', inputs: { image: '' } } };
    const { id } = await user.submit({ workflow, params: { '3.image': { $file: fileId } }, ...more });
    return id;
  }

  async function killBetweenClaimAndPrompt({
    round = 1,
    meanwhile = () => undefined,
  }: {
    round?: number;
    meanwhile?: () => void;
  } = {}): Promise<void> {
    await expect.poll(() => worker.stats.uploads).toBe(round);
    await gateway.kill9();
    meanwhile();
    await start();
    user = user.at(gateway.url);
  }

  const outcomesOf = (task: { attempts: { outcome: string }[] }) =>
    task.attempts.map(({ outcome }) => outcome);
  const runSomething = async () => user.ended((await user.submit({ workflow: anyWorkflow })).id);

  it('uses up none of the attempts of a task, however often that happens', async () => {
    const id = await submit({ maxAttempts: 1 });
    for (const round of [1, 2, 3]) await killBetweenClaimAndPrompt({ round });
    await expect.poll(() => worker.stats.uploads).toBe(4);
    turn(null);
    await killBetweenClaimAndPrompt({ round: 4 });
    const task = await user.ended(id);
    expect(task).toMatchObject({ status: 'completed' });
    expect(outcomesOf(task)).toEqual([...Array.from({ length: 4 }, () => 'untraced'), 'completed']);
    expect(worker.stats).toMatchObject({ accepted: 1, duplicateIds: 0 });
  });

  it('sends a task that may start only once again when the worker has certainly run on', async () => {
    await runSomething();
    const id = await submit({ retry: 'never' });
    await expect.poll(() => worker.stats.uploads).toBe(1);
    turn(null);
    await killBetweenClaimAndPrompt();
    const task = await user.ended(id);
    expect(outcomesOf(task)).toEqual(['unsent', 'completed']);
    expect(task.attempts[0].error.message).toContain('which has run on since, does not know it');
  });

  it('counts the attempt where the worker was restarted meanwhile', async () => {
    await runSomething();
    const id = await submit({ maxAttempts: 1 });
    await killBetweenClaimAndPrompt({ meanwhile: () => worker.restart() });
    expect(await user.ended(id)).toMatchObject({
      status: 'failed',
      error: { code: 'lost', message: 'The worker was restarted and does not know the run any more.' },
      attempts: [{ outcome: 'lost' }],
    });
  });

  it('says of a task that may start only once what is known of it', async () => {
    const id = await submit({ retry: 'never' });
    await killBetweenClaimAndPrompt();
    expect(await user.ended(id)).toMatchObject({
      status: 'failed',
      error: {
        code: 'lost',
        message: expect.stringContaining('Whether the worker was restarted meanwhile is not known.'),
      },
    });
    expect(worker.stats.accepted).toBe(0);
  });
});
