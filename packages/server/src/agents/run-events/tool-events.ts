import { isRecord } from '../../lib/is-record.ts';

/** Returns what a frame of the mode `tools` says in the words of the second protocol; null when it says nothing to it. */
export function toolEvent(frame: unknown): Record<string, unknown> | null {
  if (!isRecord(frame)) return null;
  const { event, toolCallId, name, input, data, output, error } = frame;
  const call = { tool_call_id: typeof toolCallId === 'string' ? toolCallId : '' };
  switch (event) {
    case 'on_tool_start':
      return { event: 'tool-started', ...call, tool_name: String(name ?? 'unknown'), input };
    case 'on_tool_event':
      return {
        event: 'tool-output-delta',
        ...call,
        delta: typeof data === 'string' ? data : JSON.stringify(data ?? ''),
      };
    case 'on_tool_end':
      return { event: 'tool-finished', ...call, output };
    case 'on_tool_error':
      return { event: 'tool-error', ...call, message: messageOf(error) };
    default:
      return null;
  }
}

function messageOf(error: unknown): string {
  if (isRecord(error) && typeof error.message === 'string') return error.message;
  return typeof error === 'string' ? error : JSON.stringify(error ?? 'The tool failed.');
}
