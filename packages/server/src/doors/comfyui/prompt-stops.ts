import { isRecord } from '@switchyard/contract/is-record';
import type { Tasks } from '../../dispatch/intake/tasks.ts';
import type { TaskRow } from '../../dispatch/tables.ts';
import type { PromptListStore } from '../../dispatch/tasks/prompt-list-store.ts';
import { AppError } from '../../lib/app-error.ts';
import { type Clock, toIso } from '../../lib/clock.ts';
import { isWaiting, type PromptRecords } from './prompt-records.ts';

interface PromptStopsOptions {
  tasks: Pick<Tasks, 'cancel'>;
  records: Pick<PromptRecords, 'find' | 'open'>;
  promptLists: Pick<PromptListStore, 'hide' | 'hideUntil'>;
  clock: Clock;
}

type Stopper = Pick<Parameters<Tasks['cancel']>[0], 'origin'> & { userId: string };

/** Each prompt that one request names costs a look-up. */
const maxNamed = 1_000;

/** Stops prompts of an account. Those of others are unknown here, and a prompt that has ended stays as it is. */
export class PromptStops {
  readonly #options: PromptStopsOptions;

  constructor(options: PromptStopsOptions) {
    this.#options = options;
  }

  /** Stops the prompt that the body names if it runs, and otherwise all that run. */
  async interrupt(body: unknown, by: Stopper): Promise<void> {
    const promptId = isRecord(body) ? (body.prompt_id ?? null) : null;
    if (promptId !== null && typeof promptId !== 'string') throw malformed('prompt_id must be a text.');
    // An empty id is none, as in ComfyUI.
    if (promptId) return this.#stopNamed([promptId], (row) => !isWaiting(row), by);
    const { running } = await this.#options.records.open(by.userId);
    await this.#stopAll(running, by);
  }

  /** Takes prompts out of the queue: `{ clear: true }` all that wait, `{ delete: [ids] }` these. */
  async dequeue(body: unknown, by: Stopper): Promise<void> {
    if (!isRecord(body)) throw malformed('The body must be an object with clear or delete.');
    const { clear, delete: named } = body;
    if (clear === true) await this.#stopAll((await this.#options.records.open(by.userId)).waiting, by);
    await this.#stopNamed(idsIn(named), isWaiting, by);
  }

  /** Takes prompts that have ended out of the history: `{ clear: true }` all of them, `{ delete: [ids] }` these. */
  async forget(body: unknown, { userId }: Stopper): Promise<void> {
    if (!isRecord(body)) throw malformed('The body must be an object with clear or delete.');
    const { records, promptLists, clock } = this.#options;
    const named = idsIn(body.delete);
    if (body.clear === true) await promptLists.hideUntil(userId, toIso(clock()));
    const hidden: { id: string; promptId: string }[] = [];
    for (const promptId of new Set(named)) {
      const row = await records.find(userId, promptId);
      if (row?.phase === 'ended') hidden.push({ id: row.id, promptId });
    }
    await promptLists.hide(userId, hidden);
  }

  /** Returns the ids of those that waited or ran. */
  async stop(promptIds: readonly string[], by: Stopper): Promise<string[]> {
    const stopped: string[] = [];
    for (const promptId of new Set(promptIds)) {
      const row = await this.#options.records.find(by.userId, promptId);
      if (row && row.phase !== 'ended' && (await this.#stop(row.id, by))) stopped.push(promptId);
    }
    return stopped;
  }

  async #stopNamed(
    promptIds: readonly string[],
    isMeant: (row: TaskRow) => boolean,
    by: Stopper,
  ): Promise<void> {
    for (const promptId of new Set(promptIds)) {
      const row = await this.#options.records.find(by.userId, promptId);
      if (row && isMeant(row)) await this.#stop(row.id, by);
    }
  }

  async #stopAll(rows: readonly TaskRow[], by: Stopper): Promise<void> {
    for (const { id } of rows) await this.#stop(id, by);
  }

  /** Returns false when there was nothing to stop. */
  async #stop(taskId: string, { userId, origin }: Stopper): Promise<boolean> {
    try {
      await this.#options.tasks.cancel({ owner: { user: userId }, origin }, taskId);
      return true;
    } catch (error) {
      // It ended by itself, or is gone.
      if (!(error instanceof AppError) || !['task_finished', 'task_not_found'].includes(error.code))
        throw error;
      return false;
    }
  }
}

function idsIn(named: unknown = []): string[] {
  if (!Array.isArray(named) || !named.every((id) => typeof id === 'string'))
    throw malformed('delete must be a list of prompt ids.');
  if (named.length > maxNamed) throw malformed(`delete has more than ${maxNamed} ids.`);
  return named;
}

function malformed(message: string): AppError {
  return new AppError('body_malformed', { message });
}
