import type { Pause, QueuePause, QueueResume, QueueState } from '@switchyard/contract/dispatch/queue';
import type { Fault } from '@switchyard/contract/errors';
import { AppError } from '../../lib/app-error.ts';
import { toIso } from '../../lib/clock.ts';
import { nearest } from '../../lib/nearest.ts';
import type { Actor } from '../../platform/audit/audit.ts';
import type { DispatchParts } from '../dispatch-parts.ts';
import type { QueuePauseRow } from '../tables.ts';
import type { PauseKey, PauseStore } from './pause-store.ts';
import { keyOf, type Pauses } from './pauses.ts';

/** A user, and whether this request has the rights of an administrator. */
export interface QueueUser {
  userId: string;
  isAdmin: boolean;
}

/** Those of administrators. Users may have one more each, for their own tasks. */
const maxPauses = 1_000;

/** Pauses and resumes the queue, pools and the tasks of users. */
export class QueueControl {
  readonly #options;

  constructor(
    options: Pick<DispatchParts, 'events' | 'audit' | 'findUser' | 'clock'> & {
      store: PauseStore;
      pauses: Pauses;
      /** The tags of all servers. */
      knownPools: () => Promise<string[]>;
    },
  ) {
    this.#options = options;
  }

  state(user: QueueUser, { limit, cursor }: { limit: number; cursor: string | undefined }): QueueState {
    const { pauses } = this.#options;
    const after = cursor === undefined ? '' : Buffer.from(cursor, 'base64url').toString();
    const visible = pauses.list.filter((row) => keyOf(row) > after && maySee(user, row));
    const page = visible.slice(0, limit);
    const last = page.at(-1);
    const hasMore = visible.length > limit && last !== undefined;
    return {
      paused: pauses.whole !== null,
      pauses: page.map((row) => viewPause(row, user)),
      nextCursor: hasMore ? Buffer.from(keyOf(last)).toString('base64url') : null,
    };
  }

  async pause(
    user: QueueUser,
    { reason = null, ...asked }: Omit<QueuePause, 'reason'> & { reason?: string | null },
    actor: Actor,
  ): Promise<Pause> {
    const { store, audit, clock } = this.#options;
    const key = await this.#keyOf(user, asked, { isPause: true });
    const role = user.isAdmin ? 'administrator' : 'owner';
    const row: QueuePauseRow = { ...key, role, userId: user.userId, reason, since: toIso(clock()) };
    const alongside = audit.part(actor, {
      action: 'queue.paused',
      target: targetOf(key),
      details: { reason, by: role },
    });
    const stored = await store.put(row, { max: maxPauses, alongside });
    if (!stored) {
      const message = `There are ${maxPauses} pauses of administrators, as many as there may be. Lift one first.`;
      throw new AppError('pause_limit', { message });
    }
    await this.#applied('paused', stored);
    return viewPause(stored, user);
  }

  async resume(user: QueueUser, asked: QueueResume, actor: Actor): Promise<{ resumed: boolean }> {
    const { store, audit, pauses } = this.#options;
    const key = await this.#keyOf(user, asked, { isPause: false });
    const roles = user.isAdmin ? (['administrator', 'owner'] as const) : (['owner'] as const);
    const alongside = audit.part(actor, { action: 'queue.resumed', target: targetOf(key) });
    const lifted = await store.remove(key, { roles, alongside });
    for (const row of lifted) await this.#applied('resumed', row);
    const left = key.scope === 'user' ? pauses.ofOwner(key.target) : null;
    if (lifted.length === 0 && left !== null && !user.isAdmin) {
      const why = left.reason === null ? '' : ` The reason: ${left.reason}`;
      throw new AppError('admin_required', {
        message: `An administrator has paused your tasks, and only an administrator lifts that.${why}`,
      });
    }
    return { resumed: lifted.length > 0 };
  }

  async #applied(change: 'paused' | 'resumed', pause: QueuePauseRow): Promise<void> {
    await this.#options.pauses.load();
    this.#options.events.announce({ type: 'queue_changed', change, pause });
  }

  async #keyOf(
    user: QueueUser,
    { scope, target }: QueueResume,
    { isPause }: { isPause: boolean },
  ): Promise<PauseKey> {
    if (scope === 'user') return { scope, target: await this.#userOf(user, target, isPause) };
    if (!user.isAdmin) {
      throw new AppError('admin_required', {
        message:
          'Only administrators pause and resume the whole queue or a pool. Use scope user for your own tasks.',
      });
    }
    if (scope === 'all') {
      if (target !== undefined) throw faulty('Leave target out with scope all.');
      return { scope, target: '' };
    }
    if (target === undefined) throw faulty('Name the pool: the tag of a server.');
    // A pause outlives the servers of its pool, and has to be lifted then as well.
    if (isPause) await this.#requirePool(target);
    return { scope, target };
  }

  async #userOf(
    { userId, isAdmin }: QueueUser,
    target: string | undefined,
    isPause: boolean,
  ): Promise<string> {
    if (target === undefined || target === userId) return userId;
    if (!isAdmin) {
      const message = 'Only administrators pause and resume the tasks of another user. Leave target out.';
      throw new AppError('admin_required', { message });
    }
    const found = await this.#options.findUser(target);
    if (found) return found.userId;
    // A pause outlives the account of its user, and has to be lifted then as well.
    if (!isPause) return target;
    throw faulty('There is no account with this id or e-mail address.');
  }

  async #requirePool(pool: string): Promise<void> {
    const known = await this.#options.knownPools();
    if (known.includes(pool)) return;
    const meant = nearest(pool, known);
    const hint = meant === undefined ? 'GET /api/instances shows the tags.' : `Did you mean "${meant}"?`;
    throw faulty(`No server has the tag "${pool}". ${hint}`);
  }
}

function maySee({ userId, isAdmin }: QueueUser, { scope, target }: QueuePauseRow): boolean {
  return isAdmin || scope !== 'user' || target === userId;
}

/** Leaves out who paused, which only administrators see. */
export function showPause({ scope, target, role, since, reason }: QueuePauseRow): Omit<Pause, 'userId'> {
  return { scope, target: scope === 'all' ? null : target, by: role, since, reason };
}

function viewPause(row: QueuePauseRow, { isAdmin }: QueueUser): Pause {
  return { ...showPause(row), userId: isAdmin ? row.userId : null };
}

function targetOf({ scope, target }: PauseKey): readonly [kind: string, id: string] {
  return scope === 'all' ? ['queue', 'all'] : [scope, target];
}

function faulty(message: string): AppError {
  const fault: Fault = { in: 'body', path: ['target'], type: 'value_error', message };
  return new AppError('validation_failed', { faults: [fault] });
}
