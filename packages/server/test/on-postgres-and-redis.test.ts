import { startGateway } from '@switchyard/dev-env/gateway';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { testReplicas } from './support/replicas.ts';

const { title, isSkipped } = testReplicas('on Postgres and Redis, as on SQLite,');

/** Behaviour that depends on locks, order, streams or counts, so that another engine could change it. */
const files: Record<string, () => Promise<unknown>> = {
  'conversation-streams': () => import('./conversation-streams.test.ts'),
  'conversation-multitask': () => import('./conversation-multitask.test.ts'),
  'conversation-cancel': () => import('./conversation-cancel.test.ts'),
  'conversation-runs': () => import('./conversation-runs.test.ts'),
  'conversation-wrong-clock': () => import('./conversation-wrong-clock.test.ts'),
  'comfy-api-door': () => import('./comfy-api-door.test.ts'),
  'comfyui-door': () => import('./comfyui-door.test.ts'),
  'dispatch-cancel': () => import('./dispatch-cancel.test.ts'),
  'dispatch-idempotency': () => import('./dispatch-idempotency.test.ts'),
  'dispatch-fair-share': () => import('./dispatch-fair-share.test.ts'),
  'dispatch-retry': () => import('./dispatch-retry.test.ts'),
  shares: () => import('./shares.test.ts'),
};

describe.skipIf(isSkipped)(title, () => {
  // Another test file of this process may have loaded them, and a module registers its tests once.
  vi.resetModules();
  beforeAll(() => {
    vi.stubEnv('SWITCHYARD_TEST_STORAGE', 'replica');
  });
  afterAll(() => {
    vi.unstubAllEnvs();
    vi.resetModules();
  });
  it('a gateway of these tests has both', async () => {
    const gateway = await startGateway();
    const health = await gateway.fetch('/api/health');
    expect(await health.json()).toMatchObject({ data: { cache: 'connected' } });
    expect(gateway.context.database.backend).toBe('postgres');
    await gateway.stop();
  });
  for (const [name, load] of Object.entries(files)) {
    describe(name, async () => {
      await load();
    });
  }
});
