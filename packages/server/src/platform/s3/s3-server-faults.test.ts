import { createHash, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { type S3Server, startS3Server } from '@switchyard/dev-env/s3-server';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { isSignedWith } from '../../../testing/checked-signature.ts';
import { type S3Fixture, s3Fixture } from '../../../testing/s3-store-fixture.ts';
import { dayMs } from '../../lib/time-units.ts';
import type { S3Store } from './s3-store.ts';

/**
 * A server before the service: it may answer in its place, or change its answers. Returns false to pass a request on.
 */
type Mischief = (incoming: IncomingMessage, outgoing: ServerResponse) => boolean;

interface Seen {
  method: string;
  url: URL;
}

const limits = { maxBytes: 200_000_000 };
const large = 12 * 1024 * 1024;

describe('a store whose service misbehaves', () => {
  let service: S3Server;
  let front: Server;
  let endpoint: string;
  let stores: S3Fixture;
  let mischief: Mischief;
  let seen: Seen[];
  let rounds = 0;

  beforeAll(async () => {
    service = await startS3Server();
    front = createServer((incoming, outgoing) => {
      seen.push({ method: incoming.method ?? '', url: new URL(incoming.url ?? '', 'http://front') });
      if (!mischief(incoming, outgoing)) passOn(incoming, outgoing);
    });
    await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve));
    const address = front.address();
    endpoint = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
  });
  afterAll(async () => {
    front.closeAllConnections();
    front.close();
    await service.stop();
  });
  beforeEach(async () => {
    rounds += 1;
    seen = [];
    mischief = () => false;
    stores = await s3Fixture({ ...service, endpoint }, `faults-${rounds}/`);
  });
  afterEach(() => stores.close());

  /** The pauses between the tries are short, so that a test does not wait. */
  function open(limit: { answerMs?: number; silentMs?: number } = {}): Promise<S3Store> {
    return stores.open({ calls: { limits: { firstRetryMs: 1, ...limit } } });
  }

  function passOn(incoming: IncomingMessage, outgoing: ServerResponse): void {
    const { host, ...headers } = incoming.headers;
    const to = new URL(incoming.url ?? '', service.endpoint);
    const passed = request(to, {
      method: incoming.method ?? 'GET',
      headers: { ...headers, host: host ?? '' },
    });
    passed.once('response', (answer) => {
      outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(outgoing);
    });
    passed.once('error', () => outgoing.destroy());
    incoming.once('aborted', () => passed.destroy());
    incoming.pipe(passed);
  }

  const isPut = ({ method, url }: IncomingMessage) => method === 'PUT' && /\/content\//.test(url ?? '');
  const isGet = ({ method, url }: IncomingMessage) => method === 'GET' && /\/content\//.test(url ?? '');
  const has = ({ url }: IncomingMessage, name: string) =>
    new URL(url ?? '', 'http://front').searchParams.has(name);

  function refuse(outgoing: ServerResponse, status: number, code: string, headers = {}): true {
    outgoing.writeHead(status, { 'content-type': 'application/xml', ...headers });
    outgoing.end(`<?xml version="1.0"?><Error><Code>${code}</Code></Error>`);
    return true;
  }

  it('is asked again after 503, and the content is stored', async () => {
    const store = await open();
    let refusals = 0;
    mischief = (incoming, outgoing) => {
      if (!isPut(incoming) || refusals === 3) return false;
      refusals += 1;
      incoming.resume();
      return refuse(outgoing, 503, 'SlowDown');
    };
    const { sha256 } = await store.put(Readable.from([Buffer.from('busy')]), limits);
    expect(refusals).toBe(3);
    expect(await contentOf(store, sha256)).toEqual(Buffer.from('busy'));
    expect(stores.logged).toEqual([]);
  });

  it('fails with one sentence in the log when 503 does not end, and says when it answers again', async () => {
    const store = await open();
    mischief = (incoming, outgoing) => {
      incoming.resume();
      return refuse(outgoing, 503, 'SlowDown');
    };
    for (let round = 0; round < 3; round += 1)
      await expect(store.put(Readable.from([Buffer.from('x')]), limits)).rejects.toMatchObject({
        code: 'file_store_unavailable',
        status: 503,
      });
    expect(stores.logged).toEqual([`error: S3 fails: S3 at ${endpoint} cannot answer now (503 SlowDown).`]);
    mischief = () => false;
    await store.put(Readable.from([Buffer.from('x')]), limits);
    expect(stores.logged.at(-1)).toBe('info: S3 answers again');
  });

  it('says at once that the key is refused, and asks once', async () => {
    const store = await open();
    mischief = (incoming, outgoing) => {
      incoming.resume();
      return refuse(outgoing, 403, 'AccessDenied');
    };
    seen = [];
    await expect(store.put(Readable.from([Buffer.from('x')]), limits)).rejects.toMatchObject({
      code: 'file_store_unavailable',
    });
    expect(seen).toHaveLength(1);
    expect(stores.logged.at(-1)).toMatch(
      /refuses the key for the bucket files \(403 AccessDenied\); set files\.s3\./,
    );
    await expect(open()).rejects.toThrow(/refuses the key for the bucket files/);
  });

  it('starts while the service does not answer, and works as soon as it does', async () => {
    mischief = (_incoming, outgoing) => {
      outgoing.destroy();
      return true;
    };
    const store = await open();
    expect(stores.logged).toEqual([
      expect.stringMatching(/S3 fails: S3 at .* has broken off the connection\./),
    ]);
    mischief = () => false;
    const { sha256 } = await store.put(Readable.from([Buffer.from('late')]), limits);
    expect(await contentOf(store, sha256)).toEqual(Buffer.from('late'));
  });

  it('gives up a call that is not answered in time', async () => {
    const store = await open({ answerMs: 60 });
    mischief = (incoming) => {
      incoming.resume();
      return true;
    };
    await expect(store.put(Readable.from([Buffer.from('x')]), limits)).rejects.toMatchObject({
      code: 'file_store_unavailable',
    });
    expect(stores.logged.at(-1)).toMatch(/does not answer in time\.$/);
    front.closeAllConnections();
  });

  it('waits for a slow answer', async () => {
    const store = await open();
    const held: (() => void)[] = [];
    mischief = (incoming, outgoing) => {
      if (!isPut(incoming)) return false;
      incoming.pause();
      held.push(() => passOn(incoming, outgoing));
      return true;
    };
    const stored = store.put(Readable.from([Buffer.from('slow')]), limits);
    await expect.poll(() => held.length).toBe(1);
    for (const release of held) release();
    const { sha256 } = await stored;
    expect(await contentOf(store, sha256)).toEqual(Buffer.from('slow'));
  });

  it('takes the time of a service whose clock differs, and the calls succeed', async () => {
    const answers: string[] = [];
    const store = await stores.open({
      calls: {
        limits: { firstRetryMs: 1 },
        now: () => Date.now() + 3 * dayMs,
        onTried: (operation, outcome) => void answers.push(`${operation} ${outcome}`),
      },
    });
    const { sha256 } = await store.put(Readable.from([Buffer.from('time')]), limits);
    expect(await contentOf(store, sha256)).toEqual(Buffer.from('time'));
    expect(answers).toEqual(['get clock', 'get missing', 'put ok', 'get ok', 'put ok', 'get ok']);
  });

  it('signs every call and every link as the service computes it', async () => {
    const store = await stores.open({ redirect: true });
    const signed: boolean[] = [];
    mischief = (incoming) => {
      signed.push(isSignedWith(service.secretAccessKey, incoming));
      return false;
    };
    await store.put(piecesOf(randomBytes(large)), limits);
    const { sha256 } = await store.put(Readable.from([Buffer.from('signed')]), limits);
    await contentOf(store, sha256);
    const range = await store.open(sha256, { start: 1, end: 2 });
    expect(range && (await buffer(range.stream)).toString()).toBe('ig');
    await store.removeUnreferenced(async (all) => new Set(all));
    const disposition = `attachment; filename="a b+c.txt"; filename*=UTF-8''%C3%A4%20(1)!.txt`;
    const link = await store.link(sha256, { contentType: 'text/plain; charset=utf-8', disposition });
    expect((await fetch(link ?? '')).headers.get('content-disposition')).toBe(disposition);
    expect(signed.length).toBeGreaterThan(10);
    expect(signed).not.toContain(false);
  });

  it('sends a body again that the service has received damaged', async () => {
    const store = await open();
    let isDamaged = true;
    mischief = (incoming, outgoing) => {
      if (!isPut(incoming) || !isDamaged) return false;
      isDamaged = false;
      incoming.resume();
      return refuse(outgoing, 400, 'XAmzContentSHA256Mismatch');
    };
    const { sha256 } = await store.put(Readable.from([Buffer.from('hash')]), limits);
    expect(await contentOf(store, sha256)).toEqual(Buffer.from('hash'));
  });

  it('names the hash of each body, so that the service can compare it', async () => {
    const store = await open();
    const hashes: [claimed: unknown, actual: string][] = [];
    mischief = (incoming, outgoing) => {
      if (incoming.method === 'POST' && has(incoming, 'uploadId')) {
        incoming.resume();
        return refuse(outgoing, 400, 'InvalidPart');
      }
      if (!isPut(incoming)) return false;
      const hash = createHash('sha256');
      incoming.on('data', (chunk: Buffer) => hash.update(chunk));
      incoming.once('end', () => {
        hashes.push([incoming.headers['x-amz-content-sha256'], hash.digest('hex')]);
        outgoing.writeHead(200, { etag: '"x"' }).end();
      });
      return true;
    };
    await store.put(Readable.from([Buffer.from('small')]), limits);
    await expect(store.put(piecesOf(randomBytes(large)), limits)).rejects.toMatchObject({
      code: 'file_store_unavailable',
    });
    expect(hashes).toHaveLength(4);
    for (const [claimed, actual] of hashes) expect(claimed).toBe(actual);
  });

  it.each(['whole', 'cut'] as const)(
    'breaks off a download of damaged content before its last bytes: %s',
    async (kind) => {
      const store = await open();
      const bytes = randomBytes(300_000);
      const { sha256 } = await store.put(piecesOf(bytes), limits);
      mischief = (incoming, outgoing) => {
        if (!isGet(incoming)) return false;
        const damaged = Buffer.from(bytes);
        damaged[0] = (damaged[0] ?? 0) ^ 1;
        outgoing.writeHead(200);
        outgoing.end(kind === 'whole' ? damaged : bytes.subarray(0, 200_000));
        return true;
      };
      const opened = await store.open(sha256);
      const received: Buffer[] = [];
      opened?.stream.on('data', (chunk: Buffer) => received.push(chunk));
      const error = await new Promise<Error>((resolve) => opened?.stream.once('error', resolve));
      expect(error.message).toMatch(
        kind === 'whole' ? /sends other content for/ : /sends 200000 of 300000 bytes for/,
      );
      expect(Buffer.concat(received).length).toBeLessThan(kind === 'whole' ? 300_000 : 200_000);
      expect(stores.logged.at(-1)).toMatch(/^error: Stored content could not be read: /);
    },
  );

  it('breaks off a download that goes silent', async () => {
    const store = await open({ silentMs: 60 });
    const { sha256 } = await store.put(Readable.from([Buffer.from('silence')]), limits);
    mischief = (incoming, outgoing) => {
      if (!isGet(incoming)) return false;
      outgoing.writeHead(200, { 'content-length': 7 });
      outgoing.write('sil');
      return true;
    };
    await expect(contentOf(store, sha256)).rejects.toThrow(/sends nothing any more for the object/);
    front.closeAllConnections();
  });

  it('fails when a part is lost, aborts the upload, and leaves no row', async () => {
    const store = await open();
    const aborted: string[] = [];
    mischief = (incoming, outgoing) => {
      if (incoming.method === 'DELETE' && has(incoming, 'uploadId')) {
        aborted.push(incoming.url ?? '');
        outgoing.writeHead(204).end();
        return true;
      }
      if (incoming.method !== 'POST' || !has(incoming, 'uploadId')) return false;
      incoming.resume();
      // As services do that have already begun their answer.
      outgoing.writeHead(200);
      outgoing.end('<?xml version="1.0"?><Error><Code>InvalidPart</Code></Error>');
      return true;
    };
    await expect(store.put(piecesOf(randomBytes(large)), limits)).rejects.toMatchObject({
      code: 'file_store_unavailable',
    });
    expect(aborted).toHaveLength(1);
    expect(await stores.keys.isEmpty()).toBe(true);
    expect(stores.logged.at(-1)).toMatch(/received other bytes than were sent \(200 InvalidPart\)/);
  });

  it('notices an upload that was put together without one of its parts', async () => {
    const store = await open();
    mischief = (incoming, outgoing) => {
      if (incoming.method !== 'HEAD') return false;
      outgoing.writeHead(200, { 'content-length': 1_000 }).end();
      return true;
    };
    await expect(store.put(piecesOf(randomBytes(large)), limits)).rejects.toMatchObject({
      code: 'file_store_unavailable',
    });
    expect(stores.logged.at(-1)).toMatch(/S3 has lost parts: an object of 12582912 bytes .* has 1000 bytes/);
    expect(await stores.keys.isEmpty()).toBe(true);
  });

  it('goes on when the answer to the end of an upload in parts is lost', async () => {
    const store = await open();
    let isLost = false;
    mischief = (incoming, outgoing) => {
      if (incoming.method !== 'POST' || !has(incoming, 'uploadId')) return false;
      if (isLost) return refuse(outgoing, 404, 'NoSuchUpload');
      isLost = true;
      passOn(incoming, Object.assign(outgoing, { writeHead: () => outgoing.destroy() }));
      return true;
    };
    const bytes = randomBytes(large);
    const { sha256 } = await store.put(piecesOf(bytes), limits);
    expect(bytes.equals(await contentOf(store, sha256))).toBe(true);
    expect(isLost).toBe(true);
  });

  it('aborts an upload in parts whose sender disconnects', async () => {
    const store = await open();
    const source = new Readable({ read: () => undefined });
    source.push(randomBytes(large));
    mischief = (incoming, outgoing) => {
      if (incoming.method === 'DELETE' && has(incoming, 'uploadId')) {
        outgoing.writeHead(204).end();
        return true;
      }
      if (has(incoming, 'partNumber')) source.destroy(new Error('connection reset'));
      return false;
    };
    await expect(store.put(source, limits)).rejects.toThrow('connection reset');
    expect(
      seen.filter(({ method, url }) => method === 'DELETE' && url.searchParams.has('uploadId')),
    ).toHaveLength(1);
  });

  it('sweeps all pages of a long list', async () => {
    const store = await open();
    const prefix = `faults-${rounds}/content/`;
    const page = (names: string[], token: string | null) =>
      `<ListBucketResult><IsTruncated>${token !== null}</IsTruncated>` +
      `${token === null ? '' : `<NextContinuationToken>${token}</NextContinuationToken>`}` +
      names
        .map(
          (name) =>
            `<Contents><Key>${prefix}${name}</Key><LastModified>2020-01-01T00:00:00Z</LastModified></Contents>`,
        )
        .join('') +
      '</ListBucketResult>';
    mischief = (incoming, outgoing) => {
      if (!has(incoming, 'list-type')) return false;
      const token = new URL(incoming.url ?? '', endpoint).searchParams.get('continuation-token');
      outgoing.end(
        token === null ? page(['a', 'b'], 'x+/=&amp;y') : page([token === 'x+/=&y' ? 'c' : 'lost'], null),
      );
      return true;
    };
    await store.removeUnreferenced(async () => new Set());
    const removed = seen
      .filter(({ method }) => method === 'DELETE')
      .map(({ url }) => url.pathname.split('/').at(-1));
    expect(removed).toEqual(['a', 'b', 'c']);
  });

  it('sweeps uploads in parts that have not ended for a day', async () => {
    const store = await open();
    const prefix = `faults-${rounds}/content/`;
    const entry = (id: string, begunMs: number) =>
      `<Upload><Key>${prefix}${id}</Key><UploadId>${id}</UploadId><Initiated>${new Date(begunMs).toISOString()}</Initiated></Upload>`;
    mischief = (incoming, outgoing) => {
      if (incoming.method === 'DELETE' && has(incoming, 'uploadId')) {
        outgoing.writeHead(204).end();
        return true;
      }
      if (incoming.method !== 'GET' || !has(incoming, 'uploads')) return false;
      const uploads = [entry('old', Date.now() - 2 * dayMs), entry('new', Date.now())];
      outgoing.end(`<ListMultipartUploadsResult>${uploads.join('')}</ListMultipartUploadsResult>`);
      return true;
    };
    await store.removeUnreferenced(async () => new Set());
    const aborted = seen
      .filter(({ method }) => method === 'DELETE')
      .map(({ url }) => url.searchParams.get('uploadId'));
    expect(aborted).toEqual(['old']);
  });

  it('says that the bucket is full', async () => {
    const store = await open();
    mischief = (incoming, outgoing) => {
      if (!isPut(incoming)) return false;
      incoming.resume();
      return refuse(outgoing, 507, 'XMinioStorageFull');
    };
    await expect(store.put(Readable.from([Buffer.from('x')]), limits)).rejects.toMatchObject({
      code: 'storage_full',
    });
    expect(stores.logged.at(-1)).toMatch(/has no room left in the bucket files \(507 XMinioStorageFull\)/);
  });

  it('lets small files pass while large ones wait for memory', async () => {
    const store = await open();
    const held: (() => void)[] = [];
    mischief = (incoming, outgoing) => {
      if (!has(incoming, 'partNumber')) return false;
      incoming.pause();
      held.push(() => passOn(incoming, outgoing));
      return true;
    };
    const contents = Array.from({ length: 10 }, () => randomBytes(22 * 1024 * 1024));
    const puts = contents.map((bytes) => store.put(piecesOf(bytes), limits));
    await expect.poll(() => held.length).toBeGreaterThanOrEqual(18);
    const { sha256 } = await store.put(Readable.from([Buffer.from('small')]), limits);
    expect(await contentOf(store, sha256)).toEqual(Buffer.from('small'));
    expect(held.length).toBeLessThanOrEqual(24);
    mischief = () => false;
    for (const release of held) release();
    const stored = await Promise.all(puts);
    expect(stored.map((each) => each.sizeBytes)).toEqual(contents.map(({ length }) => length));
  });
});

async function contentOf(store: S3Store, sha256: string): Promise<Buffer> {
  const opened = await store.open(sha256);
  if (!opened) throw new Error('There is no content.');
  return buffer(opened.stream);
}

function piecesOf(bytes: Buffer): Readable {
  const pieces: Buffer[] = [];
  for (let from = 0; from < bytes.length; from += 64 * 1024)
    pieces.push(bytes.subarray(from, from + 64 * 1024));
  return Readable.from(pieces, { objectMode: false });
}
