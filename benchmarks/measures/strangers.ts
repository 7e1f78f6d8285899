import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { HttpSession } from '@switchyard/dev-env/http-session';
import { SpawnedGateway } from '@switchyard/dev-env/spawned-gateway';
import { temporaryFolder } from '@switchyard/dev-env/temporary-folder';
import { type LoadResult, load } from '../load.ts';
import { measure } from '../measure.ts';
import { median } from '../statistics.ts';

const sockets = 1_000;
const halfBodies = 500;
const connections = 10;
/** Measures with and without strangers in turns, so that a slow moment of the machine affects both. */
const rounds = 3;
const roundSeconds = 5;
const path = '/api/v1/auth/tokens';
const bearableMs = 250;

await measure(
  'strangers',
  `Reads of a user while strangers hold ${sockets} sockets and ${halfBodies} half bodies`,
  async () => {
    const home = temporaryFolder();
    const gateway = await SpawnedGateway.start({
      home: home.path,
      env: { AUTH_TRUSTED_PROXIES: '127.0.0.1' },
    });
    const session = await HttpSession.register(gateway.url, {
      email: 'reader@example.com',
      password: 'reads all day long',
    });
    const reads = () =>
      load(gateway.url + path, {
        headers: { cookie: session.cookieHeader },
        connections,
        seconds: roundSeconds,
        pid: gateway.pid,
      });
    const alone: LoadResult[] = [];
    const beside: LoadResult[] = [];
    await reads(); // warms up
    for (let round = 0; round < rounds; round++) {
      alone.push(await reads());
      const strangers = await gatherStrangers(gateway.url);
      beside.push(await reads());
      strangers.kill();
      await once(strangers, 'exit');
    }
    await gateway.stop();
    home.remove();

    const p99 = (results: LoadResult[]) => median(results.map(({ p99Ms }) => p99Ms));
    const rate = (results: LoadResult[]) => median(results.map(({ perSecond }) => perSecond));
    const aboveMs = p99(beside) - p99(alone);
    return {
      figures: [
        { name: `p99 of reads beside the strangers (median of ${rounds})`, value: p99(beside), unit: 'ms' },
        { name: 'baseline: p99 without them', value: p99(alone), unit: 'ms' },
        { name: 'reads beside the strangers', value: rate(beside), unit: '/s' },
        { name: 'baseline: reads without them', value: rate(alone), unit: '/s' },
      ],
      bars: [
        {
          promise: `every read is answered 2xx, p99 less than ${bearableMs} ms above the same without strangers`,
          isMet: aboveMs < bearableMs,
        },
      ],
      notes: [
        'Each stranger has an address of its own, and comes back a second after it was refused or ended.',
      ],
    };
  },
);

async function gatherStrangers(url: string): Promise<ChildProcess> {
  const { port } = new URL(url);
  const args = [port, String(sockets), String(halfBodies)];
  const strangers = fork(new URL('../peers/strangers.mjs', import.meta.url), args);
  process.on('exit', () => strangers.kill());
  await once(strangers, 'message');
  return strangers;
}
