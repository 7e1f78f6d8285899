import { setTimeout as sleep } from 'node:timers/promises';
import { SqliteConnection } from '@switchyard/server/platform/database/sqlite/sqlite-connection';
import { type BenchGateway, startBareHttp, startGateway } from '../conversation/agent-servers.ts';
import { type Figure, measure } from '../measure.ts';
import { median, percentile } from '../statistics.ts';

const threads = 100_000;
const page = 20;
const reads = 500;
const warmUpReads = 50;
/** The machine's own timers are late as well. The delay is measured while the gateway is idle. */
const idleMs = 3_000;
/** The query of each search, and the share of threads that match. */
const searches = {
  'without a filter': { body: {}, matches: threads },
  'metadata that no thread has': { body: { metadata: { topic: 'nothing' } }, matches: 0 },
  'metadata of one thread': { body: { metadata: { ticket: 'T-50000' } }, matches: 1 },
  'metadata of all threads': { body: { metadata: { topic: 'bench' } }, matches: threads },
  'metadata of all, and of one': { body: { metadata: { topic: 'bench', ticket: 'T-7' } }, matches: 1 },
};

await measure(
  'conversation-search',
  `Thread search, the first page of ${page}, with ${threads.toLocaleString('en')} threads of one owner`,
  async () => {
    const gateway = await startGateway();
    const bareHttp = await startBareHttp();
    fill(gateway.databaseFile, await ownerOf(gateway));
    for (const { body } of Object.values(searches)) {
      for (let read = 0; read < warmUpReads; read += 1) {
        await bareHttp.client.post('/', body);
        await search(gateway, body);
      }
    }
    await eventLoopDelay(gateway); // it covers the time since the last call
    await sleep(idleMs);
    const idleDelay = await eventLoopDelay(gateway);
    const results = [];
    for (const [name, { body, matches }] of Object.entries(searches)) {
      const took: number[] = [];
      const loopback: number[] = [];
      for (let read = 0; read < reads; read += 1) {
        const bare = performance.now();
        await bareHttp.client.post('/', body);
        const started = performance.now();
        const found = await search(gateway, body);
        took.push(performance.now() - started);
        loopback.push(started - bare);
        if (found.length !== Math.min(page, matches)) throw new Error(`${name}: ${found.length} threads.`);
      }
      results.push({ name, took, loopback });
    }
    const delay = await eventLoopDelay(gateway);
    await Promise.all([gateway.close(), bareHttp.close()]);

    const p99Ms = results.map(({ took }) => percentile(took, 99));
    const loopbackMs = percentile(
      results.flatMap(({ loopback }) => loopback),
      99,
    );
    return {
      figures: [
        ...results.flatMap(({ name, took }): Figure[] => [
          { name: `${name}, p50`, value: median(took), unit: 'ms' },
          { name: `${name}, p99`, value: percentile(took, 99), unit: 'ms' },
        ]),
        { name: 'baseline: a request over loopback, p99', value: loopbackMs, unit: 'ms' },
        { name: 'event loop delay meanwhile, p99', value: delay.p99Ms, unit: 'ms' },
        { name: 'event loop delay meanwhile, the longest', value: delay.maxMs, unit: 'ms' },
        { name: 'baseline: event loop delay of the idle gateway, p99', value: idleDelay.p99Ms, unit: 'ms' },
      ],
      bars: [
        {
          promise: 'p99 ≤ 20 ms for each, or 1.5 × a request over loopback',
          isMet: p99Ms.every((ms) => ms <= Math.max(20, 1.5 * loopbackMs)),
        },
        {
          promise: 'event loop delay ≤ 20 ms meanwhile (p99), or 1.5 × that of the idle gateway',
          isMet: delay.p99Ms <= Math.max(20, 1.5 * idleDelay.p99Ms),
        },
      ],
      notes: [
        `${reads} reads of each, one after the other, with the values of the state in each thread of the page.`,
        'The delay is the one that the gateway tells its operator at /metrics.',
      ],
    };
  },
);

function search({ client }: BenchGateway, filter: object): Promise<unknown[]> {
  return client.post<unknown[]>('/threads/search', { ...filter, limit: page });
}

async function ownerOf({ client, databaseFile }: BenchGateway): Promise<string> {
  const threadId = await client.createThread();
  const connection = new SqliteConnection(databaseFile);
  const [row] = connection.run('select user_id from threads where thread_id = ?', [threadId]).rows;
  connection.run('delete from threads where thread_id = ?', [threadId]);
  connection.close();
  return (row as { user_id: string }).user_id;
}

/** Writes directly to the database: threads as their runs would have left them, a second apart. */
function fill(file: string, owner: string): void {
  const connection = new SqliteConnection(file);
  const values = JSON.stringify({
    messages: [
      { type: 'human', id: 'm1', content: 'hello', additional_kwargs: {}, response_metadata: {} },
      { type: 'ai', id: 'm2', content: 'echo: hello', additional_kwargs: {}, response_metadata: {} },
    ],
  });
  const numbers = `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${threads})`;
  const id = "printf('00000000-0000-4000-8000-%012d', i)";
  const at = "strftime('%Y-%m-%dT%H:%M:%S.000Z', 1767225600 + i, 'unixepoch')";
  connection.run('begin immediate');
  connection.run(
    `${numbers} insert into threads (thread_id, user_id, assistant_id, display_name, status, metadata, created_at,
       updated_at, state_updated_at)
     select ${id}, ?, 'echo', 'hello', 'idle', json_object('topic', 'bench', 'ticket', 'T-' || i), ${at}, ${at}, ${at} from n`,
    [owner],
  );
  for (const [key, value] of [
    ['topic', `'"bench"'`],
    ['ticket', `'"T-' || i || '"'`],
  ]) {
    connection.run(
      `${numbers} insert into thread_metadata (thread_id, user_id, key, value, updated_at)
       select ${id}, ?, '${key}', ${value}, ${at} from n`,
      [owner],
    );
  }
  connection.run(
    `${numbers} insert into thread_snapshots (thread_id, user_id, "values", next, interrupts, updated_at)
     select ${id}, ?, ?, '[]', '{}', ${at} from n`,
    [owner, values],
  );
  connection.run('commit');
  connection.close();
}

async function eventLoopDelay({ gateway }: BenchGateway): Promise<{ p99Ms: number; maxMs: number }> {
  const text = await (await fetch(new URL('/metrics', gateway.url))).text();
  const quantile = (value: string): number => {
    const line = new RegExp(`^nodejs_eventloop_delay_seconds\\{quantile="${value}"\\} (.+)$`, 'm').exec(text);
    if (!line) throw new Error('/metrics does not tell how late the event loop is.');
    return Number(line[1]) * 1_000;
  };
  return { p99Ms: quantile('0.99'), maxMs: quantile('1') };
}
