import { createReadStream } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { bytesBetweenSockets } from '@switchyard/dev-env/bytes-between-sockets';
import { temporaryFolder } from '@switchyard/dev-env/temporary-folder';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../src/client.ts';
import { Site } from './support/site.ts';

let site: Site;
let client: Client;
const limitBytes = 1_000_000;

beforeAll(async () => {
  site = await Site.start({ config: { files: { max_upload: limitBytes } } });
  client = await site.admin();
});
afterAll(() => site.stop());

const bytes = (count: number) => Uint8Array.from({ length: count }, (_, index) => index % 251);

async function load(fileId: string): Promise<Uint8Array> {
  const { stream } = await client.download(fileId);
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

describe('an upload', () => {
  it('sends a file of a browser under its own name', async () => {
    const file = await client.upload(new File([bytes(1_000)], 'bytes.bin', { type: 'application/x-test' }));
    expect(file).toMatchObject({ filename: 'bytes.bin', size: 1_000 });
    expect(await load(file.fileId)).toEqual(bytes(1_000));
  });

  it('sends a stream of Node while it is read, whatever its name contains', async () => {
    const folder = temporaryFolder();
    const path = join(folder.path, 'large.bin');
    await writeFile(path, bytes(900_000));
    const filename = 'a "quoted" ümlaut.png';
    const file = await client.upload(createReadStream(path), { filename, sizeBytes: 900_000 });
    folder.remove();
    // The gateway keeps no quotes in names.
    expect(file).toMatchObject({ filename: 'a _quoted_ ümlaut.png', size: 900_000 });
    // Compared as a whole: element by element it takes seconds.
    expect(Buffer.from(await load(file.fileId)).equals(bytes(900_000))).toBe(true);
  });

  it('may be empty', async () => {
    const file = await client.upload(new Blob([]), { filename: 'empty.txt' });
    expect(await load(file.fileId)).toEqual(new Uint8Array());
  });

  it.each([
    ['a Blob', () => new Blob([bytes(limitBytes + 1)])],
    ['a stream', () => chunksOf(limitBytes + 1)],
  ])('that is too large as %s is refused in the gateway’s words', async (_, source) => {
    await expect(client.upload(source(), { filename: 'too-large' })).rejects.toMatchObject({
      name: 'ApiError',
      status: 413,
      code: 'file_too_large',
    });
  });

  it('whose size is known and too large is refused before it is read', async () => {
    let readBytes = 0;
    const sizeBytes = 2 * (await bytesBetweenSockets()) + 50_000_000;
    async function* counted(): AsyncGenerator<Uint8Array> {
      for await (const chunk of chunksOf(sizeBytes)) {
        readBytes += chunk.length;
        yield chunk;
      }
    }
    const refused = client.upload(counted(), { filename: 'x', sizeBytes });
    await expect(refused).rejects.toMatchObject({ status: 413, code: 'file_too_large' });
    expect(readBytes).toBeLessThan(sizeBytes / 2);
  });

  it('ends when its source breaks, with what broke it', async () => {
    async function* breaking(): AsyncGenerator<Uint8Array> {
      yield bytes(1_000);
      throw new Error('the disk is gone');
    }
    await expect(client.upload(breaking(), { filename: 'x' })).rejects.toThrow('the disk is gone');
  });

  it('ends when its source falls silent', async () => {
    async function* silent(): AsyncGenerator<Uint8Array> {
      yield bytes(1_000);
      await new Promise(() => undefined);
    }
    await expect(client.upload(silent(), { filename: 'x', timeoutMs: 30 })).rejects.toMatchObject({
      fault: 'timed_out',
    });
  });

  it('ends with the reason of the signal that aborts it', async () => {
    const controller = new AbortController();
    async function* endless(): AsyncGenerator<Uint8Array> {
      for (;;) {
        yield bytes(10);
        controller.abort(new Error('enough'));
      }
    }
    await expect(client.upload(endless(), { filename: 'x', signal: controller.signal })).rejects.toThrow(
      'enough',
    );
  });
});

describe('a download', () => {
  it('says what will come', async () => {
    const { fileId } = await client.upload(new Blob(['twelve bytes']), { filename: 'größe 1.txt' });
    const { stream, ...facts } = await client.download(fileId);
    await stream.cancel();
    expect(facts).toEqual({
      sizeBytes: 12,
      contentType: expect.stringContaining('text/plain'),
      filename: 'größe 1.txt',
    });
  });

  it('of somebody else’s file does not exist', async () => {
    await expect(client.download('0123456789abcdef')).rejects.toMatchObject({ code: 'file_not_found' });
  });
});

async function* chunksOf(sizeBytes: number): AsyncGenerator<Uint8Array> {
  for (let left = sizeBytes; left > 0; left -= 65_536) yield bytes(Math.min(left, 65_536));
}
