import { createHash, randomBytes } from 'node:crypto';
import { statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { temporaryFolder } from '@switchyard/dev-env/temporary-folder';
import { SqliteConnection } from '@switchyard/server/platform/database/sqlite/sqlite-connection';
import { DispatchBench } from '../dispatch-bench.ts';
import { addThreads, eventsPerThread, makeLargeHome, spent, threads } from '../large-home.ts';
import { isRehearsal, measure } from '../measure.ts';
import { cpuTimeUs, loopDelayMs, residentMb } from '../process-usage.ts';
import { percentile } from '../statistics.ts';

/** `BENCH_FILES_GB=1 npm run bench backup` needs 3 GB of disk and not 25. */
const gigabytes = isRehearsal ? 0.05 : Number(process.env.BENCH_FILES_GB ?? 10);
const fileBytes = 2_000_000;
const files = Math.ceil((gigabytes * 1e9) / fileBytes);
const changedShare = 0.01;
const aloneMs = isRehearsal ? 3_000 : 40_000;
const taskEveryMs = 25;
const sampleEveryMs = 100;

await measure(
  'backup',
  `A backup of ${threads} threads, ${threads * eventsPerThread} events and ${gigabytes} GB of files beside a busy gateway`,
  async () => {
    const folder = temporaryFolder();
    try {
      const { bavail, bsize } = statfsSync(folder.path);
      if (bavail * bsize < (2 * gigabytes + 3) * 1e9)
        throw new Error(
          `There are no ${2 * gigabytes + 3} GB at ${folder.path}. Set TMPDIR, or a smaller BENCH_FILES_GB.`,
        );
      return await measured(folder.path);
    } finally {
      folder.remove();
    }
  },
);

async function measured(folder: string) {
  const home = join(folder, 'home');
  const { file, userId } = await makeLargeHome(home);
  addFiles(home, { file, userId, count: files });
  const command = ['backup', '--to', join(folder, 'backups'), '--home', home];
  const bench = await DispatchBench.start({ workers: 8, runMs: 50, outputBytes: 20_000, home });
  try {
    await busyWhile(bench, () => sleep(aloneMs / 8));
    const alone = await busyWhile(bench, () => sleep(aloneMs));
    const first = await busyWhile(bench, () => spent(command));
    // What the load has made meanwhile is no part of the change.
    await spent([...command, '--fast']);
    await bench.kill();
    addThreads(file, userId, { from: threads + 1, to: Math.ceil(threads * (1 + changedShare)) });
    addFiles(home, { file, userId, count: Math.ceil(files * changedShare) });
    await bench.restart();
    await busyWhile(bench, () => sleep(aloneMs / 8));
    const second = await busyWhile(bench, () => spent(command));

    const core = (cpuMs: number, tookMs: number): number => (100 * cpuMs) / tookMs;
    const backupCore = core(first.result.cpuMs, first.tookMs);
    const moreCore = core(first.cpuMs, first.tookMs) - core(alone.cpuMs, alone.tookMs);
    const moreMb = first.peakMb - alone.peakMb;
    const secondShare = (100 * second.result.tookMs) / first.result.tookMs;
    return {
      figures: [
        { name: 'the first backup', value: first.result.tookMs, unit: 'ms' as const },
        {
          name: `the second one, ${100 * changedShare} % changed`,
          value: second.result.tookMs,
          unit: 'ms' as const,
        },
        { name: 'the second, of the first', value: secondShare, unit: '%' as const },
        { name: 'processor of the backup, of one core', value: backupCore, unit: '%' as const },
        {
          name: 'processor of the gateway meanwhile, of one core',
          value: core(first.cpuMs, first.tookMs),
          unit: '%' as const,
        },
        {
          name: 'baseline: the same without a backup',
          value: core(alone.cpuMs, alone.tookMs),
          unit: '%' as const,
        },
        { name: 'loop delay p99 of the gateway meanwhile', value: first.delayMs, unit: 'ms' as const },
        { name: 'baseline: the same without a backup', value: alone.delayMs, unit: 'ms' as const },
        { name: 'a submit meanwhile, p99', value: first.submitMs, unit: 'ms' as const },
        { name: 'baseline: the same without a backup', value: alone.submitMs, unit: 'ms' as const },
        { name: 'memory of the gateway meanwhile', value: first.peakMb, unit: 'MB' as const },
        { name: 'baseline: the same without a backup', value: alone.peakMb, unit: 'MB' as const },
        { name: 'largest memory of the backup', value: first.result.peakMb, unit: 'MB' as const },
      ],
      bars: [
        {
          promise: 'processor, backup and gateway: ≤ 25 % of a core more than without',
          isMet: backupCore + moreCore <= 25,
        },
        { promise: 'loop delay p99: ≤ 20 ms more than without', isMet: first.delayMs - alone.delayMs <= 20 },
        { promise: 'memory of the gateway: ≤ 50 MB more than without', isMet: moreMb <= 50 },
        { promise: 'the second backup takes ≤ 5 % of the time of the first', isMet: secondShare <= 5 },
      ],
      notes: [
        `Each file has ${fileBytes / 1e6} MB. A task of 50 ms with an output of 20 kB is submitted every ${taskEveryMs} ms all the time, to 8 fake workers.`,
        'The backup is a process of its own, which copies the database as a whole each time.',
      ],
    };
  } finally {
    await bench.close();
  }
}

/** Puts files and their rows where the gateway would have put them. Each has other content. */
function addFiles(
  home: string,
  { file, userId, count }: { file: string; userId: string; count: number },
): void {
  const content = randomBytes(fileBytes);
  const connection = new SqliteConnection(file);
  connection.run('begin immediate');
  for (let number = 0; number < count; number += 1) {
    randomBytes(16).copy(content);
    const sha256 = createHash('sha256').update(content).digest('hex');
    writeFileSync(join(home, 'files', sha256.slice(0, 2), sha256), content, { mode: 0o600 });
    connection.run(
      `insert into files (id, owner, filename, sha256, size, contentType, source, createdAt)
       values (?, ?, 'picture.bin', ?, ?, 'application/octet-stream', 'upload', '2026-01-01T00:00:00.000Z')`,
      [crypto.randomUUID(), userId, sha256, fileBytes],
    );
  }
  connection.run('commit');
  connection.close();
}

/** Submits tasks at an even pace while the work goes on, so that the gateway has the same to do with and without a backup. */
async function busyWhile<Result>(bench: DispatchBench, work: () => Promise<Result>) {
  const { pid } = bench.gateway;
  await loopDelayMs(bench.gateway.url);
  const submitsMs: number[] = [];
  const submits: Promise<void>[] = [];
  const submit = async (): Promise<void> => {
    const began = performance.now();
    await bench.submit();
    submitsMs.push(performance.now() - began);
  };
  let peakMb = 0;
  const began = performance.now();
  const cpuUs = cpuTimeUs(pid);
  const pace = setInterval(() => submits.push(submit()), taskEveryMs);
  const look = setInterval(() => {
    peakMb = Math.max(peakMb, residentMb(pid));
  }, sampleEveryMs);
  const result = await work().finally(() => {
    clearInterval(pace);
    clearInterval(look);
  });
  const tookMs = performance.now() - began;
  const cpuMs = (cpuTimeUs(pid) - cpuUs) / 1_000;
  const delayMs = await loopDelayMs(bench.gateway.url);
  await Promise.all(submits);
  return { result, tookMs, cpuMs, peakMb, delayMs, submitMs: percentile(submitsMs, 99) };
}
