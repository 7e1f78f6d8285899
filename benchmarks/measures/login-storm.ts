import { setTimeout as sleep } from 'node:timers/promises';
import { HttpSession } from '@switchyard/dev-env/http-session';
import { SpawnedGateway } from '@switchyard/dev-env/spawned-gateway';
import { temporaryFolder } from '@switchyard/dev-env/temporary-folder';
import { measure } from '../measure.ts';
import { percentile } from '../statistics.ts';

const logins = 200;
const probeEveryMs = 10;
const account = { email: 'storm@example.com', password: 'weather the storm' };

await measure('login-storm', `${logins} parallel right logins from ${logins} client addresses`, async () => {
  const home = temporaryFolder();
  const gateway = await SpawnedGateway.start({ home: home.path, env: { AUTH_TRUSTED_PROXIES: '127.0.0.1' } });
  await HttpSession.register(gateway.url, account);
  const quiet = await probeWhile(gateway.url, sleep(2_000));
  const started = performance.now();
  const storm = Promise.all(Array.from({ length: logins }, (_, index) => loginStatus(gateway.url, index)));
  const busy = await probeWhile(gateway.url, storm);
  const statuses = await storm;
  const tookMs = performance.now() - started;
  await gateway.stop();
  home.remove();

  const count = (status: number) => statuses.filter((given) => given === status).length;
  const others = logins - count(200) - count(429);
  return {
    figures: [
      { name: 'answered 200', value: count(200), unit: '' },
      { name: 'answered 429', value: count(429), unit: '' },
      { name: 'answered otherwise', value: others, unit: '' },
      { name: 'the storm took', value: tookMs, unit: 'ms' },
      { name: '/healthz p99 meanwhile', value: percentile(busy, 99), unit: 'ms' },
      { name: 'baseline: /healthz p99 before', value: percentile(quiet, 99), unit: 'ms' },
    ],
    bars: [
      { promise: 'each is answered 200, or 429 when the hashing queue is full', isMet: others === 0 },
      { promise: 'at least 100 are answered 200', isMet: count(200) >= 100 },
      { promise: '/healthz p99 ≤ 200 ms meanwhile', isMet: percentile(busy, 99) <= 200 },
    ],
    notes: [`${busy.length} probes of /healthz during the storm, ${quiet.length} before it.`],
  };
});

async function loginStatus(url: string, index: number): Promise<number> {
  const answer = await fetch(new URL('/api/v1/auth/login/local', url), {
    method: 'POST',
    headers: { 'x-real-ip': `10.0.${index >> 8}.${index & 255}` },
    body: new URLSearchParams({ username: account.email, password: account.password }),
  });
  await answer.arrayBuffer();
  return answer.status;
}

/** Returns how long each /healthz took, one after the other, until `work` is done. */
async function probeWhile(url: string, work: Promise<unknown>): Promise<number[]> {
  let isDone = false;
  const done = work.finally(() => {
    isDone = true;
  });
  const took: number[] = [];
  while (!isDone) {
    const started = performance.now();
    const answer = await fetch(new URL('/healthz', url));
    await answer.arrayBuffer();
    took.push(performance.now() - started);
    await sleep(probeEveryMs);
  }
  await done;
  return took;
}
