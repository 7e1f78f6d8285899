import { type BenchGateway, startGateway } from '../conversation/agent-servers.ts';
import { storedBytes, type TableBytes } from '../conversation/stored-bytes.ts';
import { type Figure, isRehearsal, measure } from '../measure.ts';

const runs = isRehearsal ? 40 : 300;
/** Fill the pages that an empty database has for each table, and are not counted. */
const runsBefore = runs / 5;
const clients = 4;
const maxBytes = 6_000;

const kinds = [
  { name: 'one-node graph, a new thread each', graph: 'echo', runsOfThread: 1 },
  { name: 'one-node graph, ten runs in a thread', graph: 'echo', runsOfThread: 10 },
  { name: 'turn with the demo model, a new thread each', graph: 'lead_agent', runsOfThread: 1 },
] as const;
type Kind = (typeof kinds)[number];

await measure('short-run-size', 'What a short run leaves in the database', async () => {
  const gateway = await startGateway();
  const left: { kind: Kind; tables: TableBytes[] }[] = [];
  for (const kind of kinds) left.push({ kind, tables: await leftBy(gateway, kind) });
  await gateway.close();
  const short = sumOf(left[0]?.tables ?? [], 'bytes');
  return {
    figures: left.flatMap(({ kind, tables }) => figuresOf(kind.name, tables)),
    bars: [
      { promise: `a run of a one-node graph leaves ≤ ${maxBytes / 1_000} kB`, isMet: short <= maxBytes },
    ],
    notes: [
      `Bytes a run: ${runs} runs, ${clients} at a time, after ${runsBefore} that are not counted, all of them in one database. The log was moved into the file before the file was measured.`,
      'A table counts with its indexes, in whole pages. Its rows by themselves are the baseline: the rest is what indexes repeat, and what pages leave empty.',
    ],
  };
});

function figuresOf(name: string, tables: readonly TableBytes[]): Figure[] {
  const figure = (of: string, value: number): Figure => ({ name: `${name}: ${of}`, value, unit: 'B' });
  const all = sumOf(tables, 'bytes');
  const rows = sumOf(tables, 'rowBytes');
  const indexes = sumOf(tables, 'indexBytes');
  return [
    figure('a run', all),
    figure('rows by themselves', rows),
    figure('repeated in indexes', indexes),
    figure('left empty in pages', all - rows - indexes),
    ...tables.filter(({ bytes }) => bytes >= all / 100).map(({ table, bytes }) => figure(table, bytes)),
  ];
}

function sumOf(tables: readonly TableBytes[], key: Exclude<keyof TableBytes, 'table'>): number {
  return tables.reduce((sum, table) => sum + table[key], 0);
}

/** Returns what one run has added to each table, the largest first. */
async function leftBy(gateway: BenchGateway, kind: Kind): Promise<TableBytes[]> {
  await make(gateway, kind, runsBefore);
  const before = new Map(storedBytes(gateway.databaseFile).map((table) => [table.table, table]));
  await make(gateway, kind, runs);
  return storedBytes(gateway.databaseFile)
    .map((after) => ({ table: after.table, ...perRun(after, before.get(after.table)) }))
    .sort((one, other) => other.bytes - one.bytes);
}

function perRun(after: TableBytes, before: TableBytes | undefined): Omit<TableBytes, 'table'> {
  const added = (key: Exclude<keyof TableBytes, 'table'>) => (after[key] - (before?.[key] ?? 0)) / runs;
  return { bytes: added('bytes'), rowBytes: added('rowBytes'), indexBytes: added('indexBytes') };
}

async function make({ client }: BenchGateway, { graph, runsOfThread }: Kind, count: number): Promise<void> {
  let left = count / runsOfThread;
  const lane = async (): Promise<void> => {
    while (left-- > 0) {
      const threadId = await client.createThread();
      for (let run = 0; run < runsOfThread; run += 1) await client.wait({ threadId, graph });
    }
  };
  await Promise.all(Array.from({ length: clients }, lane));
}
