import {
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { request as httpRequest } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Answer, ConversationCaller } from './support/conversation-caller.ts';
import { type ConversationGateway, startConversation } from './support/conversation-gateway.ts';

const kilobyte = 1024;
const limits = { max_files: 4, max_file_size: 8 * kilobyte, max_total_size: 20 * kilobyte };

let server: ConversationGateway;
let ada: ConversationCaller;
let bob: ConversationCaller;
beforeAll(async () => {
  server = await startConversation({ uploads: limits });
  ({ ada, bob } = server);
});
afterAll(() => server.close());

type Sent = [name: string, content: string | Uint8Array<ArrayBuffer>];

async function upload(caller: ConversationCaller, threadId: string, ...files: Sent[]): Promise<Answer> {
  const form = new FormData();
  for (const [name, content] of files) form.append('files', new Blob([content]), name);
  return send(caller, threadId, form);
}

async function send(
  caller: ConversationCaller,
  threadId: string,
  body: FormData | string,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const answer = await fetch(new URL(`/api/threads/${threadId}/uploads`, caller.url), {
    method: 'POST',
    headers: { 'x-api-key': caller.token, ...headers },
    body,
  });
  const text = await answer.text();
  return { status: answer.status, headers: answer.headers, text, body: JSON.parse(text) };
}

const boundary = 'XXboundaryXX';
const multipartType = { 'content-type': `multipart/form-data; boundary=${boundary}` };
/** A body that no client would write. */
const rawPart = (disposition: string, content = 'x') =>
  `--${boundary}\r\ncontent-disposition: form-data; ${disposition}\r\ncontent-type: application/octet-stream\r\n\r\n${content}\r\n`;
const rawFile = (filename: string, content?: string) =>
  rawPart(`name="files"; filename="${filename}"`, content);
const rawEnd = `--${boundary}--\r\n`;

const threadFolder = (caller: ConversationCaller, threadId: string) =>
  join(server.gateway.home, 'users', caller.userId, 'threads', threadId);
const uploadsFolder = (caller: ConversationCaller, threadId: string) =>
  join(threadFolder(caller, threadId), 'user-data', 'uploads');
const names = async (caller: ConversationCaller, threadId: string): Promise<string[]> => {
  const { files } = await caller.ok('GET', `/threads/${threadId}/uploads/list`);
  return files.map(({ filename }: { filename: string }) => filename);
};

