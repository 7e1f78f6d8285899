import type { Assistant } from '@switchyard/contract/conversation/assistant';
import { getAssistantSchemas, searchAssistants } from '@switchyard/contract/conversation/assistants';
import { listGraphs } from '@switchyard/contract/conversation/graphs';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { useCallback } from 'react';
import { gateway } from '../gateway.ts';

const listed = ['assistant_id', 'graph_id', 'name', 'description', 'context', 'metadata'] as const;
export type ListedAssistant = Pick<Assistant, (typeof listed)[number]>;

const isId = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const maxListed = 1_000;
const keptMs = 60_000;

/** The built-in agent, which answers where nothing else is chosen. */
export const leadAgent = 'lead_agent';

/** Every agent that can be talked to: graphs that can be loaded, agents of the user, and assistants that they have made. */
export const assistantsQuery = queryOptions({
  queryKey: ['agents', 'assistants'],
  staleTime: keptMs,
  queryFn: async ({ signal }) => {
    const body = { limit: maxListed, select: [...listed] };
    return (await gateway.call(searchAssistants, { body, signal })) as ListedAssistant[];
  },
});

/** The graphs of the gateway, with those that it cannot load. */
export const graphsQuery = queryOptions({
  queryKey: ['agents', 'graphs'],
  queryFn: ({ signal }) => gateway.call(listGraphs, { signal }),
});

export function assistantSchemasQuery(assistantId: string) {
  return queryOptions({
    queryKey: ['agents', 'schemas', assistantId],
    staleTime: keptMs,
    queryFn: ({ signal }) =>
      gateway.call(getAssistantSchemas, { params: { assistant_id: assistantId }, signal }),
  });
}

/** Finds the assistant that a run or a thread names: by its id, or by the name of the graph whose own one it is. */
export function assistantNamed(
  assistants: readonly ListedAssistant[],
  named: string,
): ListedAssistant | undefined {
  const ofGraph = assistants.find(
    ({ graph_id, metadata }) => graph_id === named && metadata.created_by === 'system',
  );
  return ofGraph ?? assistants.find(({ assistant_id }) => assistant_id === named);
}

/**
 * Names agents that runs called by an id. One that is gone, or belongs to another user, keeps its id. The gateway is asked only
 * when there is an id among them.
 */
export function useAgentNames(agents: readonly (string | null)[]): (agent: string) => string {
  const enabled = agents.some((agent) => agent !== null && isId.test(agent));
  const { data } = useQuery({ ...assistantsQuery, enabled });
  return useCallback(
    (agent) => (isId.test(agent) ? assistantNamed(data ?? [], agent)?.name : undefined) ?? agent,
    [data],
  );
}
