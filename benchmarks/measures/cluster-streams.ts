import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { startRedis } from '@switchyard/dev-env/redis';
import type { RedisStreamLog } from '@switchyard/server/platform/stream-log/redis-stream-log';
import { dataOf } from '@switchyard/server/platform/stream-log/stream-frame';
import { nowMs, openBenchLog, type ReaderReport } from '../cluster/stream-logs.ts';
import { isRehearsal, measure } from '../measure.ts';
import { median, percentile } from '../statistics.ts';

const rounds = isRehearsal ? 1 : 5;
const streams = 16;
/** Paced: as a model writes. */
const paced = { tokens: isRehearsal ? 50 : 200, everyMs: 10 };
/** As fast as it goes: tokens of one turn of the event loop. */
const burst = { tokens: isRehearsal ? 2_000 : 8_000, perTurn: 20 };
const text = 'a token with its envelope, some two hundred bytes of it '.repeat(3);
let lastRun = 0;

interface Sample {
  delaysMs: number[];
  perSecond: number;
  missing: number;
}

type Reader = (runs: string[]) => Promise<ReaderReport>;

await measure(
  'cluster-streams',
  'Tokens of a run to readers on another replica, beside readers where it runs',
  async () => {
    const redis = await startRedis();
    const { log, close } = await openBenchLog(redis.url);
    const elsewhere = fork(
      fileURLToPath(new URL('../cluster/stream-reader.ts', import.meta.url)),
      [redis.url],
      {
        execArgv: ['--import', 'tsx'],
      },
    );
    await once(elsewhere, 'message');
    const remote: Reader = async (runs) => {
      const answered = once(elsewhere, 'message');
      elsewhere.send({ runs });
      return (await answered)[0] as ReaderReport;
    };
    const local: Reader = (runs) => readHere(log, runs);
    const samples: Record<'local' | 'remote', { slow: Sample; fast: Sample }[]> = { local: [], remote: [] };
    for (let round = 0; round <= rounds; round += 1) {
      for (const [name, reader] of [
        ['local', local],
        ['remote', remote],
      ] as const) {
        const sample = { slow: await writePaced(log, reader), fast: await writeFast(log, reader) };
        if (round > 0) samples[name].push(sample); // the first warms up
      }
    }
    elsewhere.kill();
    await close();
    await redis.stop();

    const delay = (name: 'local' | 'remote', percent: number): number =>
      percentile(
        samples[name].flatMap(({ slow }) => slow.delaysMs),
        percent,
      );
    const rate = (name: 'local' | 'remote'): number =>
      median(samples[name].map(({ fast }) => fast.perSecond));
    const all = [...samples.local, ...samples.remote].flatMap(({ slow, fast }) => [slow, fast]);
    const missing = all.reduce((sum, sample) => sum + sample.missing, 0);
    const more = delay('remote', 50) - delay('local', 50);
    const share = (rate('remote') / rate('local')) * 100;
    return {
      figures: [
        { name: 'a token to a reader where it runs, p50', value: delay('local', 50), unit: 'ms' },
        { name: 'a token to a reader where it runs, p99', value: delay('local', 99), unit: 'ms' },
        { name: 'a token to a reader on another replica, p50', value: delay('remote', 50), unit: 'ms' },
        { name: 'a token to a reader on another replica, p99', value: delay('remote', 99), unit: 'ms' },
        { name: `tokens to ${streams} readers where they run`, value: rate('local'), unit: '/s' },
        { name: `tokens to ${streams} readers on another replica`, value: rate('remote'), unit: '/s' },
        { name: 'another replica beside the same', value: share, unit: '%' },
        { name: 'tokens that did not arrive', value: missing, unit: '' },
      ],
      bars: [
        { promise: 'another replica: p50 at most 5 ms more', isMet: more <= 5 },
        { promise: 'another replica: ≥ 60 % of the rate', isMet: share >= 60 },
        { promise: 'every token arrives', isMet: missing === 0 },
      ],
      notes: [
        `${streams} runs at a time, one reader each. For the delay a token each ${paced.everyMs} ms; for the rate ${burst.perTurn} tokens a turn of the event loop. The stream log alone, without HTTP: writer, Redis and the other replica are processes of this machine.`,
      ],
    };
  },
);

async function writePaced(log: RedisStreamLog, reader: Reader): Promise<Sample> {
  return write(log, reader, {
    tokens: paced.tokens,
    perTurn: 1,
    pause: () => new Promise((resolve) => setTimeout(resolve, paced.everyMs)),
  });
}

async function writeFast(log: RedisStreamLog, reader: Reader): Promise<Sample> {
  return write(log, reader, { ...burst, pause: () => new Promise((resolve) => setImmediate(resolve)) });
}

async function write(
  log: RedisStreamLog,
  reader: Reader,
  { tokens, perTurn, pause }: { tokens: number; perTurn: number; pause: () => Promise<void> },
): Promise<Sample> {
  const runs = Array.from({ length: streams }, () => {
    lastRun += 1;
    return `bench-${lastRun}`;
  });
  for (const run of runs) log.begin(run, { base: 0 });
  const reading = reader(runs);
  const startedMs = nowMs();
  for (let sent = 0; sent < tokens; sent += perTurn) {
    for (const run of runs) {
      for (let n = 0; n < perTurn; n += 1) log.append(run, 'messages', JSON.stringify([nowMs(), text]));
    }
    await pause();
  }
  for (const run of runs) log.end(run);
  const { delaysMs, endedMs } = await reading;
  const perSecond = delaysMs.length / ((endedMs - startedMs) / 1_000);
  return { delaysMs, perSecond, missing: tokens * streams - delaysMs.length };
}

async function readHere(log: RedisStreamLog, runs: string[]): Promise<ReaderReport> {
  const read = async (run: string): Promise<number[]> => {
    const delaysMs: number[] = [];
    for await (const part of log.read(run, { after: 0, signal: new AbortController().signal })) {
      if (part.type === 'gap') continue;
      for (const frame of part.frames) delaysMs.push(nowMs() - (JSON.parse(dataOf(frame)) as [number])[0]);
    }
    return delaysMs;
  };
  const delaysMs = (await Promise.all(runs.map(read))).flat();
  return { delaysMs, endedMs: nowMs() };
}
