import { readdirSync } from 'node:fs';
import { temporaryFolder } from '@switchyard/dev-env/temporary-folder';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { diskWithFile } from '../../../testing/disk-faults.ts';
import { nodeDisk } from './disk.ts';
import { FreeSpace } from './free-space.ts';

let folder: ReturnType<typeof temporaryFolder>;

beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => folder.remove());

/** A disk that accepts only this many more bytes. */
function diskWithRoom(room: { bytes: number }) {
  return diskWithFile((file) => {
    const write = file.write.bind(file) as (
      bytes: Uint8Array,
      from: number,
      length: number,
    ) => Promise<{ bytesWritten: number }>;
    return {
      write: async (bytes: Uint8Array, from: number, length: number) => {
        if (room.bytes === 0) throw Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' });
        const { bytesWritten } = await write(bytes, from, Math.min(length, room.bytes));
        room.bytes -= bytesWritten;
        return { bytesWritten };
      },
    };
  });
}

test('a disk that accepts only part of a write is full, and nothing is left behind', async () => {
  const room = { bytes: 1000 };
  const space = new FreeSpace({ folders: [folder.path], reserveBytes: 0, disk: diskWithRoom(room) });
  await expect(space.look()).rejects.toMatchObject({ code: 'ENOSPC' });
  expect(readdirSync(folder.path)).toEqual([]);
  room.bytes = 10_000_000;
  expect(await space.look()).toBe('ok');
  expect(readdirSync(folder.path)).toEqual([]);
});

test('each folder is checked', async () => {
  const elsewhere = `${folder.path}/absent`;
  const space = new FreeSpace({ folders: [folder.path, elsewhere], reserveBytes: 0, disk: nodeDisk });
  await expect(space.look()).rejects.toMatchObject({ code: 'ENOENT' });
});

test('less free space than the reserve is reported as low', async () => {
  const disk = { ...nodeDisk, freeBytes: async () => 99 };
  expect(await new FreeSpace({ folders: [folder.path], reserveBytes: 100, disk }).look()).toBe('low');
  expect(await new FreeSpace({ folders: [folder.path], reserveBytes: 99, disk }).look()).toBe('ok');
});
