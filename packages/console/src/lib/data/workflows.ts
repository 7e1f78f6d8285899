import { getWorkflow, listWorkflows, listWorkflowVersions } from '@switchyard/contract/dispatch/workflow';
import { queryOptions } from '@tanstack/react-query';
import { gateway } from '../gateway.ts';
import { keys } from './keys.ts';

export function workflowsQuery(page: { limit?: number; offset?: number } = {}) {
  return queryOptions({
    queryKey: [...keys.workflows, 'list', page],
    queryFn: ({ signal }) => gateway.call(listWorkflows, { query: { limit: 200, ...page }, signal }),
  });
}

export function workflowQuery(workflowId: string, version?: number) {
  return queryOptions({
    queryKey: [...keys.workflows, 'one', workflowId, { version }],
    queryFn: ({ signal }) =>
      gateway.call(getWorkflow, { params: { workflowId }, query: { version }, signal }),
  });
}

/** The versions that are kept, the newest first. */
export function workflowVersionsQuery(workflowId: string) {
  return queryOptions({
    queryKey: [...keys.workflows, 'one', workflowId, 'versions'],
    queryFn: ({ signal }) => gateway.call(listWorkflowVersions, { params: { workflowId }, signal }),
  });
}