describe('an upload', () => {
  it('is answered and listed by its virtual path, and loaded from its address', async () => {
    const threadId = await ada.thread();
    const answer = await upload(ada, threadId, ['Ähre 1.txt', 'golden'], ['cat.png', 'png']);
    const path = '/mnt/user-data/uploads/Ähre 1.txt';
    const address = `/api/threads/${threadId}/artifacts/mnt/user-data/uploads/%C3%84hre%201.txt`;
    const first = { filename: 'Ähre 1.txt', size: 6, path, virtual_path: path, artifact_url: address };
    expect(answer).toMatchObject({
      status: 200,
      body: { success: true, message: 'Successfully uploaded 2 file(s)', skipped_files: [] },
    });
    expect(answer.body.files[0]).toEqual(first);
    expect(await ada.ok('GET', `/threads/${threadId}/uploads/list`)).toEqual({
      files: [
        expect.objectContaining({ filename: 'cat.png', extension: '.png', size: 3 }),
        { ...first, extension: '.txt', modified: expect.closeTo(Date.now() / 1000, -2) },
      ],
      count: 2,
    });
    expect(await ada.get(address.slice('/api'.length))).toMatchObject({ status: 200, text: 'golden' });
    expect(answer.text).not.toContain(server.gateway.home);
  });

  it.each(['100%.txt', 'a%20b.txt', 'a+b&c#d?e=f.txt', "it's (1)!*.txt", '日本語 🎨.png', '-rf', '.hidden'])(
    'called %s is listed, loaded and deleted under that name',
    async (name) => {
      const threadId = await ada.thread();
      const { body } = await upload(ada, threadId, [name, name]);
      expect(body).toMatchObject({ success: true, files: [{ filename: name }] });
      expect(await names(ada, threadId)).toEqual([name]);
      const loaded = await ada.get(body.files[0].artifact_url.slice('/api'.length));
      expect([loaded.status, loaded.text]).toEqual([200, name]);
      await ada.ok('DELETE', `/threads/${threadId}/uploads/${encodeURIComponent(name)}`);
      expect(await names(ada, threadId)).toEqual([]);
    },
  );

  it('lies in folders that only the gateway can read', async () => {
    const threadId = await ada.thread();
    await upload(ada, threadId, ['a.txt', 'a']);
    const folder = join(threadFolder(ada, threadId), 'user-data');
    expect(readdirSync(folder).sort()).toEqual(['outputs', 'uploads', 'workspace']);
    for (const path of [folder, join(folder, 'uploads'), join(folder, 'outputs')])
      expect(statSync(path).mode & 0o777).toBe(0o700);
    expect(statSync(join(folder, 'uploads', 'a.txt')).mode & 0o777).toBe(0o600);
  });

  it('replaces one of the same name', async () => {
    const threadId = await ada.thread();
    await upload(ada, threadId, ['a.txt', 'old']);
    await upload(ada, threadId, ['a.txt', 'new']);
    expect(await names(ada, threadId)).toEqual(['a.txt']);
    expect(readFileSync(join(uploadsFolder(ada, threadId), 'a.txt'), 'utf8')).toBe('new');
  });

  it('gets a number when its name comes twice in a request, and replaces no other file with it', async () => {
    const threadId = await ada.thread();
    await upload(ada, threadId, ['a_1.txt', 'kept']);
    const { body } = await upload(ada, threadId, ['a.txt', 'one'], ['a.txt', 'two'], ['a.txt', 'three']);
    expect(
      body.files.map(({ filename, original_filename }: Record<string, string>) => [
        filename,
        original_filename,
      ]),
    ).toEqual([
      ['a.txt', undefined],
      ['a_2.txt', 'a.txt'],
      ['a_3.txt', 'a.txt'],
    ]);
    const contents = ['a.txt', 'a_1.txt', 'a_2.txt', 'a_3.txt'].map((name) =>
      readFileSync(join(uploadsFolder(ada, threadId), name), 'utf8'),
    );
    expect(contents).toEqual(['one', 'kept', 'two', 'three']);
  });

  it('may be empty', async () => {
    const threadId = await ada.thread();
    const { body } = await upload(ada, threadId, ['empty.txt', '']);
    expect(body.files).toMatchObject([{ filename: 'empty.txt', size: 0 }]);
    const loaded = await ada.get(`/threads/${threadId}/artifacts/mnt/user-data/uploads/empty.txt`);
    expect([loaded.status, loaded.text]).toEqual([200, '']);
  });

  it('is named by the last part of the path that it was sent with', async () => {
    const threadId = await ada.thread();
    const body = rawFile('../../outside/a.txt') + rawFile('/etc/passwd') + rawEnd;
    const answer = await send(ada, threadId, body, multipartType);
    expect(answer).toMatchObject({ status: 200, body: { success: true } });
    expect(await names(ada, threadId)).toEqual(['a.txt', 'passwd']);
  });

  it.each([
    '..',
    '.',
    'folder/',
    'a\\b.txt',
    `${'x'.repeat(252)}.txt`,
    'a:stream.txt',
    'con.txt',
    'dot.',
    '%2e%2e',
    '%2e%2e%2fa',
    '.upload-mine.part',
  ])('called %j is skipped and reported, and the others are kept', async (name) => {
    const threadId = await ada.thread();
    const escaped = name.replaceAll('\\', '\\\\');
    const answer = await send(ada, threadId, rawFile(escaped) + rawFile('good.txt') + rawEnd, multipartType);
    expect(answer).toMatchObject({
      status: 200,
      body: {
        success: false,
        message: 'Successfully uploaded 1 file(s); skipped 1 unsafe file(s)',
        skipped_files: [name],
      },
    });
    expect(readdirSync(uploadsFolder(ada, threadId))).toEqual(['good.txt']);
  });

  it('does not go through a link, into another name of a file, or over a folder', async () => {
    const threadId = await ada.thread();
    await upload(ada, threadId, ['first.txt', 'first']);
    const folder = uploadsFolder(ada, threadId);
    const secret = join(server.gateway.home, 'secret.txt');
    writeFileSync(secret, 'secret');
    symlinkSync(secret, join(folder, 'link.txt'));
    symlinkSync(join(server.gateway.home, 'nothing.txt'), join(folder, 'dangling.txt'));
    linkSync(secret, join(folder, 'hard.txt'));
    mkdirSync(join(folder, 'folder'));
    const sent: Sent[] = ['link.txt', 'dangling.txt', 'hard.txt', 'folder'].map((name) => [name, 'mine']);
    const answer = await upload(ada, threadId, ...sent);
    expect(answer.body).toMatchObject({
      success: false,
      files: [],
      skipped_files: ['link.txt', 'dangling.txt', 'hard.txt', 'folder'],
    });
    expect(readFileSync(secret, 'utf8')).toBe('secret');
    expect(existsSync(join(server.gateway.home, 'nothing.txt'))).toBe(false);
    expect(lstatSync(join(folder, 'link.txt')).isSymbolicLink()).toBe(true);
    expect(readdirSync(folder).filter((name) => name.endsWith('.part'))).toEqual([]);
  });

  it('does not follow a link in place of the folder of uploads', async () => {
    const threadId = await ada.thread();
    const elsewhere = join(server.gateway.home, 'elsewhere');
    mkdirSync(elsewhere, { recursive: true });
    mkdirSync(join(threadFolder(ada, threadId), 'user-data'), { recursive: true });
    symlinkSync(elsewhere, uploadsFolder(ada, threadId));
    expect((await upload(ada, threadId, ['a.txt', 'a'])).status).toBe(403);
    expect((await ada.call('DELETE', `/threads/${threadId}/uploads/a.txt`)).status).toBe(403);
    expect((await ada.get(`/threads/${threadId}/uploads/list`)).status).toBe(403);
    expect(readdirSync(elsewhere)).toEqual([]);
  });

  it('removes what a crash has left behind, and lists none of it', async () => {
    const threadId = await ada.thread();
    await upload(ada, threadId, ['a.txt', 'a']);
    const [old, young] = ['.upload-old.part', '.upload-young.part'].map((name) =>
      join(uploadsFolder(ada, threadId), name),
    ) as [string, string];
    for (const path of [old, young]) writeFileSync(path, 'half');
    utimesSync(old, 0, Date.now() / 1000 - 2 * 60 * 60);
    expect(await names(ada, threadId)).toEqual(['a.txt']);
    await upload(ada, threadId, ['b.txt', 'b']);
    expect([existsSync(old), existsSync(young)]).toEqual([false, true]);
  });
});

