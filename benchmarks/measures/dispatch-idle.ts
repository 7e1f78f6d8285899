import { setTimeout as sleep } from 'node:timers/promises';
import { temporaryFolder } from '@switchyard/dev-env/temporary-folder';
import { fsyncMsP50 } from '../disk.ts';
import { DispatchBench } from '../dispatch-bench.ts';
import { measure } from '../measure.ts';
import { median, percentile } from '../statistics.ts';

const submits = 300;
/** The first rounds warm up submit and baseline, and are not counted. */
const warmUpSubmits = 50;

await measure(
  'dispatch-idle',
  'Idle dispatch: submit answered until the worker holds the prompt',
  async () => {
    const folder = temporaryFolder();
    const fsyncMs = fsyncMsP50(folder.path);
    folder.remove();
    const bench = await DispatchBench.start({ workers: 1, keepsArrivals: true });
    const answeredAt = new Map<string, bigint>();
    const answers: number[] = [];
    const bare: number[] = [];
    for (let count = -warmUpSubmits; count < submits; count += 1) {
      const startedBare = performance.now();
      await fetch(new URL('/healthz', bench.gateway.url)).then((answer) => answer.arrayBuffer());
      const started = performance.now();
      const id = await bench.submit();
      const at = process.hrtime.bigint();
      const answered = performance.now();
      await sleep(15);
      if (count < 0) continue;
      bare.push(started - startedBare);
      answeredAt.set(id, at);
      answers.push(answered - started);
    }
    const [stats] = await bench.fleet.stats();
    await bench.close();

    const waits = [...answeredAt].map(([id, at]) => {
      const arrived = stats?.arrivals[id];
      if (arrived === undefined) throw new Error(`Task ${id} never reached the worker.`);
      return Number(BigInt(arrived) - at) / 1e6;
    });
    const ideal = 2 * fsyncMs + median(bare);
    const p50 = median(waits);
    const p99 = percentile(waits, 99);
    return {
      figures: [
        { name: 'answered → worker holds the prompt, p50', value: p50, unit: 'ms' },
        { name: 'answered → worker holds the prompt, p99', value: p99, unit: 'ms' },
        { name: 'the submit itself, p50', value: median(answers), unit: 'ms' },
        { name: 'baseline: a request over loopback, p50', value: median(bare), unit: 'ms' },
        { name: 'baseline: a request over loopback, p99', value: percentile(bare, 99), unit: 'ms' },
        { name: 'fsync of the disk (p50)', value: fsyncMs, unit: 'ms' },
      ],
      bars: [
        {
          promise: 'p50 ≤ 3 ms, or 1.5 × one loopback request and one sync',
          isMet: p50 <= Math.max(3, 1.5 * ideal),
        },
        {
          promise: 'p99 ≤ 15 ms, or 1.5 × the same at p99',
          isMet: p99 <= Math.max(15, 1.5 * (percentile(bare, 99) + 2 * fsyncMs)),
        },
      ],
      notes: ['A negative wait means that the prompt was there before the client had read its answer.'],
    };
  },
);
