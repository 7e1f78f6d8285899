import { Readable } from 'node:stream';
import { type LinkedAbort, linkedAbort } from '../../lib/async/linked-abort.ts';
import { withStream } from '../../lib/async/with-stream.ts';
import { withPngTexts } from '../graphs/png-names.ts';
import type { StoredResult } from '../tasks/task-view.ts';
import {
  type ExecutionResult,
  type OutputFile,
  WorkerCallError,
  type WorkerClient,
} from '../worker-client/worker-client.ts';

/** An output whose bytes are on disk; its row is written together with the end of the task. */
export interface KeptOutput {
  fileId: string;
  filename: string;
  contentType: string;
  size: number;
  sha256: string;
  /** The size of a picture in pixels. */
  width: number | null;
  height: number | null;
  node: string;
  kind?: string;
  folder?: 'output' | 'temp';
}

export type OutputToKeep = Pick<KeptOutput, 'filename' | 'node' | 'kind' | 'folder'>;

export interface CollectOptions {
  client: Pick<WorkerClient, 'pullOutput'>;
  result: ExecutionResult;
  /** Images that came over the event socket; null for an image that could not be stored. */
  images: readonly { nodeId: string; kept: Promise<KeptOutput | null> }[];
  /**
   * The nodes that send such images: a node without any image has lost it, for instance through a restart of the
   * gateway.
   */
  imageNodes: readonly string[];
  /** Texts that came over the event socket; on most workers the history has them too. */
  texts: readonly { nodeId: string; text: string }[];
  /** Removes the prefix that the gateway put into the names of the files. */
  asNamedByUser: (text: string) => string;
  keep: (source: Readable, output: OutputToKeep) => Promise<KeptOutput>;
  maxOutputBytes: number;
  signal: AbortSignal;
}

export interface Collected {
  kept: KeptOutput[];
  stored: StoredResult;
  /** No output could be fetched, and part of them is gone: the execution was in vain. */
  isAllLost: boolean;
}

/**
 * The reason for which an output is missing: another execution would make again what is gone, but not an output that cannot be stored.
 */
type Missing = 'gone' | 'not_kept';

/** Further outputs of one execution are counted as missing and not fetched. */
const maxOutputs = 2_000;
const pulledAtOnce = 4;

/**
 * Fetches everything that an execution made from the worker. A file that the worker does not have is counted as
 * missing; a worker that cannot be reached is an error, since nothing is then known about its outputs.
 */
export async function collectOutputs(options: CollectOptions): Promise<Collected> {
  const { result, images, imageNodes } = options;
  const named = result.files.filter(({ folder }) => folder !== 'input');
  const wanted = named.slice(0, maxOutputs);
  const pulled = await pullAll(wanted, options);
  const sent = await Promise.all(images.map(async ({ kept }) => (await kept) ?? 'gone'));
  const silentNodes = imageNodes.filter((id) => !images.some(({ nodeId }) => nodeId === id));
  const all = [...pulled, ...sent];
  const kept = all.filter((output) => typeof output !== 'string');
  const texts = textsOf(options);
  const isAnyGone = silentNodes.length > 0 || all.includes('gone');
  return {
    kept,
    isAllLost: isAnyGone && kept.length === 0 && texts.length === 0,
    stored: {
      outputs: kept.map(({ fileId, filename, contentType, size, node, kind, folder }) => ({
        fileId,
        filename,
        contentType,
        size,
        node,
        ...(kind !== undefined && { kind }),
        ...(folder !== undefined && { folder }),
      })),
      texts,
      outputsReused: wanted.length > 0 && wanted.every(({ nodeId }) => result.cachedNodes.includes(nodeId)),
      outputsMissing:
        result.rejected + silentNodes.length + (named.length - wanted.length) + (all.length - kept.length),
    },
  };
}

/** The first file that cannot be fetched ends the other pulls as well: no further one begins, none goes on. */
async function pullAll(
  files: readonly OutputFile[],
  options: CollectOptions,
): Promise<(KeptOutput | Missing)[]> {
  const pulling = linkedAbort(options.signal);
  try {
    return await inTurns(files, pulling, (file) => pull(file, { ...options, signal: pulling.signal }));
  } finally {
    pulling.release();
  }
}

async function pull(file: OutputFile, options: CollectOptions): Promise<KeptOutput | Missing> {
  const { client, asNamedByUser, keep, maxOutputBytes, signal } = options;
  try {
    const output = await client.pullOutput(file, { maxBytes: maxOutputBytes, signal });
    if (!output) return 'gone';
    const named = {
      filename: asNamedByUser(file.filename),
      node: file.nodeId,
      ...(file.kind !== undefined && { kind: file.kind }),
      ...(file.folder !== 'input' && { folder: file.folder }),
    };
    return await withStream(output.body, (body) =>
      keep(Readable.from(withPngTexts(body, asNamedByUser)), named),
    );
  } catch (error) {
    if (error instanceof WorkerCallError && error.workerCause === 'too_large') return 'not_kept';
    throw error;
  }
}

function textsOf({ result, texts, asNamedByUser }: CollectOptions): StoredResult['texts'] {
  const fromHistory = new Set(result.texts.map(({ nodeId }) => nodeId));
  const all = [...result.texts, ...texts.filter(({ nodeId }) => !fromHistory.has(nodeId))];
  return all.map(({ nodeId, text }) => ({ node: nodeId, text: asNamedByUser(text) }));
}

/** Runs a few at a time, with results in the order of the items. The first error aborts the rest. */
async function inTurns<Item, Result>(
  items: readonly Item[],
  { signal, abort }: LinkedAbort,
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const rest = items.entries();
  const lane = async (): Promise<void> => {
    for (const [index, item] of rest) {
      signal.throwIfAborted();
      results[index] = await work(item);
    }
  };
  const lanes = Array.from({ length: Math.min(pulledAtOnce, items.length) }, () =>
    lane().catch((error: unknown) => {
      abort();
      throw error;
    }),
  );
  await Promise.all(lanes);
  return results;
}
