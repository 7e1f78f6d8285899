import { type FileHandle, mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { deflateRawSync } from 'node:zlib';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ZipFile } from 'yazl';
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

const files = (count: number, nameLength = 4) =>
  Array.from({ length: count }, (_, n) => ({
    name: `${n}`.padStart(nameLength, 'x'),
    content: Buffer.alloc(0),
    stored: true,
  }));

/** The bytes that are read of an archive until it is refused. */
function bytesUntilRefused(bytes: Buffer, reason: string): Promise<number> {
  return withArchive(bytes, async (file) => {
    let read = 0;
    const counting = new Proxy(file, {
      get: (target, name) => {
        const value = Reflect.get(target, name);
        if (typeof value !== 'function') return value;
        return async (...given: unknown[]) => {
          const answer = await value.apply(target, given);
          if (name === 'read') read += answer.bytesRead;
          return answer;
        };
      },
    });
    await expect(readZipDirectory(counting)).rejects.toThrow(reason);
    return read;
  });
}

test('as many files as the limit are listed', async () => {
  expect(await withArchive(zip(files(2_000)), readZipDirectory)).toHaveLength(2_000);
});

/** A record, its comment, and the records of Zip64 in front of it, as the library looks for them. */
const endBytes = 65_535 + 22 + 20;

test.each([
  ['many files', zip(files(60_000, 40))],
  ['a long directory of few files', zip(files(100, 20_000))],
])(
  'an archive with %s is refused by its end record, and its directory is not read',
  async (_what, archive) => {
    expect(archive.length).toBeGreaterThan(3 * megabyte);
    expect(await bytesUntilRefused(archive, 'it has too many files')).toBeLessThanOrEqual(endBytes);
  },
);

const many = files(60_000, 40);
const directoryOfMany = 60_000 * (46 + 40);
test.each([
  ['fewer files', { count: 10 }, 'it has too many files'],
  ['fewer files and a shorter directory', { count: 10, directoryBytes: 10 * 86 }, 'it is not a zip archive'],
  ['a shorter directory', { directoryBytes: 10 * 86, count: 2_000 }, 'it is not a zip archive'],
  [
    'fewer files than its directory has',
    { count: 10, directoryBytes: 2_000 * 86, directoryAt: 60_000 * 70 + directoryOfMany - 2_000 * 86 },
    'it is not a zip archive',
  ],
])('an end record that lies is refused after little work: %s', async (_what, claims, reason) => {
  const read = await bytesUntilRefused(zip(many, '', claims), reason);
  expect(read).toBeLessThanOrEqual(endBytes + 2_000 * 86);
});

test('an archive with the records of Zip64 is read', async () => {
  const written = new ZipFile();
  written.addBuffer(Buffer.from('hello'), 'a', { forceZip64Format: true });
  written.end({ forceZip64Format: true, comment: '' });
  expect(await unpacked(await buffer(written.outputStream))).toEqual([['a', Buffer.from('hello')]]);
});

test('a directory is read no further when the signal aborts', async () => {
  const signal = AbortSignal.abort(new Error('the client has gone'));
  await withArchive(zip(files(10)), (file) =>
    expect(readZipDirectory(file, signal)).rejects.toThrow('the client has gone'),
  );
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
