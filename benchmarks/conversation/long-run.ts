import { SqliteConnection } from '@switchyard/server/platform/database/sqlite/sqlite-connection';
import type { BenchGateway } from './agent-servers.ts';

/** A model or tool call has two events and one span. */
export const events = 20_000;
export const spans = events / 2;
/** Every so many spans, a tool call waits for a task of the pool. */
const spansPerTask = 50;
export const tasks = spans / spansPerTask;
export const nodesPerTask = 50;

/** The spans begin 100 ms after each other, in the past. */
const fromMs = Date.UTC(2026, 0, 1);
const startOf = "strftime('%Y-%m-%dT%H:%M:%fZ', 1767225600 + i * 0.1, 'unixepoch')";
const endOf = "strftime('%Y-%m-%dT%H:%M:%fZ', 1767225600 + i * 0.1 + 0.09, 'unixepoch')";
const taskIdOf = "printf('00000000-0000-7000-8000-%012d', i)";

/** Makes a run over HTTP, and writes directly to the database what would take it hours. */
export async function fillLongRun({
  client,
  session,
  databaseFile,
}: BenchGateway): Promise<{ threadId: string; runId: string }> {
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
  return { threadId, runId };
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
