import { createMiddleware } from 'langchain';
import { agentNameOf } from '../agent-name.ts';
import { textOrNothing } from '../optional-text.ts';
import { runHandleOf } from '../run-handle.ts';

/** What an agent remembers about a user; null is the lead agent. Empty for nothing. */
export type MemoryOf = (userId: string, agentName: string | null) => Promise<string>;

/**
 * Tells the model what the run's agent remembers about its user. Read for each call, so that a changed memory counts at
 * once, and never kept in the thread. A memory that cannot be read does not stop the run.
 */
export function rememberedContext(memoryOf: MemoryOf, log: { warn(details: object, message: string): void }) {
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