describe('an upload beyond a limit', () => {
  const big = (bytes: number) => new Uint8Array(bytes).fill(120);

  it('can be avoided, because the limits can be read first', async () => {
    const threadId = await ada.thread();
    expect(await ada.ok('GET', `/threads/${threadId}/uploads/limits`)).toEqual(limits);
  });

  it.each<[what: string, detail: string, files: Sent[]]>([
    ['files', 'Too many files: maximum is 4', [1, 2, 3, 4, 5].map((n): Sent => [`${n}.txt`, 'x'])],
    [
      'many more files',
      'Too many files: maximum is 4',
      Array.from({ length: 30 }, (_, n): Sent => [`${n}.txt`, 'x']),
    ],
    ['bytes of a file', 'File too large: big.bin', [['big.bin', big(8 * kilobyte + 1)]]],
    [
      'bytes of all files',
      'Total upload size too large',
      [1, 2, 3].map((n): Sent => [`${n}.bin`, big(7 * kilobyte)]),
    ],
    ['bytes of one that is skipped', 'File too large: a:b', [['a:b', big(9 * kilobyte)]]],
    [
      'bytes of all that are skipped',
      'Total upload size too large',
      [1, 2, 3].map((n): Sent => [`${n}:`, big(7 * kilobyte)]),
    ],
    ['bytes of the body', 'Total upload size too large', [['a.bin', big(300 * kilobyte)]]],
  ])('is refused by the number of %s, and nothing of it is kept', async (_what, detail, files) => {
    const threadId = await ada.thread();
    await upload(ada, threadId, ['1.txt', 'before'], ['big.bin', 'before']);
    expect(await upload(ada, threadId, ...files)).toMatchObject({ status: 413, body: { detail } });
    const folder = uploadsFolder(ada, threadId);
    expect(readdirSync(folder).sort()).toEqual(['1.txt', 'big.bin']);
    for (const name of ['1.txt', 'big.bin']) expect(readFileSync(join(folder, name), 'utf8')).toBe('before');
  });

  it('is not reached when a limit is met exactly', async () => {
    const threadId = await ada.thread();
    const answer = await upload(
      ada,
      threadId,
      ['a', big(8 * kilobyte)],
      ['b', big(8 * kilobyte)],
      ['c', big(4 * kilobyte)],
      ['d', ''],
    );
    expect(answer.body).toMatchObject({ success: true });
    expect(await names(ada, threadId)).toEqual(['a', 'b', 'c', 'd']);
  });

  it('is refused when the thread has a thousand', async () => {
    const threadId = await ada.thread();
    await upload(ada, threadId, ['0.txt', 'x']);
    for (let n = 1; n < 1_000; n += 1) writeFileSync(join(uploadsFolder(ada, threadId), `${n}.txt`), '');
    expect((await upload(ada, threadId, ['new.txt', 'x'])).status).toBe(409);
    expect((await upload(ada, threadId, ['0.txt', 'again'])).status).toBe(200);
    expect(readdirSync(uploadsFolder(ada, threadId))).toHaveLength(1_000);
  });
});

