import type { MultitaskStrategy, RunCreate } from '@switchyard/contract/conversation/run';
import { say } from '@switchyard/contract/sentences/sentences';
import type { ResolvedAgent } from '../../../agents/loading/agents.ts';
import { AppError } from '../../../lib/app-error.ts';
import { type Clock, toIso } from '../../../lib/clock.ts';
import { secondMs } from '../../../lib/time-units.ts';
import type { Database, WriteTransaction } from '../../../platform/database/database.ts';
import type { Lastly } from '../../../platform/database/unit.ts';
import type { ConversationTables, RunRow } from '../../tables.ts';
import { threadNotFound } from '../../threads/thread.ts';
import { type Metadata, withoutReserved } from '../../threads/thread-metadata.ts';
import { createIfMissing, nextAdmission, setBusy } from '../../threads/thread-store.ts';
import type { RunEnding, WrittenEnd } from '../ending/run-ending.ts';
import type { RunLine } from '../execution/run-line.ts';
import { decideCancel } from '../records/run.ts';
import { requestCancel } from '../records/run-claim-store.ts';
import { kwargsText } from '../records/run-kwargs.ts';
import { type RunKwargs, refusal } from '../records/run-request.ts';
import { insertsOfRun, isRunOf, latestSuccess, lockRuns, openRuns } from '../records/run-store.ts';
import { unstartedRun } from '../records/unstarted-run.ts';

type Trx = WriteTransaction<ConversationTables>;

export interface NewRun {
  runId: string;
  userId: string;
  threadId: string;
  /** The thread is created when it does not exist; otherwise it must exist. */
  createThread: boolean;
  /** 1: at the end of the run; 2: once its webhook has been called. */
  deleteThread: 0 | 1 | 2;
  /** The metadata of the thread as they were read; null when no thread was found. */
  knownMetadata: string | null;
  agent: ResolvedAgent;
  assistantName: string;
  /** The assistant of the next run that names none. */
  nextAssistant: string;
  strategy: MultitaskStrategy;
  afterSeconds: number;
  followUpTo: RunCreate['follow_up_to_run_id'];
  webhook: string | null;
  kwargs: RunKwargs;
}

export interface AdmittedRun {
  run: RunRow;
  kwargs: string;
  /** No other run of the thread holds it up, and it is due. */
  isNext: boolean;
  /** Runs that had not begun and were ended for this one. */
  ended: WrittenEnd[];
  /** Runs at work that have to stop for this one. */
  stopping: RunRow[];
}

/** The keys by which clients search for the threads of an agent. */
interface Stamp {
  graph_id: string;
  assistant_id: string;
}

/** Part of the unit that admits a run: whether a checkpoint of its thread is still there. */
export type HasCheckpoint = (
  trx: Trx,
  checkpoint: { threadId: string; namespace: string; id: string },
) => Promise<boolean>;

export interface RunAdmissionOptions {
  database: Database<ConversationTables>;
  hasCheckpoint: HasCheckpoint;
  ending: RunEnding;
  line: Pick<RunLine, 'waiting'>;
  /** The number of runs that may wait. */
  limits: { waiting: number; waitingPerUser: number };
  clock: Clock;
}

/** A run that is about to be admitted. */
interface RunToAdmit {
  /** Its place in the thread and the run that it follows are determined in the unit. */
  row: RunRow;
  kwargs: string;
  /** The metadata of the thread to create when it does not exist; null when it must exist. */
  newThread: Metadata | null;
  knownMetadata: string | null;
  stamp: Stamp;
  assistant: string;
  afterSeconds: number;
  followUpTo: NewRun['followUpTo'];
  /** The checkpoint that the run goes on from, when it is not the newest one. */
  checkpoint: Parameters<HasCheckpoint>[1] | null;
  /** The worker that begins it at once. */
  workerId: string | null;
}

/** Admits runs: the decision about existing runs, the new row, and the busy thread, in one unit. */
export class RunAdmission {
  readonly #options: RunAdmissionOptions;

  constructor(options: RunAdmissionOptions) {
    this.#options = options;
  }

