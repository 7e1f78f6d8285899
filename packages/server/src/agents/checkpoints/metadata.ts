import type { RunnableConfig } from '@langchain/core/runnables';
import { type CheckpointMetadata, EXCLUDED_METADATA_KEYS } from '@langchain/langgraph-checkpoint';
import type { Json } from '../../lib/json.ts';
import { storable } from '../../lib/storable-text.ts';
import { decode } from './decode.ts';
import { encode } from './encode.ts';
import type { CheckpointRow } from './tables.ts';

/** LangGraph notes with it, for services that trace runs, which library a run is from. Each checkpoint would repeat it. */
const tracingKey = 'ls_integration';

/** Returns what came with the run, which LangGraph leaves to the checkpointer, without LangGraph's own book-keeping. */
export function runMetadata({ metadata = {} }: RunnableConfig): Record<string, unknown> {
  const entries = Object.entries(metadata).filter(
    ([key]) => !key.startsWith('__') && !EXCLUDED_METADATA_KEYS.has(key) && key !== tracingKey,
  );
  return Object.fromEntries(entries);
}

export function runIdIn({ run_id: runId }: Record<string, unknown>): string | null {
  return typeof runId === 'string' ? runId : null;
}

/**
 * Returns the form that is stored and searched. The id of the run is left out, because it has a column of its own. A single row with
 * U+0000 or half a character would make Postgres refuse every search of its thread. Both leave `JSON.stringify` as escapes.
 */
export function metadataText(metadata: Record<string, unknown>): string {
  const { run_id: _runId, ...rest } = metadata;
  const encoded = encode(runIdIn(metadata) === null ? metadata : rest);
  const text = JSON.stringify(encoded);
  return text.includes('\\u') ? JSON.stringify(storableJson(encoded)) : text;
}

/** Returns what `metadataText` was given. Rows of earlier versions have the id of the run in the text as well. */
export function metadataOf({
  metadata,
  run_id: runId,
}: Pick<CheckpointRow, 'metadata' | 'run_id'>): CheckpointMetadata {
  const rest = decode(JSON.parse(metadata) as Json) as CheckpointMetadata;
  return runId === null ? rest : Object.assign(rest, { run_id: runId });
}

function storableJson(json: Json): Json {
  if (typeof json === 'string') return storable(json);
  if (Array.isArray(json)) return json.map(storableJson);
  if (typeof json !== 'object' || json === null) return json;
  const entries = Object.entries(json).map(([key, value]) => [storable(key), storableJson(value)]);
  return Object.fromEntries(entries);
}
