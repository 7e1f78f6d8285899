import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { anyWorkflow, type DispatchPool, startPool } from './support/dispatch-pool.ts';

describe('Idempotency-Key', () => {
  let pool: DispatchPool;

  beforeAll(async () => {
    pool = await startPool({ workers: [], config: { dispatch: { max_queued_per_user: 3 } } });
  });

  afterAll(() => pool.close());

  const submit = (key: string, body: object) =>
    pool.user.request('POST', '/api/tasks', { body, headers: { 'idempotency-key': key } });

  it('replays the first answer for the same body, in any order of its fields', async () => {
    const first = await submit('same', { workflow: anyWorkflow, params: { a: 1, b: 2 }, name: 'x' });
    expect(first).toMatchObject({ status: 200, body: { data: { status: 'pending' } } });
    expect(first.headers.get('idempotency-replayed')).toBeNull();
    const again = await submit('same', { name: 'x', params: { b: 2, a: 1 }, workflow: anyWorkflow });
    expect(again.body).toEqual(first.body);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect((await pool.user.call('GET', '/api/tasks')).data.total).toBe(1);
  });

  it('makes one task from many simultaneous submissions', async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => submit('at once', { workflow: anyWorkflow })),
    );
    expect(new Set(answers.map(({ body }) => body.data.id)).size).toBe(1);
    const first = answers.filter(({ headers }) => headers.get('idempotency-replayed') === null);
    expect(first).toHaveLength(1);
  });

  it('refuses another body with a used key', async () => {
    const { status, body } = await submit('same', { workflow: anyWorkflow });
    expect({ status, error: body.error }).toEqual({ status: 422, error: 'idempotency_mismatch' });
  });

  it('also replays when a new task would be refused', async () => {
    const file = await pool.user.upload('a.txt', Buffer.from('a'));
    const body = { workflow: anyWorkflow, params: { '2.filename_prefix': { $file: file.fileId } } };
    const first = await submit('with file', body);
    expect(first.status).toBe(200);
    expect((await submit('full', { workflow: anyWorkflow })).status).toBe(429);
    await pool.user.call('DELETE', `/api/tasks/${first.body.data.id}`);
    await pool.user.call('DELETE', `/api/files/${file.fileId}`);
    const again = await submit('with file', body);
    expect(again.status).toBe(200);
    expect(again.body.data).toEqual({ ...first.body.data, position: null });
    expect((await pool.user.task(first.body.data.id)).status).toBe('failed');
  });

  it('keeps the keys of different users apart', async () => {
    const other = await pool.admin.request('POST', '/api/tasks', {
      body: { workflow: anyWorkflow, name: 'another' },
      headers: { 'idempotency-key': 'same' },
    });
    expect(other.status).toBe(200);
  });

  it('is refused when it is longer than 255 characters', async () => {
    expect((await submit('k'.repeat(256), { workflow: anyWorkflow })).status).toBe(422);
  });
});
