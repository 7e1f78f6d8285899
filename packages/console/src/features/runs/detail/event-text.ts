import type { RunEvent } from '@switchyard/contract/conversation/run-event';
import { messageIn, textIn } from '../replay/stored-content.ts';

/** One line that says what an event is about. */
export function eventLine(event: RunEvent): string {
  const message = messageIn(event);
  const calls = message.toolCalls.map(({ name }) => name).join(', ');
  const about = textIn(event.metadata, 'tool_name') ?? textIn(event.metadata, 'model_name') ?? '';
  const parts = [about, message.text, calls, message.text === '' && calls === '' ? eventBody(event) : ''];
  return parts.filter(Boolean).join(' · ').slice(0, maxLine).replace(/\s+/g, ' ');
}

const maxLine = 300;

/** The content as text; what is not text is JSON. */
export function eventBody({ content, metadata }: RunEvent): string {
  if (typeof content === 'string' && content !== '') return content;
  if (content !== '' && content !== null && content !== undefined) return JSON.stringify(content, null, 2);
  return Object.keys(metadata).length === 0 ? '' : JSON.stringify(metadata, null, 2);
}

/** Returns the length of the content before it was cut for storage, in bytes; null when it is whole. */
export function bytesBeforeCut({ metadata }: RunEvent): number | null {
  const { content_truncated: isCut, original_byte_length: bytes } = metadata;
  return isCut === true && typeof bytes === 'number' ? bytes : null;
}