describe('a request to upload', () => {
  it.each([
    ['no part', rawEnd],
    ['another name of its parts', rawPart('name="file"; filename="a.txt"') + rawEnd],
    ['a form whose file was not chosen', rawPart('name="files"; filename=""', '') + rawEnd],
    [
      'a field in place of a file',
      `--${boundary}\r\ncontent-disposition: form-data; name="files"\r\n\r\nx\r\n${rawEnd}`,
    ],
  ])('with %s has no files', async (_what, body) => {
    const threadId = await ada.thread();
    const answer = await send(ada, threadId, body, multipartType);
    expect(answer).toMatchObject({ status: 400, body: { detail: 'No files provided' } });
  });

  it.each([
    ['that ends too soon', rawFile('a.txt') + rawFile('b.txt').slice(0, -30), multipartType, 400],
    ['without a boundary', 'x', { 'content-type': 'multipart/form-data' }, 400],
    [
      'with a boundary of 300 characters',
      rawFile('a.txt').replaceAll(boundary, 'b'.repeat(300)),
      { 'content-type': `multipart/form-data; boundary=${'b'.repeat(300)}` },
      400,
    ],
    [
      'that is JSON',
      '{"files":[{"filename":"a","path":"/etc/passwd"}]}',
      { 'content-type': 'application/json' },
      415,
    ],
  ])('%s is refused and leaves nothing', async (_what, body, headers, status) => {
    const threadId = await ada.thread();
    expect((await send(ada, threadId, body, headers)).status).toBe(status);
    expect(await names(ada, threadId)).toEqual([]);
  });

  it('that is cut off leaves nothing', async () => {
    const threadId = await ada.thread();
    const folder = uploadsFolder(ada, threadId);
    const sending = httpRequest(new URL(`/api/threads/${threadId}/uploads`, ada.url), {
      method: 'POST',
      headers: { 'x-api-key': ada.token, ...multipartType, 'transfer-encoding': 'chunked' },
    });
    sending.on('error', () => undefined);
    sending.write(
      rawFile('a.txt', 'x'.repeat(2 * kilobyte)) + rawFile('b.txt', 'y'.repeat(kilobyte)).slice(0, -4),
    );
    const files = () => (existsSync(folder) ? readdirSync(folder) : []);
    await ada.until(
      async () => files(),
      (found) => found.length === 2,
    );
    sending.destroy();
    await ada.until(
      async () => files(),
      (found) => found.length === 0,
    );
  });

  it('into a thread that does not exist makes it for the caller, whom it belongs to from then on', async () => {
    const threadId = 'made-by-an-upload';
    expect((await upload(ada, threadId, ['a.txt', 'a'])).status).toBe(200);
    expect(await ada.ok('GET', `/threads/${threadId}`)).toMatchObject({ status: 'idle', metadata: {} });
    expect(await names(ada, threadId)).toEqual(['a.txt']);
    const both = await Promise.all([
      upload(ada, 'made-twice', ['a.txt', 'a']),
      upload(ada, 'made-twice', ['b.txt', 'b']),
    ]);
    expect(both.map(({ status }) => status)).toEqual([200, 200]);
    expect((await names(ada, 'made-twice')).sort()).toEqual(['a.txt', 'b.txt']);
    expect((await upload(bob, threadId, ['b.txt', 'b'])).status).toBe(404);
    const run = { assistant_id: 'lead_agent', input: { messages: [{ role: 'user', content: 'hello' }] } };
    expect((await ada.wait(threadId, run)).messages).toHaveLength(2);
  });

  it('into a thread that was deleted or belongs to another user creates nothing', async () => {
    const [hers, deleted] = [await ada.thread(), await ada.thread()];
    await ada.ok('DELETE', `/threads/${deleted}`);
    for (const [caller, id] of [
      [bob, hers],
      [ada, deleted],
    ] as const) {
      const answer = await upload(caller, id, ['a.txt', 'a']);
      expect(answer).toMatchObject({ status: 404, body: { detail: `Thread ${id} not found` } });
      expect(existsSync(threadFolder(caller, id))).toBe(false);
    }
  });

  it('checks the id before anything else', async () => {
    expect((await upload(ada, 'a.b', ['a.txt', 'a'])).status).toBe(422);
    expect((await upload(ada, 'x'.repeat(65), ['a.txt', 'a'])).status).toBe(422);
  });

  it('of a thread that is deleted meanwhile brings nothing back', async () => {
    const threadId = await ada.thread();
    const sending = httpRequest(new URL(`/api/threads/${threadId}/uploads`, ada.url), {
      method: 'POST',
      headers: { 'x-api-key': ada.token, ...multipartType, 'transfer-encoding': 'chunked' },
    });
    const answered = new Promise<number | undefined>((resolve, reject) => {
      sending.on('response', (response) => resolve(response.resume().statusCode));
      sending.on('error', reject);
    });
    sending.write(rawFile('a.txt', 'x'.repeat(kilobyte)).slice(0, -4));
    const folder = uploadsFolder(ada, threadId);
    await ada.until(
      async () => existsSync(folder) && readdirSync(folder).length,
      (count) => count === 1,
    );
    await ada.ok('DELETE', `/threads/${threadId}`);
    sending.end(`xx\r\n${rawFile('b.txt')}${rawEnd}`);
    expect(await answered).toBe(404);
    expect(existsSync(threadFolder(ada, threadId))).toBe(false);
  });
});

