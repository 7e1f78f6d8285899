import type { SelectQueryBuilder } from 'kysely';
import type { Database, WriteTransaction } from '../../platform/database/database.ts';
import { isOneOf } from '../../platform/database/dialect.ts';
import type { DispatchTables, TaskRow } from '../tables.ts';
import { wasCancelled } from './task-list-store.ts';

/** The states of a prompt, as clients of ComfyUI ask for them. */
export const promptStates = ['pending', 'in_progress', 'completed', 'failed', 'cancelled'] as const;
export type PromptState = (typeof promptStates)[number];

export interface PromptPage {
  states: readonly PromptState[];
  /** Only this one. */
  taskId?: string | undefined;
  workflowId?: string | undefined;
  order: 'asc' | 'desc';
  limit: number;
  offset: number;
}

export type ListedPrompt = TaskRow & { promptId: string | null; workflowId: string | null };

/** Prompts beyond this number are not counted. A ComfyUI remembers as many. */
const maxCounted = 10_000;

/** The prompts of an account without those that it has taken out of its history. */
export class PromptListStore {
  readonly #database: Database<DispatchTables>;

  constructor(database: Database<DispatchTables>) {
    this.#database = database;
  }

  /** A page and how many prompts there are in all, at one moment. */
  async list(owner: string, page: PromptPage): Promise<{ rows: ListedPrompt[]; total: number }> {
    return this.#database.snapshot(async (frozen) => {
      const { read } = frozen;
      const cleared = await read
        .selectFrom('prompt_histories')
        .select('clearedAt')
        .where('owner', '=', owner)
        .executeTakeFirst();
      const { order, limit, offset } = page;
      const matching = this.#matching(frozen, { ...page, owner, clearedAt: cleared?.clearedAt ?? '' });
      const ids = matching.flatMap((ofStatus) => ofStatus(order, limit + offset) ?? []);
      const [first, ...others] = ids;
      if (!first) return { rows: [], total: 0 };
      const found = await others
        .reduce((all, next) => all.unionAll(next), first)
        .orderBy('id', order)
        .limit(limit)
        .offset(offset)
        .execute();
      const rows = await read
        .selectFrom('tasks')
        .leftJoin('task_prompts', 'task_prompts.taskId', 'tasks.id')
        .selectAll('tasks')
        .select(['task_prompts.promptId', 'task_prompts.workflowId'])
        .where(isOneOf(frozen.dialect, { column: 'tasks.id', values: found.map(({ id }) => id) }))
        .orderBy('tasks.id', order)
        .execute();
      let total = 0;
      for (const ofStatus of matching) {
        const { count } = await read
          .selectFrom(ofStatus('asc', maxCounted).as('matching'))
          .select((select) => select.fn.countAll<number>().as('count'))
          .executeTakeFirstOrThrow();
        total += Number(count);
      }
      return { rows, total };
    });
  }

  /** Hides these prompts of the owner from the lists. Returns when that is stored. */
  async hide(owner: string, tasks: readonly { id: string; promptId: string }[]): Promise<void> {
    if (tasks.length === 0) return;
    await this.#database.write(async (trx) => {
      for (const { id, promptId } of tasks) await hideOne(trx, { owner, taskId: id, promptId });
    });
  }

  /** Hides all that have ended until then. */
  async hideUntil(owner: string, clearedAt: string): Promise<void> {
    await this.#database.write((trx) =>
      trx
        .insertInto('prompt_histories')
        .values({ owner, clearedAt })
        .onConflict((conflict) => conflict.column('owner').doUpdateSet({ clearedAt }))
        .execute(),
    );
  }

  /** The ids of each status, each from its own range of an index. */
  #matching(
    { read, dialect }: Database<DispatchTables>,
    { owner, states, taskId, workflowId, clearedAt }: PromptPage & { owner: string; clearedAt: string },
  ) {
    const wants = (state: PromptState) => states.includes(state);
    const ofStatus = (status: TaskRow['status']) =>
      read
        .selectFrom('tasks')
        .leftJoin('task_prompts', 'task_prompts.taskId', 'tasks.id')
        .select('tasks.id')
        .where('tasks.owner', '=', owner)
        .where('tasks.status', '=', status)
        .$if(taskId !== undefined, (query) => query.where('tasks.id', '=', taskId ?? ''))
        .$if(workflowId !== undefined, (query) =>
          query.where('task_prompts.workflowId', '=', workflowId ?? ''),
        );
    // The status follows a moment after a worker has the prompt, and the phase goes before it.
    const open = (['pending', 'running'] as const)
      .filter(() => wants('pending') || wants('in_progress'))
      .map((status) =>
        ofStatus(status)
          .$if(!wants('in_progress'), (query) => query.where('tasks.phase', '=', 'queued'))
          .$if(!wants('pending'), (query) => query.where('tasks.phase', '!=', 'queued')),
      );
    const shown = (status: 'completed' | 'failed') =>
      ofStatus(status)
        .where('tasks.finishedAt', '>', clearedAt)
        .where((where) =>
          where.or([where('task_prompts.hidden', 'is', null), where('task_prompts.hidden', '=', 0)]),
        );
    // A prompt that was taken out of the queue before it ran leaves no trace in ComfyUI.
    const failed = shown('failed').where('tasks.startedAt', 'is not', null);
    const isCancelled = wasCancelled('tasks.error', dialect);
    const ended = [
      ...(wants('completed') ? [shown('completed')] : []),
      ...(wants('failed') && wants('cancelled') ? [failed] : []),
      ...(wants('cancelled') && !wants('failed') ? [failed.where(isCancelled)] : []),
      ...(wants('failed') && !wants('cancelled') ? [failed.where(({ not }) => not(isCancelled))] : []),
    ];
    return [...open, ...ended].map(
      (ids, index) => (order: 'asc' | 'desc', limit: number) =>
        read.selectFrom(ordered(ids, order, limit).as(`of_status_${index}`)).select('id'),
    );
  }
}

function ordered<Tables, From extends keyof Tables & string, Output>(
  ids: SelectQueryBuilder<Tables, From, Output>,
  order: 'asc' | 'desc',
  limit: number,
) {
  return ids.orderBy('tasks.id' as never, order).limit(limit);
}

async function hideOne(
  trx: WriteTransaction<DispatchTables>,
  { owner, taskId, promptId }: { owner: string; taskId: string; promptId: string },
): Promise<void> {
  await trx
    .insertInto('task_prompts')
    .values({ owner, taskId, promptId, clientId: null, workflowId: null, hidden: 1 })
    .onConflict((conflict) => conflict.column('taskId').doUpdateSet({ hidden: 1 }))
    .execute();
}
