import type { ErrorCode } from '@switchyard/contract/errors';
import type { FastifyRequest } from 'fastify';
import type { AppError } from '../../lib/app-error.ts';

const mount = '/api/langgraph/';
const beginsRun = /\/runs(\/stream|\/wait|\/batch)?$/;

interface Route {
  method: string;
  url: string;
}

/**
 * The words of LangGraph Platform for the same failures. Programs look for these words in an answer, so they stand in
 * one piece. Facts that Platform leaves out follow them: the id, or the next step.
 */

const ofIds: Partial<Record<ErrorCode, (id: string, route: Route) => string>> = {
  thread_not_found: (id, { method, url }) => {
    const sentence = `Thread with ID ${id} not found`;
    return method === 'POST' && beginsRun.test(url) ? `Thread or assistant not found. ${sentence}` : sentence;
  },
  run_not_found: (id) => `Run not found: ${id}`,
  assistant_not_found: (id, { url }) =>
    url.startsWith(`${mount}assistants`)
      ? `Assistant not found: ${id}`
      : `No assistant found for "${id}". Make sure the assistant ID is for a valid assistant or a valid graph ID.`,
};

const ofStates: Partial<Record<ErrorCode, (message: string) => string>> = {
  thread_busy: (message) => `Thread is busy. ${message}`,
  run_active: () =>
    'Thread is already running a task. Wait for it to finish or choose a different multitask strategy.',
};

/** Returns null for what Platform has no words for, and for every other mount. */
export function platformWords(
  { code, named, message }: AppError,
  { method, routeOptions: { url = '' } }: FastifyRequest,
): string | null {
  if (!url.startsWith(mount)) return null;
  if (named !== undefined) return ofIds[code]?.(named, { method, url }) ?? null;
  return ofStates[code]?.(message) ?? null;
}
