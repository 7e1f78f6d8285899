import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Replicas, startReplicas, testReplicas } from './support/replicas.ts';

const { title, isSkipped } = testReplicas('two replicas that count failed logins');

describe.skipIf(isSkipped)(title, () => {
  let replicas: Replicas;
  beforeAll(async () => {
    replicas = await startReplicas(2);
    await replicas.gateways[0]?.register('ada@example.com');
  });
  afterAll(() => replicas.stop());

  const logIn = async (
    index: number,
    password: string,
  ): Promise<[status: number, retryAfter: string | null]> => {
    const body = new URLSearchParams({ username: 'ada@example.com', password });
    const url = new URL('/api/v1/auth/login/local', replicas.gateways[index]?.url);
    const { status, headers } = await fetch(url, { method: 'POST', body });
    return [status, headers.get('retry-after')];
  };

  it('lock an address out at one after five wrong passwords, some of them at the other', async () => {
    const answers = [];
    for (const index of [0, 1, 0, 1, 0]) answers.push((await logIn(index, 'not the password'))[0]);
    expect(answers).toEqual([401, 401, 401, 401, 401]);
    for (const index of [1, 0]) {
      const [status, retryAfter] = await logIn(index, 'correct horse battery');
      expect(status).toBe(429);
      expect(Number(retryAfter)).toBeGreaterThan(0);
    }
  });
});
