import { createMiddleware } from 'langchain';
import type { Log } from '../../lib/log.ts';
import { runHandleOf } from '../run-contract/run-handle.ts';
import { agentNameOf } from '../working-agent.ts';
import { textOrNothing } from './optional-text.ts';

/** Returns what an agent remembers about a user, or an empty text. A null name means the lead agent. */
export type MemoryOf = (userId: string, agentName: string | null) => Promise<string>;

/**
 * Tells the model what the run's agent remembers about its user. The memory is read for each call, so a change takes effect at
 * once, and it is never kept in the thread. A memory that cannot be read does not stop the run.
 */
export function rememberedContext(memoryOf: MemoryOf, log: Pick<Log, 'warn'>) {
  return createMiddleware({
    name: 'MemoryMiddleware',
    wrapModelCall: async (request, handler) => {
      const userId = runHandleOf(request.runtime)?.userId;
      if (userId === undefined) return handler(request);
      const reading = memoryOf(userId, agentNameOf(request.runtime));
      const remembered = await textOrNothing(
        reading,
        log,
        'A memory cannot be read; the run goes on without it',
      );
      if (remembered === '') return handler(request);
      return handler({ ...request, systemMessage: request.systemMessage.concat(`\n\n${remembered}`) });
    },
  });
}
