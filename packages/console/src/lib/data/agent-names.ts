import { searchAssistants } from '@switchyard/contract/conversation/assistants';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { useCallback } from 'react';
import { gateway } from '../gateway.ts';

const isId = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const maxNames = 1_000;
const keptMs = 60_000;

const agentNamesQuery = queryOptions({
  queryKey: ['agents', 'names'],
  staleTime: keptMs,
  queryFn: async ({ signal }) => {
    const body = { limit: maxNames, select: ['assistant_id', 'name'] as const };
    const found = await gateway.call(searchAssistants, {
      body: { ...body, select: [...body.select] },
      signal,
    });
    return new Map(found.flatMap(({ assistant_id: id, name }) => (id && name ? [[id, name]] : [])));
  },
});

/**
 * Names agents that runs called by an id. One that is gone, or belongs to another user, keeps its id. The gateway is asked only
 * when there is an id among them.
 */
export function useAgentNames(agents: readonly (string | null)[]): (agent: string) => string {
  const enabled = agents.some((agent) => agent !== null && isId.test(agent));
  const { data } = useQuery({ ...agentNamesQuery, enabled });
  return useCallback((agent) => data?.get(agent) ?? agent, [data]);
}
