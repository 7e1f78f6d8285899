import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { HttpSession } from '@switchyard/dev-env/http-session';
import { SpawnedGateway } from '@switchyard/dev-env/spawned-gateway';
import { temporaryFolder } from '@switchyard/dev-env/temporary-folder';
import { type LoadResult, load } from '../load.ts';
import { measure } from '../measure.ts';
import { median } from '../statistics.ts';

const rows = 20;
const connections = 10;
/** Gateway and peer take turns, so that a slow moment of the machine affects both. */
const rounds = 5;
const roundSeconds = 3;
const path = '/api/v1/auth/tokens';

await measure(
  'authenticated-read',
  `An authenticated JSON read of ${rows} rows, ${connections} connections`,
  async () => {
    const home = temporaryFolder();
    const gateway = await SpawnedGateway.start({ home: home.path });
    const peer = await startPeer(home.path);
    const headers = { cookie: await sessionWithRows(gateway.url) };
    await expectSameAnswer(gateway.url, peer.url, headers);

    const through: LoadResult[] = [];
    const bare: LoadResult[] = [];
    for (let round = 0; round <= rounds; round++) {
      const each = { headers, connections, seconds: roundSeconds };
      const peerLoad = await load(peer.url + path, { ...each, pid: peer.pid });
      const gatewayLoad = await load(gateway.url + path, { ...each, pid: gateway.pid });
      if (round === 0) continue; // warms both up
      bare.push(peerLoad);
      through.push(gatewayLoad);
    }
    peer.stop();
    await gateway.stop();
    home.remove();

    const of = (results: LoadResult[], key: keyof LoadResult) => median(results.map((result) => result[key]));
    const rates = (of(through, 'perSecond') / of(bare, 'perSecond')) * 100;
    const work = (of(bare, 'cpuUs') / of(through, 'cpuUs')) * 100;
    return {
      figures: [
        { name: `through the full stack (median of ${rounds})`, value: of(through, 'perSecond'), unit: '/s' },
        { name: 'baseline: bare Fastify, same token, same rows', value: of(bare, 'perSecond'), unit: '/s' },
        { name: 'ratio of rates', value: rates, unit: '%' },
        { name: 'processor time of one answer, full stack', value: of(through, 'cpuUs'), unit: 'µs' },
        { name: 'baseline: the same, bare Fastify', value: of(bare, 'cpuUs'), unit: 'µs' },
        { name: 'ratio of work', value: work, unit: '%' },
        { name: 'p99 through the full stack', value: of(through, 'p99Ms'), unit: 'ms' },
        { name: 'baseline p99', value: of(bare, 'p99Ms'), unit: 'ms' },
      ],
      bars: [
        {
          promise: '≥ 60 % of a bare Fastify route with the same check and rows, in rate and in work',
          isMet: Math.min(rates, work) >= 60,
        },
      ],
      notes: [
        'Where the load itself fills a core, rates come close to each other; the work of an answer does not.',
      ],
    };
  },
);

async function sessionWithRows(url: string): Promise<string> {
  const session = await HttpSession.register(url, {
    email: 'reader@example.com',
    password: 'reads all day long',
  });
  for (let row = 0; row < rows; row++)
    await session.post(path, { name: `token ${row}`, scopes: ['dispatch:read', 'conversation:read'] });
  return session.cookieHeader;
}

/** Comparing two answers that differ would show nothing. */
async function expectSameAnswer(
  url: string,
  peerUrl: string,
  headers: Record<string, string>,
): Promise<void> {
  const [given, wanted] = await Promise.all(
    [url, peerUrl].map(async (base) => (await fetch(base + path, { headers })).text()),
  );
  if (given !== wanted) throw new Error(`The peer answers ${wanted}, the gateway ${given}.`);
}

async function startPeer(home: string): Promise<{ url: string; pid: number; stop: () => void }> {
  const script = join(import.meta.dirname, '../peers/bare-fastify.ts');
  const child = spawn(process.execPath, ['--import', 'tsx', script, home], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const stop = () => child.kill();
  process.on('exit', stop);
  const [line] = await once(child.stdout.setEncoding('utf8'), 'data');
  return { url: String(line).trim(), pid: child.pid ?? 0, stop };
}