  /** When a worker has room for the run and nothing is before it in its thread, the run is claimed as it is stored. */
  async admit(input: NewRun, workerId: string | null = null): Promise<AdmittedRun> {
    const { database, clock } = this.#options;
    const toAdmit = toAdmitOf(input, { nowMs: clock(), workerId });
    const admitted = await database.write((trx, lastly) => admit(trx, toAdmit, { ...this.#options, lastly }));
    return { ...admitted, kwargs: toAdmit.kwargs };
  }
}

async function admit(
  trx: Trx,
  toAdmit: RunToAdmit,
  {
    ending,
    hasCheckpoint,
    line,
    limits,
    lastly,
  }: Omit<RunAdmissionOptions, 'database' | 'clock'> & { lastly: Lastly },
): Promise<Omit<AdmittedRun, 'kwargs'>> {
  const { row, kwargs, stamp, assistant, knownMetadata, workerId } = toAdmit;
  const { thread_id: threadId, created_at: at } = row;
  const [, admission] = await Promise.all([lockRuns(trx, threadId), nextAdmission(trx, threadId)]);
  const { checkpoint } = toAdmit;
  // The thread may have been pruned since the request was checked.
  if (checkpoint && !(await hasCheckpoint(trx, checkpoint))) throw checkpointNotFound(checkpoint.id);
  if (toAdmit.newThread) await createThreadOf(trx, row, { metadata: toAdmit.newThread, lastly });
  const isFirst = admission === 1;
  const others = isFirst ? [] : await openRuns(trx, threadId);
  const made = await makeRoom(trx, others, { row, ending, lastly });
  const follow_up_to_run_id = await followUpOf(trx, toAdmit, { isFirst });
  const isNext = others.length === 0 && toAdmit.afterSeconds === 0;
  const claimed = isNext && workerId !== null ? claimedBy(workerId, at) : null;
  if (!claimed) await requireRoom(trx, row.user_id, { line, limits });
  const run = { ...row, admission, follow_up_to_run_id, ...claimed };
  lastly(...insertsOfRun(run, kwargs));
  if (!(await setBusy(trx, threadId, { stamp, assistant, knownMetadata, at, lastly })))
    throw threadNotFound(threadId);
  return { run, isNext, ...made };
}

/** A run that begins at once waits for none, so it is not counted. */
async function requireRoom(
  trx: Trx,
  userId: string,
  { line, limits }: Pick<RunAdmissionOptions, 'line' | 'limits'>,
): Promise<void> {
  const { ofAll, ofUser } = await line.waiting(userId, trx);
  if (ofAll < limits.waiting && ofUser < limits.waitingPerUser) return;
  throw new AppError('too_many_runs');
}

async function createThreadOf(
  trx: Trx,
  { user_id: user, thread_id: threadId, assistant_id: assistantId, created_at: at }: RunRow,
  { metadata, lastly }: { metadata: Metadata; lastly: Lastly },
): Promise<void> {
  await createIfMissing(trx, { user }, { threadId, assistantId, metadata, at, lastly });
}

async function makeRoom(
  trx: Trx,
  others: readonly RunRow[],
  { row, ending, lastly }: { row: RunRow; ending: Pick<RunEnding, 'endWaiting'>; lastly: Lastly },
): Promise<{ ended: WrittenEnd[]; stopping: RunRow[] }> {
  const ended: WrittenEnd[] = [];
  const stopping: RunRow[] = [];
  const { multitask_strategy: strategy, thread_id, created_at: at } = row;
  if (others.length === 0 || strategy === 'enqueue') return { ended, stopping };
  if (strategy === 'reject')
    throw new AppError('run_active', { message: say('thread_run_active', { threadId: thread_id }) });
  for (const other of others) {
    const end =
      decideCancel(other) === 'end_now' &&
      (await ending.endWaiting(trx, other, { action: strategy, lastly }));
    if (end) ended.push(end);
    else {
      await requestCancel(trx, { runId: other.run_id, action: strategy, at });
      stopping.push(other);
    }
  }
  return { ended, stopping };
}

function stampOf({ agent }: NewRun): Stamp {
  return { graph_id: agent.graphId, assistant_id: agent.assistantId };
}

async function followUpOf(
  trx: Trx,
  { followUpTo, row: { thread_id: threadId, user_id: userId } }: RunToAdmit,
  { isFirst }: { isFirst: boolean },
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

export function checkpointNotFound(id: string): AppError {
  return new AppError('checkpoint_not_found', { message: `Checkpoint ${id} not found` });
}

/** The same values as a claim writes. */
function claimedBy(workerId: string, at: string) {
  return { status: 'running', attempt: 1, worker_id: workerId, started_at: at } as const;
}

function toAdmitOf(
  input: NewRun,
  { nowMs, workerId }: { nowMs: number; workerId: string | null },
): RunToAdmit {
  const { kwargs, createThread, knownMetadata, nextAssistant, afterSeconds, followUpTo } = input;
  const stamp = stampOf(input);
  return {
    row: rowOf(input, nowMs),
    kwargs: kwargsText(kwargs),
    newThread: createThread ? { ...withoutReserved(kwargs.metadata), ...stamp } : null,
    knownMetadata,
    stamp,
    assistant: nextAssistant,
    afterSeconds,
    followUpTo,
    checkpoint: kwargs.checkpoint && {
      threadId: input.threadId,
      namespace: kwargs.checkpoint.checkpoint_ns ?? '',
      id: kwargs.checkpoint.checkpoint_id,
    },
    workerId,
  };
}

function rowOf(input: NewRun, nowMs: number): RunRow {
  const at = toIso(nowMs);
  return {
    ...unstartedRun,
    run_id: input.runId,
    thread_id: input.threadId,
    user_id: input.userId,
    assistant_id: input.assistantName,
    graph_id: input.agent.graphId,
    multitask_strategy: input.strategy,
    metadata: JSON.stringify(input.kwargs.metadata),
    run_at: input.afterSeconds > 0 ? toIso(nowMs + input.afterSeconds * secondMs) : null,
    delete_thread: input.deleteThread,
    webhook: input.webhook,
    created_at: at,
    updated_at: at,
  };
}
