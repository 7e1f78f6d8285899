import { once } from 'node:events';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { withStream } from './with-stream.ts';

test('a stream that is not read is closed when its use is over', async () => {
  const source = Readable.from(['unread']);
  expect(await withStream(source, async () => 'refused')).toBe('refused');
  expect(source.destroyed).toBe(true);
});

test('a stream that breaks before its first read tells so to its reader, and does not end the process', async () => {
  const source = new Readable({ read: () => undefined });
  const reading = withStream(source, async () => {
    const closed = once(source, 'close');
    source.destroy(new Error('broken'));
    await closed;
    return text(source);
  });
  await expect(reading).rejects.toThrow('broken');
});
