import { type FileHandle, mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deflateRawSync } from 'node:zlib';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { zip } from '../../../test/support/zip.ts';
import { AppError } from '../../lib/app-error.ts';
import { openZipMember, readZipDirectory } from './zip-archive.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'switchyard-zip-'));
});
afterAll(() => rm(folder, { recursive: true }));

const megabyte = 1024 * 1024;

async function withArchive<Value>(bytes: Buffer, use: (file: FileHandle) => Promise<Value>): Promise<Value> {
  const path = join(folder, 'archive');
  await writeFile(path, bytes);
  const file = await open(path, 'r');
  try {
    return await use(file);
  } finally {
    await file.close();
  }
}

/** Name and content of each file. */
function unpacked(bytes: Buffer, maxBytes = megabyte): Promise<[string, Buffer][]> {
  return withArchive(bytes, async (file) => {
    const all: [string, Buffer][] = [];
    for (const member of await readZipDirectory(file)) {
      const chunks: Buffer[] = [];
      const content = await openZipMember(member, maxBytes);
      for await (const chunk of content()) chunks.push(chunk);
      all.push([member.name, Buffer.concat(chunks)]);
    }
    return all;
  });
}

test('an archive returns what was put in, packed or not, with names in any script', async () => {
  const entries = [
    { name: 'ä/漢字.txt', content: Buffer.from('text '.repeat(10_000)) },
    { name: 'stored', content: Buffer.from('as it is'), stored: true },
    { name: 'empty', content: Buffer.alloc(0), stored: true },
    { name: 'empty, packed', content: Buffer.alloc(0) },
  ];
  const expected = entries.map(({ name, content }) => [name, content]);
  expect(await unpacked(zip(entries))).toEqual(expected);
  expect(await unpacked(zip(entries, 'c'.repeat(65_535)))).toEqual(expected);
  expect(await unpacked(zip([]))).toEqual([]);
});

test('a bomb is unpacked no further than the size that the archive states', async () => {
  const bomb = zip([{ name: 'bomb', content: Buffer.alloc(64 * megabyte), claims: { sizeBytes: 100_000 } }]);
  expect(bomb.length).toBeLessThan(100_000);
  const read = await withArchive(bomb, async (file) => {
    const [member] = await readZipDirectory(file);
    if (!member) throw new Error('The archive is empty.');
    let bytes = 0;
    const content = await openZipMember(member, megabyte);
    const ended = (async () => {
      for await (const chunk of content()) bytes += chunk.length;
    })();
    await expect(ended).rejects.toMatchObject({ code: 'path_invalid' });
    return bytes;
  });
  expect(read).toBeLessThanOrEqual(100_000);
});

test('a file whose stated size is too large is refused before it is opened', async () => {
  const content = Buffer.alloc(megabyte + 1);
  await expect(unpacked(zip([{ name: 'a', content }]))).rejects.toMatchObject({ code: 'file_too_large' });
  const packedLarger = zip([{ name: 'a', content, stored: true, claims: { sizeBytes: 1 } }]);
  await expect(unpacked(packedLarger)).rejects.toMatchObject({ code: 'file_too_large' });
});

test('a directory of many files is refused by its length', async () => {
  const many = Array.from({ length: 20_000 }, (_, n) => ({
    name: `${n}${'x'.repeat(200)}`,
    content: Buffer.alloc(0),
    stored: true,
  }));
  await expect(unpacked(zip(many))).rejects.toThrow('it has too many files');
});

test('archives with any bytes changed are either read or refused with a sentence', async () => {
  const whole = zip([
    { name: 'a.txt', content: Buffer.from('hello '.repeat(50)) },
    { name: 'b.txt', content: Buffer.from('world'), stored: true },
  ]);
  const change = fc.tuple(fc.nat(whole.length - 1), fc.integer({ min: 0, max: 255 }));
  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 6 }), fc.nat(20), async (changes, cut) => {
      const bytes = Buffer.from(whole);
      for (const [at, value] of changes) bytes[at] = value;
      const outcome = await unpacked(bytes.subarray(0, bytes.length - (cut > 10 ? cut : 0))).catch(
        (error: unknown) => error,
      );
      if (!Array.isArray(outcome)) expect(outcome).toBeInstanceOf(AppError);
    }),
    { numRuns: 200 },
  );
});

test('bytes after the end of a packed file are not part of it', async () => {
  const content = Buffer.from('hello');
  const packed = deflateRawSync(content);
  const archive = zip([{ name: 'a', content }]);
  expect(archive.includes(packed)).toBe(true);
  expect(await unpacked(archive)).toEqual([['a', content]]);
});
