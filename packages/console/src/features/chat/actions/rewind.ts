import type { RunCreate } from '@switchyard/contract/conversation/run';
import { copyThread, readHistory } from '@switchyard/contract/conversation/threads';
import { gateway } from '../../../lib/gateway.ts';
import { beginningOf } from '../model/checkpoints.ts';

/** Long runs save many states; the beginning of one lies within this many of its newest. */
const perPage = 200;
const maxPages = 10;

/** Says where a run that replaces another begins: in the state that the other one began with. */
export async function replaceRun(
  threadId: string,
  runId: string,
  kind: 'edit' | 'regenerate',
): Promise<RunCreate> {
  const checkpoint = await checkpointBefore(threadId, runId);
  const marks = { regenerate_from_run_id: runId, ...(kind === 'edit' && { replay_kind: 'edit' }) };
  return { checkpoint_id: checkpoint, metadata: marks };
}

/** Makes a copy of the thread, which goes its own way. */
export async function branchThread(threadId: string): Promise<string> {
  const { thread_id: copy } = await gateway.call(copyThread, { params: { thread_id: threadId } });
  return copy;
}

async function checkpointBefore(threadId: string, runId: string): Promise<string> {
  let before: string | undefined;
  for (let page = 0; page < maxPages; page += 1) {
    const states = await gateway.call(readHistory, {
      params: { thread_id: threadId },
      body: { limit: perPage, ...(before !== undefined && { before }) },
    });
    const found = beginningOf(states, runId);
    if (found !== null) return found;
    before = states.at(-1)?.checkpoint_id ?? undefined;
    if (before === undefined) break;
  }
  throw new Error('The state before this answer is no longer stored, so it cannot be made again.');
}
