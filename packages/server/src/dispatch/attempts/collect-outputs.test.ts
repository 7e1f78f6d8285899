import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { newDeferred } from '../../lib/async/deferred.ts';
import { type PulledOutput, WorkerCallError } from '../worker-client/worker-client.ts';
import { type CollectOptions, collectOutputs } from './collect-outputs.ts';

const file = { nodeId: '1', filename: 'a.png', subfolder: '', folder: 'output' } as const;

const options = {
  images: [],
  imageNodes: [],
  texts: [],
  asNamedByUser: (text: string) => text,
  keep: () => Promise.reject(new Error('The disk is full.')),
  maxOutputBytes: 1_000,
  signal: new AbortController().signal,
};
const resultWith = (files: CollectOptions['result']['files']) => ({
  end: 'succeeded' as const,
  error: null,
  files,
  texts: [],
  cachedNodes: [],
  rejected: 0,
});

test('an output that cannot be stored is closed, although nothing of it was read', async () => {
  const body = new PassThrough();
  const collecting = collectOutputs({
    ...options,
    client: { pullOutput: async () => ({ contentType: 'image/png', sizeBytes: null, body }) },
    result: resultWith([file]),
    keep: async (source) => {
      source.destroy();
      throw new Error('The disk is full.');
    },
  });
  await expect(collecting).rejects.toThrow('The disk is full.');
  expect(body.destroyed).toBe(true);
});

test('an output that cannot be fetched ends the fetching of all others', async () => {
  const pulls: { signal: AbortSignal | undefined }[] = [];
  const first = newDeferred<PulledOutput>();
  const collecting = collectOutputs({
    ...options,
    client: {
      pullOutput: (_file, { signal }) => {
        pulls.push({ signal });
        if (pulls.length === 1) return first.promise;
        return pulls.length > 4 ? Promise.resolve(null) : untilAborted(signal);
      },
    },
    result: resultWith(Array.from({ length: 2_000 }, () => file)),
  });
  await Promise.resolve();
  expect(pulls).toHaveLength(4);
  first.reject(new WorkerCallError('refused', 'It is gone.'));
  await expect(collecting).rejects.toThrow('It is gone.');
  await new Promise(setImmediate);
  expect(pulls).toHaveLength(4);
  expect(pulls.every(({ signal }) => signal?.aborted)).toBe(true);
});

test('a cancel ends the fetching of outputs, also where one was just missing', async () => {
  const cancel = new AbortController();
  let pulls = 0;
  const collecting = collectOutputs({
    ...options,
    signal: cancel.signal,
    client: {
      pullOutput: async () => {
        pulls += 1;
        if (pulls === 4) cancel.abort();
        return null;
      },
    },
    result: resultWith(Array.from({ length: 2_000 }, () => file)),
  });
  await expect(collecting).rejects.toMatchObject({ name: 'AbortError' });
  expect(pulls).toBe(4);
});

function untilAborted(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal?.addEventListener('abort', () => reject(new WorkerCallError('aborted', 'Not wanted.')));
  });
}
