import { type Clock, toIso } from '../lib/clock.ts';

export interface AdoptOrphanThreadsOptions {
  /** Threads with a saved state, in the order of their ids, behind this one. */
  threadIdsAfter: (after: string, limit: number) => Promise<string[]>;
  /** Of these, the ids that have no record and are not deleted. */
  unknownAmong: (threadIds: readonly string[]) => Promise<string[]>;
  /** Makes the record, where nobody else has made it meanwhile. */
  adopt: (thread: { threadId: string; userId: string; at: string }) => Promise<void>;
  adminId: string;
  clock: Clock;
}

const pageSize = 500;

/**
 * Gives threads that only the agent runtime's store knows to the administrator: nobody else could be told from a
 * stranger. Records that are marked as shared are somebody's wish and stay as they are. Answers how many were adopted.
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
