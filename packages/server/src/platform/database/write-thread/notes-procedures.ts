import { threadId } from 'node:worker_threads';
import { AppError } from '../../../lib/app-error.ts';
import { Procedure } from '../procedure.ts';

export interface NoteTables {
  notes: { id: string; parent: string | null };
}

export const addNote = new Procedure<NoteTables, { id: string; parent?: string | null }, string>(
  'notes.add',
  async (trx, { id, parent = null }) => {
    await trx.insertInto('notes').values({ id, parent }).execute();
    return id;
  },
);

export const countNotes = new Procedure<NoteTables, null, number>('notes.count', async (trx) => {
  const rows = await trx.selectFrom('notes').select('id').execute();
  return rows.length;
});

export const refuse = new Procedure<NoteTables, 'app' | 'own' | 'text', never>(
  'notes.refuse',
  async (_, how) => {
    if (how === 'app') {
      const faults = [{ in: 'body' as const, path: ['name'], type: 'value_error', message: 'It is taken.' }];
      throw new AppError('thread_exists', { message: 'There is one.', faults });
    }
    if (how === 'own') throw Object.assign(new Error('lost it'), { name: 'ClaimLost' });
    return Promise.reject<never>('just a text');
  },
);

/** Not among those that the thread knows. */
export const unknown = new Procedure<NoteTables, null, null>('notes.unknown', async () => null);

export const whereAmI = new Procedure<NoteTables, null, number>('notes.where', async () => threadId);
