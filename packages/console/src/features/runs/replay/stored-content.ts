import { messageText } from '@switchyard/client/conversation/message-list';
import type { RunEvent } from '@switchyard/contract/conversation/run-event';
import { isRecord } from '@switchyard/contract/is-record';

/** A message as it is stored in an event. Users' own graphs and imported files may hold anything, so nothing is trusted. */
export interface StoredMessage {
  id: string | null;
  text: string;
  simulated: boolean;
  toolCallId: string | null;
  isError: boolean;
  toolCalls: readonly { id: string; name: string; args: unknown }[];
}

export function messageIn({ content }: RunEvent): StoredMessage {
  const message = recordOf(content);
  const isText = typeof message.content === 'string' || Array.isArray(message.content);
  const calls = Array.isArray(message.tool_calls) ? message.tool_calls.map(recordOf) : [];
  return {
    id: textIn(message, 'id'),
    text: isText
      ? messageText({ content: message.content as never })
      : typeof content === 'string'
        ? content
        : '',
    simulated: recordOf(message.response_metadata).simulated === true,
    toolCallId: textIn(message, 'tool_call_id'),
    isError: message.status === 'error',
    toolCalls: calls.flatMap((call) => {
      const id = textIn(call, 'id');
      return id === null ? [] : [{ id, name: textIn(call, 'name') ?? '', args: call.args }];
    }),
  };
}

/** Returns the text that a sub-agent wrote in a step. */
export function stepTextIn(event: RunEvent): string {
  const inside = recordOf(event.content).message;
  return messageIn(inside === undefined ? event : { ...event, content: inside }).text;
}

/** The files that a finished task has made. */
export function filesIn({ metadata }: RunEvent): { fileId: string; filename: string; contentType: string }[] {
  const files = Array.isArray(metadata.files) ? metadata.files.map(recordOf) : [];
  return files.flatMap((file) => {
    const fileId = textIn(file, 'file_id');
    if (fileId === null) return [];
    const contentType = textIn(file, 'content_type') ?? 'application/octet-stream';
    return [{ fileId, filename: textIn(file, 'filename') ?? fileId, contentType }];
  });
}

export function textIn(record: unknown, name: string): string | null {
  const value = recordOf(record)[name];
  return typeof value === 'string' ? value : null;
}

function recordOf(value: unknown): Record<string, unknown> {
  return isRecord(value) ? value : {};
}
