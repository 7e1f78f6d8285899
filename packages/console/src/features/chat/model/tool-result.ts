import { messageText } from '@switchyard/client/conversation/message-list';
import type { StreamedMessage } from '@switchyard/contract/conversation/stream-frames';
import { isRecord } from '@switchyard/contract/is-record';

/** A file that a task made, as the result of its tool names it. */
export interface ResultFile {
  fileId: string;
  filename: string;
  contentType: string;
}

/** Returns null for the result of a tool that ran no task. */
export function taskIdIn(result: StreamedMessage): string | null {
  const { task_id: taskId, status } = jsonIn(result) ?? {};
  return typeof taskId === 'string' && status === 'completed' ? taskId : null;
}

/** The files in the result of a tool, for a task that the pool no longer has. */
export function filesIn(result: StreamedMessage | null): ResultFile[] {
  const { files } = (result && jsonIn(result)) ?? {};
  if (!Array.isArray(files)) return [];
  return files.flatMap((file: unknown) => {
    if (!isRecord(file) || typeof file.file_id !== 'string') return [];
    return { fileId: file.file_id, filename: String(file.filename), contentType: String(file.content_type) };
  });
}

function jsonIn(result: StreamedMessage): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(messageText(result));
    return isRecord(value) ? value : null;
  } catch {
    return null; // most tools answer plain text
  }
}
