import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { readZip } from '../../../testing/read-zip.ts';
import { uniqueNames, type ZipEntry, zipStream } from './zip-archive-stream.ts';

const entry = (name: string, text: string): ZipEntry => ({
  name,
  sizeBytes: Buffer.byteLength(text),
  modifiedMs: Date.parse('2030-01-01T00:00:00.000Z'),
  open: async () => Readable.from([Buffer.from(text)]),
});

describe('a zip', () => {
  it('has each file whole, uncompressed, and the size that was announced', async () => {
    const { stream, sizeBytes } = zipStream([entry('a.txt', 'first'), entry('ä €.txt', ''), entry('c', 'x')]);
    const archive = await buffer(stream);
    expect(archive.length).toBe(sizeBytes);
    expect(await readZip(archive)).toEqual([
      { name: 'a.txt', content: 'first', isStored: true },
      { name: 'ä €.txt', content: '', isStored: true },
      { name: 'c', content: 'x', isStored: true },
    ]);
  });

  it('may be empty', async () => {
    const { stream, sizeBytes } = zipStream([]);
    const archive = await buffer(stream);
    expect([archive.length, await readZip(archive)]).toEqual([sizeBytes, []]);
  });

  it.each([300, 520, 600, 900, 3_000])('of %i files has the size that was announced', async (count) => {
    const entries = Array.from({ length: count }, (_, index) => entry(`picture-${index}.png`, String(index)));
    const { stream, sizeBytes } = zipStream(entries);
    const archive = await buffer(stream);
    expect(archive.length).toBe(sizeBytes);
    expect(await readZip(archive)).toHaveLength(count);
  });

  it('announces a size beyond 4 GB in the large format', () => {
    const huge = (name: string): ZipEntry => ({
      ...entry(name, ''),
      sizeBytes: 5_000_000_000,
      open: () => new Promise(() => undefined),
    });
    const { stream, sizeBytes } = zipStream([huge('a'), huge('b')]);
    expect(sizeBytes).toBeGreaterThan(10_000_000_000);
    stream.destroy();
  });

  it('reads no further than its reader, and one file at a time', async () => {
    let produced = 0;
    let opened = 0;
    const chunk = Buffer.alloc(65_536);
    const large = (name: string): ZipEntry => ({
      name,
      sizeBytes: 100 * chunk.length,
      modifiedMs: 0,
      open: async () => {
        opened += 1;
        return Readable.from(
          (function* () {
            for (let n = 0; n < 100; n += 1) {
              produced += chunk.length;
              yield chunk;
            }
          })(),
        );
      },
    });
    const { stream } = zipStream([large('a'), large('b')]);
    stream.read(1);
    for (let turn = 0; turn < 200; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    expect(opened).toBe(1);
    expect(produced).toBeLessThan(40 * chunk.length);
    const rest = await buffer(stream);
    expect([opened, rest.length > 200 * chunk.length - 1]).toEqual([2, true]);
  });

  it('closes the file that it reads when its reader goes away', async () => {
    const source = new Readable({ read: () => undefined });
    const { stream } = zipStream([{ ...entry('a', '12345'), open: async () => source }]);
    stream.resume();
    await new Promise((resolve) => setImmediate(resolve));
    stream.destroy();
    await expect.poll(() => source.destroyed).toBe(true);
  });

  it.each([
    ['cannot be opened', async () => Promise.reject(new Error('gone'))],
    ['breaks off', async () => Readable.from(broken())],
    ['has another length', async () => Readable.from([Buffer.from('123')])],
  ])('fails when a file %s, and never ends as if it were whole', async (_how, open) => {
    const { stream } = zipStream([{ ...entry('a', '12345'), open }]);
    await expect(buffer(stream)).rejects.toThrow();
  });
});

describe('names in a zip', () => {
  it('are unique, also where capital letters do not count', () => {
    expect(uniqueNames(['a.png', 'A.png', 'a.png', 'b', 'b', '.env', '.env'])).toEqual([
      'a.png',
      'A (2).png',
      'a (3).png',
      'b',
      'b (2)',
      '.env',
      '.env (2)',
    ]);
  });

  it('leave a name alone that looks like a copy', () => {
    expect(uniqueNames(['a.png', 'a.png', 'a (2).png'])).toEqual(['a.png', 'a (3).png', 'a (2).png']);
  });
});

async function* broken(): AsyncGenerator<Buffer> {
  yield Buffer.from('12');
  throw new Error('disk');
}