describe('deleting an upload', () => {
  it('removes it, once', async () => {
    const threadId = await ada.thread();
    await upload(ada, threadId, ['a b.txt', 'a'], ['b.txt', 'b']);
    const address = `/threads/${threadId}/uploads/a%20b.txt`;
    expect(await ada.ok('DELETE', address)).toEqual({ success: true, message: 'Deleted a b.txt' });
    expect(await ada.call('DELETE', address)).toMatchObject({
      status: 404,
      body: { detail: 'File not found: a b.txt' },
    });
    expect(await names(ada, threadId)).toEqual(['b.txt']);
  });

  it.each(['..%2Fworkspace', '%2e%2e%2f%2e%2e', '..%5Ca', 'a%3Ab', 'con'])(
    'by the path %s is refused',
    async (name) => {
      const threadId = await ada.thread();
      await upload(ada, threadId, ['a.txt', 'a']);
      expect(await ada.call('DELETE', `/threads/${threadId}/uploads/${name}`)).toMatchObject({
        status: 400,
        body: { detail: 'Invalid path' },
      });
    },
  );

  it('leaves links and folders alone', async () => {
    const threadId = await ada.thread();
    await upload(ada, threadId, ['a.txt', 'a']);
    const folder = uploadsFolder(ada, threadId);
    mkdirSync(join(folder, 'folder'));
    symlinkSync('a.txt', join(folder, 'link'));
    for (const name of ['folder', 'link'])
      expect((await ada.call('DELETE', `/threads/${threadId}/uploads/${name}`)).status).toBe(400);
    expect(readdirSync(folder).sort()).toEqual(['a.txt', 'folder', 'link']);
  });
});

describe('two users', () => {
  it('share no file, even in a thread that is shared', async () => {
    const threadId = await ada.thread();
    await upload(ada, threadId, ['hers.txt', 'hers']);
    for (const [method, path] of [
      ['GET', 'uploads/list'],
      ['GET', 'uploads/limits'],
      ['DELETE', 'uploads/hers.txt'],
      ['GET', 'artifacts/mnt/user-data/uploads/hers.txt'],
    ] as const)
      expect((await bob.call(method, `/threads/${threadId}/${path}`)).status).toBe(404);
    await server.gateway.context.database.write(async (trx) => {
      await trx
        .updateTable('threads' as never)
        .set({ user_id: null } as never)
        .where('thread_id' as never, '=', threadId as never)
        .execute();
    });
    expect(await names(bob, threadId)).toEqual([]);
    expect((await bob.call('DELETE', `/threads/${threadId}/uploads/hers.txt`)).status).toBe(404);
    expect((await bob.get(`/threads/${threadId}/artifacts/mnt/user-data/uploads/hers.txt`)).status).toBe(404);
    await upload(bob, threadId, ['hers.txt', 'his']);
    expect(readFileSync(join(uploadsFolder(ada, threadId), 'hers.txt'), 'utf8')).toBe('hers');
    expect(await names(ada, threadId)).toEqual(['hers.txt']);
    await ada.ok('DELETE', `/threads/${threadId}`);
    for (const caller of [ada, bob]) expect(existsSync(threadFolder(caller, threadId))).toBe(false);
  });
});
