import { listAgents } from '@switchyard/contract/conversation/agents';
import { listModels } from '@switchyard/contract/conversation/model';
import { queryOptions } from '@tanstack/react-query';
import { gateway } from '../gateway.ts';

export function modelsQuery() {
  return queryOptions({
    queryKey: ['models'],
    queryFn: ({ signal }) => gateway.call(listModels, { signal }),
  });
}

/** The user's own agents. */
export function agentsQuery() {
  return queryOptions({
    queryKey: ['agents'],
    queryFn: ({ signal }) => gateway.call(listAgents, { signal }),
  });
}
