import type { AnswerVersion } from '@switchyard/contract/conversation/answers';
import type { RunCreate } from '@switchyard/contract/conversation/run';
import { copyThread, readHistory } from '@switchyard/contract/conversation/threads';
import { branchThread } from '@switchyard/contract/conversation/turns';
import { gateway } from '../../../lib/gateway.ts';
import { beginningOf } from '../model/checkpoints.ts';
import type { Turn } from '../model/turn.ts';

/** Long runs save many states; the beginning of one lies within this many of its newest. */
const perPage = 200;
const maxPages = 10;

/** Says where another version of an answer begins: in the state that its run began with. */
export async function versionOf(threadId: string, runId: string): Promise<RunCreate> {
  const checkpoint = await checkpointBefore(threadId, runId);
  return {
    checkpoint_id: checkpoint,
    metadata: { regenerate_from_run_id: runId, replay_kind: 'version' },
  };
}

/** Says that a run goes on from an older version of the conversation. A version without a stored state can only be read. */
export function goingOnFrom({ checkpoint_id, last_run_id }: AnswerVersion): RunCreate {
  if (checkpoint_id === null)
    throw new Error(
      'This version has no stored state to go on from. Show the newest version and send there.',
    );
  return { checkpoint_id, metadata: { continue_from_run_id: last_run_id } };
}

/** Makes a conversation that goes on from the older version which ends with this turn. */
export async function branchVersion(
  threadId: string,
  { answerId }: Turn,
  version: AnswerVersion,
): Promise<string> {
  const { thread_id: branch } = await gateway.call(branchThread, {
    params: { thread_id: threadId },
    body: { message_id: answerId ?? '', run_id: version.run_id },
  });
  return branch;
}

/** Makes a copy of the thread, which goes its own way. */
export async function copyConversation(threadId: string): Promise<string> {
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
