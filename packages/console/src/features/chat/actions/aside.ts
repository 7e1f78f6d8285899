import { patchThread } from '@switchyard/contract/conversation/threads';
import { branchThread } from '@switchyard/contract/conversation/turns';
import { asideMark } from '../../../lib/data/aside-mark.ts';
import { gateway } from '../../../lib/gateway.ts';

/** Makes a conversation of its own that begins after this answer. */
export async function beginAside(
  threadId: string,
  { messageId, title, runId }: { messageId: string; title: string; runId: string | undefined },
): Promise<string> {
  const { thread_id: asideId } = await gateway.call(branchThread, {
    params: { thread_id: threadId },
    body: { message_id: messageId, title, ...(runId !== undefined && { run_id: runId }) },
  });
  // It does not stand at the top of a list because its origin does.
  await patch(asideId, { [asideMark]: true, pinned: false });
  return asideId;
}

/** An aside without its mark is an ordinary conversation. */
export async function unmarkAside(threadId: string): Promise<void> {
  await patch(threadId, { [asideMark]: false });
}

async function patch(threadId: string, metadata: Record<string, boolean>): Promise<void> {
  await gateway.call(patchThread, { params: { thread_id: threadId }, body: { metadata } });
}
