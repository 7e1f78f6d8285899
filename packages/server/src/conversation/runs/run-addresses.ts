import type { Mount } from '@switchyard/contract/conversation/mounts';
import type { RunRow } from '../tables.ts';
import type { RunName } from './runs.ts';

type Named = Pick<RunRow, 'run_id' | 'thread_id'>;

/** Where a run is found: a whole path, from which clients read the ids. */
export function runHeaders(mount: Mount, run: Named): Record<string, string> {
  return { 'content-location': mount + pathOf(run), 'x-run-id': run.run_id };
}

/** Where to come back to: clients put their own base, which has the mount in it, before it. */
export function streamLocation(run: Named): string {
  return `${pathOf(run)}/stream`;
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
