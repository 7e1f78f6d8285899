import type { RunnableConfig } from '@langchain/core/runnables';
import { EXCLUDED_METADATA_KEYS } from '@langchain/langgraph-checkpoint';
import type { Json } from '../../lib/json.ts';
import { storable } from '../../lib/storable-text.ts';
import { encode } from './encode.ts';

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
 * Returns the form that is stored and searched. A single row with U+0000 or half a character would make Postgres refuse every search
 * of its thread. Both leave `JSON.stringify` as escapes.
 */
export function metadataText(metadata: Record<string, unknown>): string {
  const encoded = encode(metadata);
  const text = JSON.stringify(encoded);
  return text.includes('\\u') ? JSON.stringify(storableJson(encoded)) : text;
}

function storableJson(json: Json): Json {
  if (typeof json === 'string') return storable(json);
  if (Array.isArray(json)) return json.map(storableJson);
  if (typeof json !== 'object' || json === null) return json;
  const entries = Object.entries(json).map(([key, value]) => [storable(key), storableJson(value)]);
  return Object.fromEntries(entries);
}
