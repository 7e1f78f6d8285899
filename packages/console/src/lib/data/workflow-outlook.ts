import { foreseeWorkflow } from '@switchyard/contract/dispatch/workflow-outlook';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { gateway } from '../gateway.ts';
import { keys } from './keys.ts';

const refreshMs = 15_000;

/** Asks where a workflow could run with these values, how long it takes and what it costs. */
export function workflowOutlookQuery(workflowId: string, version: number, params: Record<string, unknown>) {
  return queryOptions({
    queryKey: [...keys.workflows, 'one', workflowId, 'outlook', version, params],
    queryFn: ({ signal }) =>
      gateway.call(foreseeWorkflow, { params: { workflowId }, body: { params, version }, signal }),
    placeholderData: keepPreviousData,
    refetchInterval: refreshMs,
  });
}
