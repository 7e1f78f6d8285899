import type { RunWhy } from '@switchyard/contract/conversation/run-why';
import { type Clock, toIso } from '../../lib/clock.ts';
import type { Owner } from '../../lib/owner.ts';
import type { ReadTogether } from '../../platform/database/snapshot.ts';
import { runNotFound } from '../journal/run-not-found.ts';
import type { RunSpanStore } from '../journal/run-span-store.ts';
import type { RunRow, ThreadRow } from '../tables.ts';
import type { ThreadAccess } from '../threads/thread-access.ts';
import { holdsUp } from './records/run.ts';
import type { RunStore } from './records/run-store.ts';

/** Returns why tasks of the pool wait, or where they run; tasks that have ended are left out. */
export type PoolWaits = (
  userId: string,
  taskIds: readonly string[],
) => Promise<{ taskId: string; waiting: string; isPending: boolean }[]>;

interface ReasonStores {
  store: Pick<RunStore, 'get' | 'openIn' | 'newestOf'>;
  spans: Pick<RunSpanStore, 'callers'>;
  access: Pick<ThreadAccess, 'require'>;
  /** Null when this gateway has no pool. */
  poolWaits: PoolWaits | null;
}

type Reason = Omit<RunWhy, 'run_id' | 'thread_id' | 'status' | 'started_at'>;

/** A run with more calls than this has only the first of them looked at. */
const maxCalls = 1_000;
const maxTasks = 20;
const notInLine = { position: null, ahead: null, starts_at: null, tasks: [] };

/** Answers what a run waits for. */
export class RunReasons {
  readonly #options;

  constructor(options: { together: ReadTogether<ReasonStores>; clock: Clock }) {
    this.#options = options;
  }

  async why(owner: Owner, name: { threadId: string; runId: string }): Promise<RunWhy> {
    return this.#options.together(async (stores) => {
      const thread = await stores.access.require(owner, name.threadId, { mustExist: false });
      const run = await stores.store.get(owner, name);
      if (!run) throw runNotFound(name.runId);
      const { run_id, thread_id, status, started_at } = run;
      return { run_id, thread_id, status, started_at, ...(await this.#reasonOf(run, { thread, stores })) };
    });
  }

  async #reasonOf(
    run: RunRow,
    { thread, stores }: { thread: ThreadRow | null; stores: ReasonStores },
  ): Promise<Reason> {
    if (run.ended_at !== null) return afterEnd(run, { thread, stores });
    if (run.worker_id !== null) return atWork(run, stores);
    return this.#inLine(run, await stores.store.openIn(run.thread_id));
  }

  #inLine(run: RunRow, open: readonly RunRow[]): Reason {
    const at = toIso(this.#options.clock());
    const ahead = open.filter((other) => holdsUp(other, run, at)).length;
    const isLater = run.run_at !== null && run.run_at > at;
    const place = { position: ahead + 1, ahead, starts_at: isLater ? run.run_at : null, tasks: [] };
    if (isLater) return { ...place, waits_for: 'time', waiting: `It starts no earlier than ${run.run_at}.` };
    if (ahead > 0) {
      const runs = ahead === 1 ? '1 run of its thread goes' : `${ahead} runs of its thread go`;
      return { ...place, waits_for: 'turn', waiting: `${runs} before it.` };
    }
    const what = run.attempt > 0 ? 'It was interrupted by a restart and is next' : 'It is next';
    const waiting = `${what} in its thread, and begins as soon as the gateway has room for one more run.`;
    return { ...place, waits_for: 'slot', waiting };
  }
}

async function atWork(run: RunRow, stores: ReasonStores): Promise<Reason> {
  const tasks = await tasksOf(run, stores);
  const shown = tasks.map(({ taskId, waiting }) => ({ task_id: taskId, waiting }));
  const pending = tasks.find(({ isPending }) => isPending);
  const waits_for = pending ? 'pool' : null;
  const waiting = pending
    ? `It is at work, and a task of it waits for a worker. ${pending.waiting}`
    : `It does not wait: it is at work${tasks.length > 0 ? ', and so are its tasks' : ''}.`;
  return { ...notInLine, tasks: shown, waits_for, waiting };
}

async function tasksOf(
  run: RunRow,
  { spans, poolWaits }: ReasonStores,
): Promise<Awaited<ReturnType<PoolWaits>>> {
  if (!poolWaits) return [];
  const name = { threadId: run.thread_id, runId: run.run_id };
  const calls = await spans.callers(name, { until: null, limit: maxCalls });
  const open = calls.filter(({ ended_at }) => ended_at === null);
  const taskIds = [...new Set(open.flatMap(({ task_id }) => task_id ?? []))];
  return taskIds.length === 0 ? [] : poolWaits(run.user_id, taskIds.slice(0, maxTasks));
}

async function afterEnd(
  run: RunRow,
  { thread, stores }: { thread: ThreadRow | null; stores: ReasonStores },
): Promise<Reason> {
  const newest = await stores.store.newestOf(run.thread_id);
  if (thread?.status === 'interrupted' && newest?.run_id === run.run_id) {
    const waiting = 'It has ended, and its thread waits for the answer of a human.';
    return { ...notInLine, waits_for: 'human', waiting };
  }
  const waiting = `It does not wait: it ended as ${run.status} at ${run.ended_at}.`;
  return { ...notInLine, waits_for: null, waiting };
}
