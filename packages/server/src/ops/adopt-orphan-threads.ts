import { type Clock, toIso } from '../lib/clock.ts';

export interface AdoptOrphanThreadsOptions {
  /** Returns ids of threads with a saved state that come after the given id, in order. */
  threadIdsAfter: (after: string, limit: number) => Promise<string[]>;
  /** Returns those of the given ids that have no record and are not deleted. */
  unknownAmong: (threadIds: readonly string[]) => Promise<string[]>;
  /** Creates the record, unless another process has created it in the meantime. */
  adopt: (thread: { threadId: string; userId: string; at: string }) => Promise<void>;
  adminId: string;
  clock: Clock;
}

const pageSize = 500;

/**
 * Gives the administrator the threads that only the agent runtime's store knows, because no other user can be told from
 * a stranger. Records that are marked as shared were shared on purpose and do not change. Returns how many threads were
 * adopted.
 */
export async function adoptOrphanThreads(options: AdoptOrphanThreadsOptions): Promise<number> {
  const { threadIdsAfter, unknownAmong, adopt, adminId, clock } = options;
  let adopted = 0;
  for (let after = ''; ; ) {
    const page = await threadIdsAfter(after, pageSize);
    for (const threadId of await unknownAmong(page)) {
      await adopt({ threadId, userId: adminId, at: toIso(clock()) });
      adopted += 1;
    }
    const last = page.at(-1);
    if (last === undefined || page.length < pageSize) return adopted;
    after = last;
  }
}
