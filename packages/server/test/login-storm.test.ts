import { expect, test } from 'vitest';
import { AccountsServer } from './support/accounts-server.ts';
import { Client, newUser } from './support/client.ts';

/** Far more than fit into the queue, also while some hashes are done before the last of them is there. */
const logins = 300;
const hashing = { concurrency: 2, queue: 128 };

test('300 right logins at once from 300 addresses are each let in or told to come back, and the loop stays free', async () => {
  const server = await AccountsServer.start({ trusted: ['10.0.0.1'], hashing, passwordCost: 6 });
  await newUser(server, 'ada@example.com');
  let finished = 0;
  const storm = Array.from({ length: logins }, async (_, i) => {
    const proxy = new Client(server, {
      ip: '10.0.0.1',
      headers: { 'x-real-ip': `203.0.${i >> 7}.${i & 127}` },
    });
    const answer = await proxy.login('ada@example.com');
    finished += 1;
    return answer;
  });
  const health = await new Client(server).get('/healthz');
  expect(health.status).toBe(200);
  expect(finished, 'healthz does not wait for the hashes').toBeLessThan(logins);

  const answers = await Promise.all(storm);
  const count = (status: number) => answers.filter((answer) => answer.status === status).length;
  expect(count(200) + count(429)).toBe(logins);
  expect(count(200)).toBeGreaterThanOrEqual(100);
  expect(count(429), 'the queue is bounded').toBeGreaterThan(0);
  const refused = answers.find(({ status }) => status === 429);
  expect(refused?.headers['retry-after']).toBe('1');
  expect((await new Client(server).login('ada@example.com')).status, 'nobody is locked out').toBe(200);
  await server.close();
});
