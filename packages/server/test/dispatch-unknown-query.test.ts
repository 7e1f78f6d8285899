import type { OpenApiDocument } from '@switchyard/server/http/docs/openapi';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type DispatchPool, startPool } from './support/dispatch-pool.ts';

let pool: DispatchPool;
beforeAll(async () => {
  pool = await startPool({ workers: [] });
});
afterAll(() => pool.close());

it('every list of the pool refuses a field of its query that it does not know, and names the nearest', async () => {
  const document = (await (await pool.gateway.fetch('/openapi.json')).json()) as OpenApiDocument;
  const paged = Object.entries(document.paths).filter(
    ([path, { get }]) =>
      /^\/api\/(files|instances|task|webhooks|workflows|queue)/.test(path) &&
      get?.parameters?.some(({ name }) => name === 'limit'),
  );
  expect(paged.map(([path]) => path)).toEqual(
    expect.arrayContaining([
      '/api/files',
      '/api/tasks',
      '/api/workflows',
      '/api/webhooks/{webhookId}/deliveries',
    ]),
  );
  for (const [path] of paged) {
    const answer = await pool.admin.call('GET', `${path.replace(/\{\w+\}/g, 'x')}?limti=1`);
    expect(answer, path).toMatchObject({ code: 422, error: 'validation_failed' });
    expect(answer.message, path).toContain('limti');
    expect(answer.message, path).toContain('limit');
  }
});

it.each(['/api/instances', '/api/webhooks', '/api/workflows/x/versions', '/api/queue?limit=1&'])(
  'GET %s refuses a query that it would not obey',
  async (path) => {
    const answer = await pool.admin.call('GET', `${path}${path.includes('?') ? '' : '?'}status=on`);
    expect(answer).toMatchObject({ code: 422, error: 'validation_failed' });
    expect(answer.message).toContain('status');
  },
);
