/** A replica of its own that reads streams of runs and reports when each token came. */
import { dataOf } from '@switchyard/server/platform/stream-log/stream-frame';
import { nowMs, openBenchLog, type ReaderOrder, type ReaderReport } from './stream-logs.ts';

const url = process.argv[2] ?? '';
const { log } = await openBenchLog(url);

process.on('message', (order: ReaderOrder) => {
  void readAll(order).then((report) => process.send?.(report));
});
process.send?.({ ready: true });

async function readAll({ runs }: ReaderOrder): Promise<ReaderReport> {
  const reports = await Promise.all(runs.map(readRun));
  return { delaysMs: reports.flatMap(({ delaysMs }) => delaysMs), endedMs: nowMs() };
}

async function readRun(run: string): Promise<{ delaysMs: number[] }> {
  const delaysMs: number[] = [];
  for await (const part of log.read(run, { after: 0, signal: new AbortController().signal })) {
    if (part.type === 'gap') continue;
    for (const frame of part.frames) delaysMs.push(nowMs() - (JSON.parse(dataOf(frame)) as [number])[0]);
  }
  return { delaysMs };
}
