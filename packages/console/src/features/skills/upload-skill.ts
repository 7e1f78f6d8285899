import { installSkill } from '@switchyard/contract/conversation/skill';
import { createThread, deleteThread } from '@switchyard/contract/conversation/threads';
import { gateway } from '../../lib/gateway.ts';
import { uploadToThread } from '../../lib/thread-files.ts';

/**
 * Skills are installed from the files of a thread, so the archive gets a thread for as long as that takes. The gateway leaves out
 * an upload whose name is not safe, and says no more; `unsafeName` is the message for that.
 */
export async function uploadSkill(archive: File, unsafeName: string): Promise<void> {
  const { thread_id } = await gateway.call(createThread, { body: {} });
  try {
    const [uploaded] = await uploadToThread(thread_id, [archive]);
    if (!uploaded) throw new Error(unsafeName);
    await gateway.call(installSkill, { body: { thread_id, path: uploaded.virtual_path } });
  } finally {
    await gateway.call(deleteThread, { params: { thread_id } });
  }
}
