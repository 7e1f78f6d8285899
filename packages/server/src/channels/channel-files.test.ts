import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { newDeferred } from '../lib/async/deferred.ts';
import { ingestFiles } from './channel-files.ts';

const image = { kind: 'image', filename: 'cat.png', ref: 'x' } as const;

test('a file that breaks off before its first read is named as failed, and does not end the process', async () => {
  const source = new Readable({ read: () => undefined });
  const closed = newDeferred();
  source.once('close', () => closed.resolve());
  const answer = ingestFiles([image], {
    channel: { maxFileBytes: 1_000, open: async () => source },
    uploads: {
      list: async () => [],
      add: async (_owner, _threadId, { parts }) => {
        source.destroy(new Error('The download was cut off.'));
        await closed.promise;
        for await (const part of parts) if (part.type === 'file') await part.file.toArray();
        throw new Error('It was read.');
      },
    },
    owner: { user: 'ada' },
    threadId: 't1',
    signal: new AbortController().signal,
  });
  expect(await answer).toEqual({ stored: [], failed: ['cat.png (it could not be fetched)'] });
});

test('a file that the thread refuses is let go of, although nothing was read of it', async () => {
  const source = new Readable({ read: () => undefined });
  await ingestFiles([image], {
    channel: { maxFileBytes: 1_000, open: async () => source },
    uploads: { list: async () => [], add: () => Promise.reject(new Error('no')) },
    owner: { user: 'ada' },
    threadId: 't1',
    signal: new AbortController().signal,
  });
  expect(source.destroyed).toBe(true);
});
