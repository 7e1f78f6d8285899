import { startReferenceWorker } from '@switchyard/dev-env/reference-worker';
import { expect, it, onTestFinished } from 'vitest';
import { anyWorkflow, startPool } from './support/dispatch-pool.ts';

it('a worker that deletes collected outputs keeps nothing of a task that has ended', async () => {
  const pool = await startPool({ workers: [] });
  const worker = await startReferenceWorker();
  onTestFinished(async () => {
    await pool.close();
    await worker.close();
  });
  await pool.admin.useWorkers([worker.port]);
  const { id } = await pool.user.submit({ workflow: anyWorkflow });
  const { result } = await pool.user.ended(id);
  const answer = await fetch(`${worker.url}/history/${id}`);
  const history = (await answer.json()) as Record<string, { outputs: Record<string, { images: object[] }> }>;
  const query = new URLSearchParams({ ...history[id]?.outputs['2']?.images[0] });
  expect(query.get('filename')).toMatch(/_00001_\.png$/);
  await expect.poll(async () => (await fetch(`${worker.url}/view?${query}`)).status).toBe(404);
  expect((await fetch(result.files[0])).status).toBe(200);
});
