import { SqliteConnection } from '@switchyard/server/platform/database/sqlite-connection';
import { type BenchGateway, startBareHttp, startGateway } from '../conversation/agent-servers.ts';
import { type Figure, isRehearsal, measure } from '../measure.ts';
import { median, percentile } from '../statistics.ts';

/** A model or tool call has two events and one span. */
const events = 20_000;
const spans = events / 2;
/** Every so many spans, a tool call waits for a task of the pool. */
const spansPerTask = 50;
const tasks = spans / spansPerTask;
const nodesPerTask = 50;
const reads = isRehearsal ? 50 : 200;
const warmUpReads = 20;

/** The spans begin 100 ms after each other, in the past. */
const fromMs = Date.UTC(2026, 0, 1);
const startOf = "strftime('%Y-%m-%dT%H:%M:%fZ', 1767225600 + i * 0.1, 'unixepoch')";
const endOf = "strftime('%Y-%m-%dT%H:%M:%fZ', 1767225600 + i * 0.1 + 0.09, 'unixepoch')";
const taskIdOf = "printf('00000000-0000-7000-8000-%012d', i)";

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
    const path = await fill(gateway);
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

/** Makes a run over HTTP, and writes directly to the database what would take it hours. */
async function fill({ client, session, databaseFile }: BenchGateway): Promise<string> {
  const threadId = await client.createThread();
  await client.wait({ threadId, graph: 'echo' });
  const [run] = await session.get<{ run_id: string }[]>(`/api/threads/${threadId}/runs`);
  const runId = run?.run_id ?? '';
  const connection = new SqliteConnection(databaseFile);
  const [row] = connection.run('select user_id from runs where run_id = ?', [runId]).rows;
  const owner = (row as { user_id: string }).user_id;
  connection.run('begin immediate');
  addSpans(connection, { threadId, runId, owner });
  addTasks(connection, owner);
  connection.run('commit');
  connection.close();
  return `/api/threads/${threadId}/runs/${runId}/timeline`;
}

function addSpans(
  connection: SqliteConnection,
  { threadId, runId, owner }: { threadId: string; runId: string; owner: string },
): void {
  const usage = JSON.stringify({ fast: { tokens: 1200, input_tokens: 1000, output_tokens: 200, calls: 1 } });
  connection.run(
    `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${spans})
     insert into run_spans (thread_id, run_id, started_at, span_id, attempt, kind, name, ended_at, state, tool_call_id,
       task_id, usage, revision)
     select ?, ?, ${startOf}, ? || '.' || (1000000 + i), 1, case i % 2 when 0 then 'tool' else 'model' end, 'name', ${endOf},
       'success', 'call_' || i, case i % ${spansPerTask} when 0 then ${taskIdOf} end,
       case i % 2 when 1 then ? end, i from n`,
    [threadId, runId, runId, usage],
  );
  connection.run(
    `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${events})
     insert into run_events (thread_id, run_id, user_id, event_type, category, content, metadata, seq, created_at)
     select ?, ?, ?, 'llm_response', 'trace', ?, '{}', 1000 + i, ${startOf} from n`,
    [threadId, runId, owner, 'x'.repeat(1_000)],
  );
}

function addTasks(connection: SqliteConnection, owner: string): void {
  const numbers = `with recursive n(i) as
    (select ${spansPerTask} union all select i + ${spansPerTask} from n where i < ${spans})`;
  connection.run(
    `${numbers} insert into tasks (id, owner, status, phase, progress, priority, tags, attempt, cancelRequested, fingerprint,
       retryPolicy, maxAttempts, warnings, createdAt, updatedAt, startedAt, finishedAt)
     select ${taskIdOf}, ?, 'completed', 'ended', 100, 0, '[]', 1, 0, 'x.', 'on_lost', 3, '[]', ${startOf}, ${endOf},
       ${startOf}, ${endOf} from n`,
    [owner],
  );
  const ids = Array.from({ length: nodesPerTask }, (_, index) => String(index + 1));
  const graph = Object.fromEntries(ids.map((id) => [id, { class_type: 'PreviewAny', inputs: {} }]));
  connection.run(
    `${numbers} insert into task_inputs (taskId, workflow, params, requirement) select ${taskIdOf}, ?, '{}', '{}' from n`,
    [JSON.stringify(graph)],
  );
  const nodes = JSON.stringify({ fromMs: 0, spans: ids.map((id, index) => [id, index, 1, 1]) });
  connection.run(
    `${numbers} insert into task_attempts (taskId, attempt, instanceId, promptId, clientId, state, outcome, startedAt, acceptedAt,
       endedAt, nodes)
     select ${taskIdOf}, 1, 'box', ${taskIdOf}, 'c', 'ended', 'completed', ${startOf}, ${startOf}, ${endOf},
       json_set(?, '$.fromMs', ${fromMs} + i * 100 + 10) from n`,
    [nodes],
  );
}
