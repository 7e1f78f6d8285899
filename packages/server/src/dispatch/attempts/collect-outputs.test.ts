import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { collectOutputs } from './collect-outputs.ts';

const file = { nodeId: '1', filename: 'a.png', subfolder: '', folder: 'output' } as const;

test('an output that cannot be stored is closed, although nothing of it was read', async () => {
  const body = new PassThrough();
  const collecting = collectOutputs({
    client: { pullOutput: async () => ({ contentType: 'image/png', sizeBytes: null, body }) },
    result: { end: 'succeeded', error: null, files: [file], texts: [], cachedNodes: [], rejected: 0 },
    images: [],
    imageNodes: [],
    texts: [],
    asNamedByUser: (text) => text,
    keep: async (source) => {
      source.destroy();
      throw new Error('The disk is full.');
    },
    maxOutputBytes: 1_000,
    signal: new AbortController().signal,
  });
  await expect(collecting).rejects.toThrow('The disk is full.');
  expect(body.destroyed).toBe(true);
});
