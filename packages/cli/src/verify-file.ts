import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { ReadableStream as NodeReadableStream } from 'node:stream/web';
import { type FileRecipe, getFileRecipe, makeFileAgain } from '@switchyard/contract/dispatch/recipe';
import type { TaskDetail } from '@switchyard/contract/dispatch/task';
import { haveSamePixels } from './compare-pictures.ts';
import { CommandError } from './exit-codes.ts';
import { taskFailure } from './task-failure.ts';
import { nodesOf } from './task-nodes.ts';
import { cancelTasks, type RunContext, waitForTasks } from './workflow-run.ts';

export const verdicts = {
  same_bytes: 'same bytes',
  same_pixels: 'same pixels',
  differs: 'differs',
} as const;

export interface Verification {
  verdict: keyof typeof verdicts;
  /** The task that made the file again. */
  taskId: string;
  fileId: string;
  /** The worker that made it again: its name and its address. */
  worker: string;
  nodes: number;
  /** The titles of the nodes whose results the worker still had, so that it did not make them again. */
  cached: string[];
}

/** A picture that is larger stays undecoded and counts as different. */
const maxPictureBytes = 200_000_000;

/** Makes the file again with the same seeds, and compares what came out of the same place of the graph. */
export async function verifyFile(
  recipe: FileRecipe,
  { on, ...context }: RunContext & { on?: string | undefined },
): Promise<Verification> {
  const { client } = context;
  const task = await makeAgain(recipe.fileId, on, context);
  const fileId = sameOutput(task, recipe.task);
  const made = await client.call(getFileRecipe, { params: { fileId } });
  const worker = `${made.worker?.name ?? 'a worker'} (${task.instanceId})`;
  const verdict = await compare(recipe, made, context);
  const { items, folded } = await nodesOf(client, task.id);
  const ofRun = items.filter(({ attempt }) => attempt === task.attempt);
  const more = folded
    .filter(({ attempt }) => attempt === task.attempt)
    .reduce((sum, { count }) => sum + count, 0);
  const cached = ofRun.filter((node) => node.cached).map(({ title }) => title);
  return { verdict, taskId: task.id, fileId, worker, nodes: ofRun.length + more, cached };
}

async function makeAgain(fileId: string, on: string | undefined, context: RunContext): Promise<TaskDetail> {
  const { client, signal } = context;
  signal.throwIfAborted();
  const submitted = await client.call(makeFileAgain, {
    params: { fileId },
    headers: { 'idempotency-key': crypto.randomUUID() },
    body: { seed: 'same', ...(on !== undefined && { targetInstanceId: on }) },
  });
  try {
    const [ended] = await waitForTasks([submitted], undefined, context);
    const failure = ended && taskFailure([ended.task]);
    if (failure) throw failure;
    return ended?.task ?? submitted;
  } catch (error) {
    if (signal.aborted) await cancelTasks([submitted], context);
    throw error;
  }
}

/** The output of the same node at the same place. */
function sameOutput({ id, result }: TaskDetail, before: FileRecipe['task']): string {
  const ofNode = (result?.outputs ?? []).filter(({ node }) => node === before?.node);
  const output = ofNode[before?.nodeOutput ?? 0];
  if (output) return output.fileId;
  throw new CommandError(
    'failed',
    `Task ${id} made no file at node ${before?.node}, so there is nothing to compare.`,
  );
}

async function compare(
  before: FileRecipe,
  after: FileRecipe,
  context: RunContext,
): Promise<Verification['verdict']> {
  if (before.sha256 === after.sha256) return 'same_bytes';
  const pictures = [before, after];
  if (
    !pictures.every(({ contentType, size }) => contentType.startsWith('image/') && size <= maxPictureBytes)
  ) {
    return 'differs';
  }
  const [left, right] = await Promise.all(pictures.map(({ fileId }) => load(fileId, context)));
  return left && right && (await haveSamePixels(left, right)) ? 'same_pixels' : 'differs';
}

async function load(fileId: string, { client, signal }: RunContext): Promise<Buffer> {
  const { stream } = await client.download(fileId, { signal });
  return buffer(Readable.fromWeb(stream as NodeReadableStream<Uint8Array>));
}
