import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { SpawnedGateway } from '@switchyard/dev-env/spawned-gateway';
import { temporaryFolder } from '@switchyard/dev-env/temporary-folder';
import { fsyncMsP50 } from '../disk.ts';
import { measure } from '../measure.ts';
import { residentMb } from '../process-usage.ts';
import { median } from '../statistics.ts';

const rounds = 9;
const settleMs = 5_000;

await measure('start', 'Start of the built binary to its first healthy answer', async () => {
  const firstMs: number[] = [];
  const againMs: number[] = [];
  const bareMs: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const folder = temporaryFolder();
    firstMs.push(await startMs(folder.path));
    againMs.push(await startMs(folder.path));
    bareMs.push(await bareNodeMs());
    folder.remove();
  }
  const folder = temporaryFolder();
  const idleMb = await idleMemoryMb(folder.path);
  const fsyncMs = fsyncMsP50(folder.path);
  folder.remove();
  const first = median(firstMs);
  return {
    figures: [
      { name: `first start, empty data home (median of ${rounds})`, value: first, unit: 'ms' },
      { name: `later start, same data home (median of ${rounds})`, value: median(againMs), unit: 'ms' },
      { name: 'baseline: an empty Node script (median)', value: median(bareMs), unit: 'ms' },
      { name: `resident memory, idle for ${settleMs / 1000} s`, value: idleMb, unit: 'MB' },
      { name: 'fsync of the disk (p50)', value: fsyncMs, unit: 'ms' },
    ],
    bars: [
      { promise: 'first start to healthy ≤ 1.5 s (median)', isMet: first <= 1_500 + 2 * fsyncMs },
      { promise: 'idle resident memory ≤ 150 MB', isMet: idleMb <= 150 },
    ],
  };
});

async function startMs(home: string): Promise<number> {
  const started = performance.now();
  const gateway = await SpawnedGateway.start({ home });
  const answer = await fetch(new URL('/healthz', gateway.url));
  const took = performance.now() - started;
  if (!answer.ok) throw new Error(`/healthz answered ${answer.status}`);
  await gateway.stop();
  return took;
}

async function idleMemoryMb(home: string): Promise<number> {
  const gateway = await SpawnedGateway.start({ home });
  await sleep(settleMs);
  const idleMb = residentMb(gateway.pid);
  await gateway.stop();
  return idleMb;
}

async function bareNodeMs(): Promise<number> {
  const started = performance.now();
  await once(spawn(process.execPath, ['-e', '0']), 'exit');
  return performance.now() - started;
}
