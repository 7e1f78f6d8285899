import type { Database, WriteTransaction } from '../../platform/database/database.ts';
import { spanIdOf, spanIdOfCall, type TracePlace, tracePlaceOf } from '../../platform/telemetry/trace-ids.ts';
import type { Traces } from '../../platform/telemetry/traces.ts';
import type { ModelUsage } from '../journal/run-totals.ts';
import type { ConversationTables, RunRow, RunSpanRow } from '../tables.ts';
import { type RunRowsReader, spanRowsOfRun, traceparentOfRun } from './run-timeline-store.ts';

/** Returns the place of a run in its trace. */
export async function placeOfRun(read: RunRowsReader, runId: string): Promise<TracePlace> {
  return tracePlaceOf(await traceparentOfRun(read, runId), runId);
}

/** Emits the spans of a run when it has ended: those of its timeline. */
export function runTracer({ traces, database }: { traces: Traces; database: Database<ConversationTables> }) {
  const rowsOf = async (read: RunRowsReader, run: RunRow) => ({
    place: await placeOfRun(read, run.run_id),
    rows: await spanRowsOfRun(read, run),
  });
  const kept = new WeakMap<RunRow, Awaited<ReturnType<typeof rowsOf>>>();
  return {
    /** The rows of a stateless run go with its end. */
    plan: async (trx: WriteTransaction<unknown>, run: RunRow): Promise<void> => {
      if (run.delete_thread !== 0)
        kept.set(run, await rowsOf(trx as WriteTransaction<ConversationTables>, run));
    },
    ended: (run: RunRow): void => {
      traces.later(async () =>
        emitRun(run, { traces, ...(kept.get(run) ?? (await rowsOf(database.read, run))) }),
      );
    },
  };
}

function emitRun(
  run: RunRow,
  { traces, place, rows }: { traces: Traces; place: TracePlace; rows: readonly RunSpanRow[] },
): void {
  const { run_id: runId, thread_id: threadId, assistant_id: agent } = run;
  const { genai, content } = traces.settings;
  const runSpan = spanIdOf(runId);
  const endMs = Date.parse(run.ended_at ?? run.updated_at);
  const common = {
    'switchyard.run_id': runId,
    'switchyard.thread_id': threadId,
    ...(genai && { 'gen_ai.conversation.id': threadId }),
  };
  traces.emit({
    name: genai ? `invoke_agent ${agent}` : 'run',
    spanId: runSpan,
    place,
    startMs: Date.parse(run.created_at),
    endMs,
    attributes: {
      ...common,
      'switchyard.assistant': agent,
      'switchyard.status': run.status,
      ...(run.error_name !== null && { 'error.type': run.error_name }),
      ...(genai && { 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.agent.name': agent }),
      ...(content && contentOf(run)),
    },
    failed: run.status === 'error' || run.status === 'timeout',
  });
  const ids = idsOf(rows, runId);
  for (const row of rows) {
    const parentId = ids.get(row.parent_id ?? '') ?? runSpan;
    emitRow(row, {
      traces,
      spanId: ids.get(row.span_id) ?? spanIdOf(row.span_id),
      place: { ...place, parentId },
      endMs,
      common,
    });
  }
}

function emitRow(
  row: RunSpanRow,
  {
    traces,
    spanId,
    place,
    endMs,
    common,
  }: { traces: Traces; spanId: string; place: TracePlace; endMs: number; common: Record<string, string> },
): void {
  const { genai } = traces.settings;
  traces.emit({
    name: nameOf(row, genai),
    spanId,
    place,
    ...(row.kind === 'model' && { kind: 'client' as const }),
    startMs: Date.parse(row.started_at),
    endMs: row.ended_at === null ? endMs : Date.parse(row.ended_at),
    attributes: {
      ...common,
      'switchyard.span_id': row.span_id,
      'switchyard.attempt': row.attempt,
      ...(row.name !== null && { [`switchyard.${row.kind}`]: row.name }),
      ...(row.task_id !== null && { 'switchyard.task_id': row.task_id }),
      ...(row.tool_call_id !== null && { 'switchyard.tool_call_id': row.tool_call_id }),
      ...(genai && genaiOf(row)),
    },
    failed: row.state === 'error',
  });
}

/** A call that began again after a crash is a further span; what the first one asked for stays below that. */
function idsOf(rows: readonly RunSpanRow[], runId: string): Map<string, string> {
  const ids = new Map<string, string>();
  const taken = new Set<string>();
  for (const { span_id: id, tool_call_id: call } of rows) {
    const ofCall = call === null || taken.has(call) ? null : spanIdOfCall(runId, call);
    if (call !== null) taken.add(call);
    ids.set(id, ofCall ?? spanIdOf(id));
  }
  return ids;
}

function nameOf({ kind, name }: RunSpanRow, genai: boolean): string {
  if (!genai) return kind;
  const operation = kind === 'model' ? 'chat' : kind === 'tool' ? 'execute_tool' : 'invoke_agent';
  return name === null ? operation : `${operation} ${name}`;
}

/** Names of OpenTelemetry's conventions for generative AI. */
function genaiOf({ kind, name, tool_call_id: call, usage }: RunSpanRow): Record<string, string | number> {
  if (kind === 'tool')
    return {
      'gen_ai.operation.name': 'execute_tool',
      ...(name !== null && { 'gen_ai.tool.name': name }),
      ...(call !== null && { 'gen_ai.tool.call.id': call }),
    };
  if (kind === 'subagent')
    return {
      'gen_ai.operation.name': 'invoke_agent',
      ...(name !== null && { 'gen_ai.agent.name': name }),
    };
  const used = Object.values(JSON.parse(usage ?? '{}') as Record<string, ModelUsage>);
  const sum = (of: (each: ModelUsage) => number) => used.reduce((total, each) => total + of(each), 0);
  return {
    'gen_ai.operation.name': 'chat',
    ...(name !== null && { 'gen_ai.request.model': name, 'gen_ai.response.model': name }),
    ...(used.length > 0 && {
      'gen_ai.usage.input_tokens': sum((each) => each.input_tokens),
      'gen_ai.usage.output_tokens': sum((each) => each.output_tokens),
    }),
  };
}

/** The question and the answer of a run, cut as its row has them. */
function contentOf({ first_human_message: question, last_ai_message: answer }: RunRow) {
  const message = (role: string, content: string) =>
    JSON.stringify([{ role, parts: [{ type: 'text', content }] }]);
  return {
    ...(question !== null && { 'gen_ai.input.messages': message('user', question) }),
    ...(answer !== null && { 'gen_ai.output.messages': message('assistant', answer) }),
  };
}
