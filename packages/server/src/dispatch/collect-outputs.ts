import { Readable } from 'node:stream';
import type { StoredResult } from './task-view.ts';
import {
  type OutputFile,
  type RunResult,
  WorkerCallError,
  type WorkerClient,
} from './worker-client/worker-client.ts';

/** An output whose bytes are on disk; its row is written together with the end of the task. */
export interface KeptOutput {
  fileId: string;
  filename: string;
  contentType: string;
  size: number;
  sha256: string;
  node: string;
}

/** An image that came over the event socket and exists nowhere else. */
export interface SocketImage {
  nodeId: string;
  mediaType: string;
  bytes: Uint8Array;
}

export interface CollectOptions {
  client: Pick<WorkerClient, 'pullOutput'>;
  result: RunResult;
  images: readonly SocketImage[];
  /** Texts that came over the event socket; the history has them too on most workers. */
  texts: readonly { nodeId: string; text: string }[];
  keep: (
    source: Readable,
    output: { filename: string; contentType: string; node: string },
  ) => Promise<KeptOutput>;
  maxOutputBytes: number;
  signal: AbortSignal;
}

export interface Collected {
  kept: KeptOutput[];
  stored: StoredResult;
}

/** More than this many outputs of one run are counted as missing, not pulled. */
const mostOutputs = 2_000;
const pulledAtOnce = 4;

/**
 * Pulls everything that a run made off the worker. A file that the worker does not have is counted as missing; a worker
 * that cannot be asked any more is an error, for then nothing can be said about its outputs.
 */
export async function collectOutputs(options: CollectOptions): Promise<Collected> {
  const { result, images } = options;
  const named = result.files.filter(({ folder }) => folder !== 'input');
  const wanted = named.slice(0, mostOutputs);
  const pulled = await inTurns(wanted, pulledAtOnce, (file) => pull(file, options));
  const sent = await inTurns(images.slice(0, mostOutputs), pulledAtOnce, (image) =>
    options.keep(Readable.from([image.bytes]), {
      filename: `${image.nodeId}.${extensionOf(image.mediaType)}`,
      contentType: image.mediaType,
      node: image.nodeId,
    }),
  );
  const found = pulled.filter((output) => output !== null);
  const kept = [...found, ...sent];
  return {
    kept,
    stored: {
      outputs: kept.map(({ fileId, filename, contentType, size, node }) => ({
        fileId,
        filename,
        contentType,
        size,
        node,
      })),
      texts: textsOf(options),
      outputsReused: wanted.length > 0 && wanted.every(({ nodeId }) => result.cachedNodes.includes(nodeId)),
      outputsMissing: result.rejected + (named.length - wanted.length) + (pulled.length - found.length),
    },
  };
}

async function pull(file: OutputFile, options: CollectOptions): Promise<KeptOutput | null> {
  const { client, keep, maxOutputBytes, signal } = options;
  const output = await client.pullOutput(file, { maxBytes: maxOutputBytes, signal });
  if (!output) return null;
  try {
    return await keep(output.body, {
      filename: file.filename,
      contentType: output.contentType,
      node: file.nodeId,
    });
  } catch (error) {
    if (error instanceof WorkerCallError && error.workerCause === 'too_large') return null;
    throw error;
  }
}

function textsOf({ result, texts }: CollectOptions): StoredResult['texts'] {
  const fromHistory = new Set(result.texts.map(({ nodeId }) => nodeId));
  const all = [...result.texts, ...texts.filter(({ nodeId }) => !fromHistory.has(nodeId))];
  return all.map(({ nodeId, text }) => ({ node: nodeId, text }));
}

/** At most `width` at a time, results in the order of the items. The first error stops the taking of further items. */
async function inTurns<Item, Result>(
  items: readonly Item[],
  width: number,
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const rest = items.entries();
  const lane = async (): Promise<void> => {
    for (const [index, item] of rest) results[index] = await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(width, items.length) }, lane));
  return results;
}

function extensionOf(mediaType: string): string {
  const subtype = mediaType.slice(mediaType.indexOf('/') + 1);
  return /^[a-z0-9]{1,8}$/.test(subtype) ? subtype.replace('jpeg', 'jpg') : 'bin';
}
