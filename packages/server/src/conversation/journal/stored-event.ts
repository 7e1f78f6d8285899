import type { RunEvent, RunEventCategory } from '@switchyard/contract/conversation/run-event';
import { originText } from '../../agents/run-contract/event-origin.ts';
import type { NewRunEvent } from '../../agents/run-contract/run-record.ts';
import { toIso } from '../../lib/clock.ts';
import { storable, wellFormed } from '../../lib/storable-text.ts';
import type { RunEventRow } from '../tables.ts';

/** An event as every backend stores it, without its run and its `seq`. Names are those of the table. */
export interface StoredEvent {
  event_type: string;
  category: RunEventCategory;
  content: string;
  metadata: string;
  origin: string | null;
  created_at: string;
}

/** The column holds 32 characters. */
const maxTypeLength = 32;

export function storedEvent(
  event: NewRunEvent,
  {
    at,
    maxTraceBytes,
  }: {
    at: number;
    /** The most bytes that the content of a trace event may take. */
    maxTraceBytes: number;
  },
): StoredEvent {
  const isText = typeof event.content === 'string';
  const text = isText ? storable(event.content as string) : (JSON.stringify(event.content) ?? 'null');
  const cut = event.category === 'trace' ? cutToBytes(text, maxTraceBytes) : undefined;
  const flags = cut
    ? { content_truncated: true, original_byte_length: cut.originalBytes }
    : !isText && { content_is_dict: true };
  return {
    event_type: wellFormed(event.event_type.slice(0, maxTypeLength)),
    category: event.category,
    content: cut?.text ?? text,
    metadata: JSON.stringify({ ...event.metadata, ...flags }),
    origin: originText(event.origin ?? null),
    created_at: toIso(at),
  };
}

/** An event as a reader gets it. The place in the graph where it was made is not shown. */
export function presentEvent(row: Omit<RunEventRow, 'origin'>): RunEvent {
  const { thread_id, run_id, user_id, event_type, category, seq, created_at } = row;
  const metadata = JSON.parse(row.metadata) as Record<string, unknown>;
  return {
    thread_id,
    run_id,
    user_id,
    event_type,
    category: category as RunEventCategory,
    content: readContent(row.content, metadata),
    metadata,
    seq,
    created_at,
  };
}

/** Content that is flagged as JSON but cannot be parsed is returned as plain text. */
function readContent(content: string, metadata: Record<string, unknown>): unknown {
  if (metadata.content_is_dict !== true) return content;
  try {
    return JSON.parse(content);
  } catch {
    return content;
  }
}

/** Returns undefined when nothing needs to be cut. Never cuts within a character. */
function cutToBytes(text: string, maxBytes: number): { text: string; originalBytes: number } | undefined {
  // A text takes at most three bytes for each code unit.
  if (text.length * 3 <= maxBytes) return undefined;
  const bytes = Buffer.from(text);
  if (bytes.length <= maxBytes) return undefined;
  let end = maxBytes;
  while (end > 0 && isContinuation(bytes[end])) end -= 1;
  return { text: bytes.toString('utf8', 0, end), originalBytes: bytes.length };
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0b1100_0000) === 0b1000_0000;
}
