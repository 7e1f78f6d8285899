import { getMemory, type MemoryDocument } from '@switchyard/contract/conversation/memory';
import { queryOptions } from '@tanstack/react-query';
import { gateway } from '../../lib/gateway.ts';

export const memoryKey = ['memory'];

/** What is remembered for an agent; null is the lead agent. */
export function memoryQuery(agent: string | null) {
  return queryOptions({
    queryKey: [...memoryKey, { agent }],
    queryFn: ({ signal }): Promise<MemoryDocument> =>
      gateway.call(getMemory, { query: agentOf(agent), signal }),
  });
}

export function agentOf(agent: string | null): { agent?: string } {
  return agent === null ? {} : { agent };
}
