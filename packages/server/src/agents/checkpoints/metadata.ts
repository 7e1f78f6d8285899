import type { RunnableConfig } from '@langchain/core/runnables';
import { EXCLUDED_METADATA_KEYS } from '@langchain/langgraph-checkpoint';
import { encode, type Json } from './encode.ts';

/** Returns what came with the run, which LangGraph leaves to the checkpointer, without LangGraph's own book-keeping. */
export function runMetadata({ metadata = {} }: RunnableConfig): Record<string, unknown> {
  const entries = Object.entries(metadata).filter(
    ([key]) => !key.startsWith('__') && !EXCLUDED_METADATA_KEYS.has(key),
  );
  return Object.fromEntries(entries);
}

export function runIdIn({ run_id: runId }: Record<string, unknown>): string | null {
  return typeof runId === 'string' ? runId : null;
}

/**
 * Returns the form that is stored and searched. A single row with U+0000 would make Postgres refuse every search of its thread.
 */
export function metadataText(metadata: Record<string, unknown>): string {
  const encoded = encode(metadata);
  const text = JSON.stringify(encoded);
  return text.includes(escapedNul) ? JSON.stringify(withoutNul(encoded)) : text;
}

const escapedNul = String.raw`\u0000`;

function withoutNul(json: Json): Json {
  if (typeof json === 'string') return json.replaceAll('\0', '\ufffd');
  if (Array.isArray(json)) return json.map(withoutNul);
  if (typeof json !== 'object' || json === null) return json;
  const entries = Object.entries(json).map(([key, value]) => [
    key.replaceAll('\0', '\ufffd'),
    withoutNul(value),
  ]);
  return Object.fromEntries(entries);
}
