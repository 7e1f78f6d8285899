import { startBareHttp, startGateway } from '../conversation/agent-servers.ts';
import { events, fillLongRun, nodesPerTask, spans, tasks } from '../conversation/long-run.ts';
import { type Figure, isRehearsal, measure } from '../measure.ts';
import { median, percentile } from '../statistics.ts';

const reads = isRehearsal ? 50 : 200;
const warmUpReads = 20;

interface Page {
  spans: unknown[];
  next_cursor: string | null;
  mark: string;
}

await measure(
  'timeline',
  `Timeline of a run with ${events.toLocaleString('en')} events and ${tasks} tasks of ${nodesPerTask} nodes`,
  async () => {
    const gateway = await startGateway();
    const bareHttp = await startBareHttp();
    const { threadId, runId } = await fillLongRun(gateway);
    const path = `/api/threads/${threadId}/runs/${runId}/timeline`;
    const read = (query: string): Promise<Page> => gateway.session.get<Page>(`${path}?${query}`);
    const { cursors, mark, total } = await walk(read);
    const queries = {
      'first page': 'limit=200',
      'a page in the middle': `limit=200&cursor=${cursors[Math.floor(cursors.length / 2)]}`,
      'last page': `limit=200&cursor=${cursors.at(-1)}`,
      'nothing new since a mark': `since=${mark}`,
    };
    const results = [];
    const loopback: number[] = [];
    for (const [name, query] of Object.entries(queries)) {
      const took: number[] = [];
      for (let each = 0; each < warmUpReads + reads; each += 1) {
        const bare = performance.now();
        await bareHttp.client.post('/', {});
        const started = performance.now();
        await read(query);
        if (each < warmUpReads) continue;
        loopback.push(started - bare);
        took.push(performance.now() - started);
      }
      results.push({ name, p50: median(took), p99: percentile(took, 99) });
    }
    await Promise.all([gateway.close(), bareHttp.close()]);
    return {
      figures: [
        ...results.flatMap(({ name, p50, p99 }): Figure[] => [
          { name: `${name}, p50`, value: p50, unit: 'ms' },
          { name: `${name}, p99`, value: p99, unit: 'ms' },
        ]),
        { name: 'baseline: a request over loopback, p99', value: percentile(loopback, 99), unit: 'ms' },
      ],
      bars: [{ promise: 'first page, p99 ≤ 50 ms', isMet: (results[0]?.p99 ?? 51) <= 50 }],
      notes: [`${reads} reads of each, one after the other; ${total.toLocaleString('en')} spans in all.`],
    };
  },
);

/** Reads all pages, and requires that nothing is missing. */
async function walk(
  read: (query: string) => Promise<Page>,
): Promise<{ cursors: string[]; mark: string; total: number }> {
  const cursors: string[] = [];
  let { spans: shown, next_cursor: next, mark } = await read('limit=200');
  let total = shown.length;
  while (next !== null) {
    cursors.push(next);
    ({ spans: shown, next_cursor: next } = await read(`limit=200&cursor=${next}`));
    total += shown.length;
  }
  // Each task has a wait and an attempt.
  const expected = spans + tasks * (3 + nodesPerTask);
  if (total < expected) throw new Error(`The timeline has ${total} spans, and should have ${expected}.`);
  return { cursors, mark, total };
}
