import type { Mount } from '@switchyard/contract/conversation/mounts';
import type { RunRow } from '../tables.ts';
import type { RunName } from './runs.ts';

type Named = Pick<RunRow, 'run_id' | 'thread_id'>;
type Streamed = Named & Pick<RunRow, 'delete_thread'>;

/** Returns where a run is found: a whole path, from which clients read the ids. */
export function runHeaders(mount: Mount, run: Named): Record<string, string> {
  return { 'content-location': mount + pathOf(run), 'x-run-id': run.run_id };
}

/**
 * Returns the headers by which a stream names its run. The address to come back to has no mount: clients put their own
 * base before it. A client of the Platform asks for a thread that is named, so a thread that is deleted with its run is
 * not named there.
 */
export function streamHeaders(mount: Mount, run: Streamed): Record<string, string> {
  if (mount === '/api/langgraph' && run.delete_thread !== 0)
    return { ...runHeaders(mount, run), 'content-location': `/runs/${run.run_id}` };
  return { ...runHeaders(mount, run), location: `${pathOf(run)}/stream` };
}

export function nameOf({ thread_id, run_id }: { thread_id: string; run_id: string }): RunName {
  return { threadId: thread_id, runId: run_id };
}

export function isOn(flag: string | undefined): boolean {
  return flag === '1' || flag === 'true';
}

function pathOf({ thread_id, run_id }: Named): string {
  return `/threads/${thread_id}/runs/${run_id}`;
}
