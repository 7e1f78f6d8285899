import { createHash, randomBytes } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { type S3Server, startS3Server } from '@switchyard/dev-env/s3-server';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { blobStoreConformance } from '../../../testing/blob-store-conformance.ts';
import { type S3Fixture, s3Fixture } from '../../../testing/s3-store-fixture.ts';
import { dayMs, hourMs } from '../../lib/time-units.ts';

let server: S3Server;
let rounds = 0;

beforeAll(async () => {
  server = await startS3Server();
});
afterAll(() => server.stop());

/** Each test has a prefix of its own. */
async function fixture(): Promise<S3Fixture> {
  rounds += 1;
  return s3Fixture(server, `round-${rounds}/`);
}

blobStoreConformance('in a bucket', async () => {
  const { open, keys, objects, database, close } = await fixture();
  const here = await open();
  const there = await open();
  return {
    here,
    there,
    stored: async () => {
      const names: string[] = [];
      for await (const page of objects().pages('content/')) names.push(...page.objects.map(({ key }) => key));
      const rows = await database.read.selectFrom('stored_objects').selectAll().execute();
      const hashes = rows.filter(({ key }) => names.includes(key)).map(({ sha256 }) => sha256);
      const known = await keys.known(names);
      return [...hashes, ...names.filter((name) => !known.has(name))];
    },
    age: async (sha256) => {
      const storedAtMs = Date.now() - 2 * hourMs;
      await database.write((trx) =>
        trx.updateTable('stored_objects').set({ storedAtMs }).where('sha256', '=', sha256).execute(),
      );
    },
    close,
  };
});

describe('content in a bucket', () => {
  let stores: S3Fixture;
  const limits = { maxBytes: 100_000_000 };

  beforeEach(async () => {
    stores = await fixture();
    return () => stores.close();
  });

  async function keysInBucket(): Promise<string[]> {
    const keys: string[] = [];
    for await (const page of stores.objects().pages('content/'))
      keys.push(...page.objects.map(({ key }) => key));
    return keys;
  }

  it('sends content that is larger than a part in parts, and gives it and its ranges back', async () => {
    const store = await stores.open();
    const bytes = randomBytes(17 * 1024 * 1024 + 3);
    const { sha256, sizeBytes } = await store.put(piecesOf(bytes), limits);
    expect({ sha256, sizeBytes }).toEqual({ sha256: hashOf(bytes), sizeBytes: bytes.length });

    const whole = await store.open(sha256);
    expect(whole && bytes.equals(await buffer(whole.stream))).toBe(true);
    const range = { start: 5 * 1024 * 1024 - 2, end: 12_000_000 };
    const part = await store.open(sha256, range);
    expect(part && bytes.subarray(range.start, range.end + 1).equals(await buffer(part.stream))).toBe(true);
  });

  it('keeps the object of content that is stored again', async () => {
    const store = await stores.open();
    const bytes = randomBytes(6 * 1024 * 1024);
    await store.put(piecesOf(bytes), limits);
    const [key] = await keysInBucket();
    await store.put(piecesOf(bytes), limits);
    expect(await keysInBucket()).toEqual([key]);
  });

  it('stores content again whose object is gone', async () => {
    const store = await stores.open();
    const bytes = Buffer.from('lost');
    const { sha256 } = await store.put(piecesOf(bytes), limits);
    const [key = ''] = await keysInBucket();
    await stores.objects().delete(key);
    expect(await store.open(sha256)).toBeNull();
    expect(stores.logged.at(-1)).toContain('Content is missing in s3://files/');

    await store.put(piecesOf(bytes), limits);
    const opened = await store.open(sha256);
    expect(opened && (await buffer(opened.stream))).toEqual(bytes);
  });

  it('removes objects without content once they are a day old, and keeps the younger ones', async () => {
    const store = await stores.open();
    const { sha256 } = await store.put(piecesOf(Buffer.from('kept')), limits);
    const orphan = Buffer.from('orphan');
    await stores.objects().put('content/orphan', orphan, { sha256: hashOf(orphan) });
    const all = async (sha256s: string[]) => new Set(sha256s);
    await store.removeUnreferenced(all);
    expect(await keysInBucket()).toHaveLength(2);

    const { setTo } = await serverInFuture(2 * dayMs);
    const later = await stores.open({ calls: { endpoint: setTo } });
    await later.removeUnreferenced(all);
    expect(await keysInBucket()).not.toContain('content/orphan');
    expect(await store.open(sha256)).not.toBeNull();
  });

  it('refuses the prefix of another database, and a bucket that has none of the files', async () => {
    await (await stores.open()).put(piecesOf(Buffer.from('mine')), limits);
    await expect(stores.open({ database: 'another' })).rejects.toThrow(
      /holds the files of another database; set another files\.s3\.prefix/,
    );
    const elsewhere = stores.objects({ prefix: 'elsewhere/' });
    await expect(stores.open({ objects: elsewhere })).rejects.toThrow(
      /has none of the files of this database/,
    );
  });

  it('makes links that the service answers with the fixed type and name', async () => {
    const store = await stores.open({ redirect: true });
    const { sha256 } = await store.put(piecesOf(Buffer.from('<p>hi</p>')), limits);
    const link = await store.link(sha256, {
      contentType: 'text/html; charset=utf-8',
      disposition: 'attachment; filename="a b.html"',
    });
    expect(new URL(link ?? '').searchParams.get('X-Amz-Expires')).toBe('300');
    const response = await fetch(link ?? '');
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(response.headers.get('content-disposition')).toBe('attachment; filename="a b.html"');
    expect(await response.text()).toBe('<p>hi</p>');
    expect(await (await stores.open()).link(sha256, { contentType: '', disposition: '' })).toBeNull();
  });

  it('leaves no file behind that it has lent', async () => {
    const store = await stores.open();
    const { sha256 } = await store.put(piecesOf(Buffer.from('lent')), limits);
    let folder = '';
    await store.useFile(sha256, async (path) => {
      folder = path.slice(0, path.lastIndexOf('/'));
      expect(readdirSync(folder)).toHaveLength(1);
    });
    expect(readdirSync(folder)).toEqual([]);
  });

  /** Passes requests on, and answers with another date. */
  async function serverInFuture(aheadMs: number): Promise<{ setTo: string }> {
    const { createServer } = await import('node:http');
    const proxy = createServer(async (request, response) => {
      const { host, ...headers } = request.headers;
      const answer = await fetch(`${server.endpoint}${request.url}`, {
        method: request.method ?? 'GET',
        headers: { ...(headers as Record<string, string>) },
      });
      response.writeHead(answer.status, { date: new Date(Date.now() + aheadMs).toUTCString() });
      response.end(Buffer.from(await answer.arrayBuffer()));
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void proxy.close());
    const address = proxy.address();
    return { setTo: `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}` };
  }
});

function piecesOf(bytes: Buffer): Readable {
  const pieces: Buffer[] = [];
  for (let from = 0; from < bytes.length; from += 64 * 1024)
    pieces.push(bytes.subarray(from, from + 64 * 1024));
  return Readable.from(pieces, { objectMode: false });
}

function hashOf(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
