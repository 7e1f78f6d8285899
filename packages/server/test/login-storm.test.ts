import { expect, test } from 'vitest';
import { listenOnFreePort } from '../src/http/shell/listen.ts';
import { AccountsServer } from './support/accounts-server.ts';
import { Client, newUser } from './support/client.ts';

/** Far more than fit into the queue, even if some hashes finish before the last login arrives. */
const logins = 300;
const hashing = { concurrency: 2, queue: 128 };

test('300 correct logins at once from 300 addresses are each admitted or told to come back, and the loop stays free', async () => {
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
  expect((await new Client(server).login('ada@example.com')).status, 'no one is locked out').toBe(200);
  await server.close();
});

test('the hashes of disconnected clients are not computed', async () => {
  const server = await AccountsServer.start({ trusted: ['127.0.0.1'], hashing, passwordCost: 6 });
  await newUser(server, 'ada@example.com');
  const port = await listenOnFreePort(server.app, { host: '127.0.0.1', port: 0, lastPort: 0 });
  const logIn = (clientIp: string, password: string) => {
    const body = JSON.stringify({ username: 'ada@example.com', password });
    const headers = { 'content-type': 'application/json', 'x-real-ip': clientIp };
    return new Request(`http://127.0.0.1:${port}/api/auth/login`, { method: 'POST', headers, body });
  };
  // Enough work to stay busy until the other clients have come and gone.
  const ahead = Promise.all(Array.from({ length: 120 }, () => server.area.passwords.hash('ahead of all')));
  let arrived = 0;
  server.app.server.on('request', (request) => {
    request.once('end', () => {
      arrived += 1;
    });
  });
  const leaving = new AbortController();
  const left = Array.from({ length: 5 }, () =>
    fetch(logIn('203.0.113.1', 'wrong'), { signal: leaving.signal }),
  );
  const outcomes = Promise.allSettled(left);
  await expect.poll(() => arrived).toBe(5);
  leaving.abort();
  await Promise.all([outcomes, ahead]);

  expect((await fetch(logIn('203.0.113.2', 'wrong'))).status).toBe(401);
  expect(server.logLines.filter((line) => line.includes('login_failed'))).toHaveLength(1);
  await server.close();
});
