import type { MultitaskStrategy, RunCreate } from '@switchyard/contract/conversation/run';
import { AppError } from '../../lib/app-error.ts';
import { type Clock, toIso } from '../../lib/clock.ts';
import type { Database, WriteTransaction } from '../../platform/database/database.ts';
import type { ResolvedAgent } from '../agent/agents.ts';
import type { ConversationTables, RunRow } from '../tables.ts';
import { threadNotFound } from '../threads/thread.ts';
import { withoutReserved } from '../threads/thread-metadata.ts';
import { createIfMissing, nextAdmission, setBusy } from '../threads/thread-store.ts';
import { decideCancel } from './run.ts';
import { requestCancel } from './run-claim-store.ts';
import type { RunEnding, WrittenEnd } from './run-ending.ts';
import { type RunKwargs, refusal } from './run-request.ts';
import { insertRun, isRunOf, latestSuccess, lockRuns, openRuns } from './run-store.ts';

type Trx = WriteTransaction<ConversationTables>;

export interface NewRun {
  runId: string;
  userId: string;
  threadId: string;
  /** The thread is made where there is none; otherwise it has to be there. */
  createThread: boolean;
  /** 1: with the end of the run; 2: once its webhook has been called. */
  deleteThread: 0 | 1 | 2;
  agent: ResolvedAgent;
  assistantName: string;
  strategy: MultitaskStrategy;
  afterSeconds: number;
  followUpTo: RunCreate['follow_up_to_run_id'];
  webhook: string | null;
  kwargs: RunKwargs;
}

export interface AdmittedRun {
  run: RunRow;
  kwargs: string;
  /** Runs that had not begun and ended for this one. */
  ended: WrittenEnd[];
  /** Runs at work that are to stop for this one. */
  stopping: RunRow[];
}

interface RunAdmissionOptions {
  database: Database<ConversationTables>;
  ending: RunEnding;
  clock: Clock;
}

/** Takes runs in: what becomes of those that are there already, the new row, and the busy thread, in one unit. */
export class RunAdmission {
  readonly #options: RunAdmissionOptions;

  constructor(options: RunAdmissionOptions) {
    this.#options = options;
  }

  /** Where there is a worker that has room for it, and nothing before it in its thread, the run is claimed as it comes. */
  async admit(input: NewRun, workerId: string | null = null): Promise<AdmittedRun> {
    const { database, clock } = this.#options;
    const nowMs = clock();
    const at = toIso(nowMs);
    const kwargs = JSON.stringify(input.kwargs);
    return database.write(async (trx) => {
      await lockRuns(trx, database, input.threadId);
      const admission = await nextAdmission(trx, input.threadId);
      if (input.createThread) await this.#createThread(trx, input, at);
      const isFirst = admission === 1;
      const others = isFirst ? [] : await openRuns(trx, input.threadId);
      const made = await this.#makeRoom(trx, others, { ...input, at });
      const followUpTo = await followUpOf(trx, { ...input, isFirst });
      const stamp = stampOf(input);
      if (!(await setBusy(trx, input.threadId, { stamp, at }))) throw threadNotFound(input.threadId);
      const begins = workerId !== null && others.length === 0 && input.afterSeconds === 0;
      const row = rowOf(input, { admission, nowMs, at, followUpTo });
      const run = await insertRun(trx, begins ? { ...row, ...claimedBy(workerId, at) } : row, kwargs);
      return { run, kwargs, ...made };
    });
  }

  async #createThread(trx: Trx, input: NewRun, at: string): Promise<void> {
    const { userId, threadId, assistantName: assistantId, kwargs } = input;
    const metadata = { ...withoutReserved(kwargs.metadata), ...stampOf(input) };
    await createIfMissing(trx, { user: userId }, { threadId, assistantId, metadata, at });
  }

  async #makeRoom(
    trx: Trx,
    others: readonly RunRow[],
    { threadId, strategy, at }: { threadId: string; strategy: MultitaskStrategy; at: string },
  ): Promise<{ ended: WrittenEnd[]; stopping: RunRow[] }> {
    const ended: WrittenEnd[] = [];
    const stopping: RunRow[] = [];
    if (others.length === 0 || strategy === 'enqueue') return { ended, stopping };
    if (strategy === 'reject')
      throw new AppError('run_active', { message: `Thread ${threadId} already has an active run` });
    for (const other of others) {
      const end =
        decideCancel(other) === 'end_now' && (await this.#options.ending.endWaiting(trx, other, strategy));
      if (end) ended.push(end);
      else {
        await requestCancel(trx, { runId: other.run_id, action: strategy, at });
        stopping.push(other);
      }
    }
    return { ended, stopping };
  }
}

/** What search finds the thread by, in clients that look for the threads of an agent. */
function stampOf({ agent }: NewRun): { graph_id: string; assistant_id: string } {
  return { graph_id: agent.graphId, assistant_id: agent.assistantId };
}

async function followUpOf(
  trx: Trx,
  { followUpTo, threadId, userId, isFirst }: NewRun & { isFirst: boolean },
): Promise<string | null> {
  if (!followUpTo) return isFirst ? null : latestSuccess(trx, { threadId, userId });
  if (await isRunOf(trx, { threadId, userId, runId: followUpTo })) return followUpTo;
  throw refusal({
    path: ['follow_up_to_run_id'],
    type: 'value_error',
    message: 'Value error, it must be a run of this thread',
    input: followUpTo,
  });
}

/** As a claim leaves the row. */
function claimedBy(workerId: string, at: string) {
  return { status: 'running', attempt: 1, worker_id: workerId, started_at: at } as const;
}

function rowOf(
  input: NewRun,
  {
    admission,
    nowMs,
    at,
    followUpTo,
  }: { admission: number; nowMs: number; at: string; followUpTo: string | null },
): RunRow {
  return {
    run_id: input.runId,
    thread_id: input.threadId,
    user_id: input.userId,
    assistant_id: input.assistantName,
    graph_id: input.agent.graphId,
    status: 'pending',
    admission,
    multitask_strategy: input.strategy,
    metadata: JSON.stringify(input.kwargs.metadata),
    run_at: input.afterSeconds > 0 ? toIso(nowMs + input.afterSeconds * 1000) : null,
    cancel_action: null,
    cancel_requested_at: null,
    attempt: 0,
    worker_id: null,
    delete_thread: input.deleteThread,
    webhook: input.webhook,
    checkpoint_id: null,
    follow_up_to_run_id: followUpTo,
    model_name: null,
    error: null,
    error_name: null,
    stop_reason: null,
    message_count: 0,
    first_human_message: null,
    last_ai_message: null,
    llm_call_count: 0,
    total_input_tokens: 0,
    total_output_tokens: 0,
    total_tokens: 0,
    lead_agent_tokens: 0,
    subagent_tokens: 0,
    middleware_tokens: 0,
    unknown_tokens: 0,
    token_usage_by_model: '{}',
    created_at: at,
    updated_at: at,
    started_at: null,
    ended_at: null,
  };
}
