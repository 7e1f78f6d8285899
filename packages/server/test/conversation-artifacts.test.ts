import { createHash, randomBytes } from 'node:crypto';
import { linkSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { closeGate } from './fixtures/agents/gates.ts';
import { type ConversationCaller, says } from './support/conversation-caller.ts';
import { type ConversationGateway, startConversation } from './support/conversation-gateway.ts';
import { zip } from './support/zip.ts';

let server: ConversationGateway;
let ada: ConversationCaller;
let bob: ConversationCaller;
let thread: string;
beforeAll(async () => {
  server = await startConversation();
  ({ ada, bob } = server);
});
afterAll(() => server.close());
beforeEach(async () => {
  thread = await ada.thread();
});

const root = (caller = ada, threadId = thread) =>
  join(server.gateway.home, 'users', caller.userId, 'threads', threadId, 'user-data');

/** Writes a file as an agent's tool would. */
function put(path: string, content: string | Uint8Array, base = root()): string {
  const file = join(base, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
  return file;
}

const address = (path: string, query = '') => `/threads/${thread}/artifacts/mnt/user-data/${path}${query}`;
const sha256 = (content: string | Uint8Array) => createHash('sha256').update(content).digest('hex');

async function load(path: string, headers: Record<string, string> = {}) {
  const answer = await fetch(new URL(`/api${address(path)}`, ada.url), {
    headers: { 'x-api-key': ada.token, ...headers },
  });
  return { status: answer.status, headers: answer.headers, bytes: Buffer.from(await answer.arrayBuffer()) };
}

/** Sends the path unchanged; `fetch` would normalise it. */
function rawGet(path: string): Promise<string> {
  const { hostname, port } = new URL(ada.url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname);
    let text = '';
    socket.on('data', (chunk) => (text += chunk));
    socket.on('end', () => resolve(text));
    socket.on('error', reject);
    socket.write(`GET ${path} HTTP/1.1\r\nhost: x\r\nx-api-key: ${ada.token}\r\nconnection: close\r\n\r\n`);
  });
}

describe('an artifact', () => {
  it.each(['uploads', 'workspace', 'outputs'])('is loaded from %s, byte for byte', async (folder) => {
    const bytes = randomBytes(300_000);
    put(`${folder}/deep/er/a.bin`, bytes);
    const { status, headers, bytes: loaded } = await load(`${folder}/deep/er/a.bin`);
    expect([status, headers.get('content-length')]).toEqual([200, '300000']);
    expect(loaded.equals(bytes)).toBe(true);
  });

  const pdf = '%PDF-1.7\n';
  it.each<[name: string, content: string | Uint8Array, type: string, disposition: 'inline' | 'attachment']>([
    ['page.html', '<h1>x</h1>', 'text/html; charset=utf-8', 'attachment'],
    ['page.HTM', '<h1>x</h1>', 'text/html; charset=utf-8', 'attachment'],
    ['page.xhtml', '<html xmlns="http://www.w3.org/1999/xhtml"/>', 'application/xhtml+xml', 'attachment'],
    ['picture.svg', '<svg xmlns="http://www.w3.org/2000/svg"/>', 'image/svg+xml', 'attachment'],
    ['picture.png', '<svg onload="alert(1)"/>', 'image/svg+xml', 'attachment'],
    ['feed.xml', '<?xml version="1.0"?><x/>', 'application/xml', 'attachment'],
    ['latin.html', Buffer.from('<p>\xe9</p>', 'latin1'), 'text/html; charset=utf-8', 'attachment'],
    ['drawing.svg', '<?xml version="1.0"?><svg/>', 'image/svg+xml', 'attachment'],
    ['nothing', '<script>alert(1)</script>', 'text/html; charset=utf-8', 'attachment'],
    ['paper.pdf', pdf, 'application/pdf', 'attachment'],
    ['script.js', 'alert(1)', 'text/plain; charset=utf-8', 'inline'],
    ['style.css', 'a{}', 'text/plain; charset=utf-8', 'inline'],
    ['notes.md', '<div align="center">\n# Notes', 'text/plain; charset=utf-8', 'inline'],
    ['notes', 'plain', 'text/plain; charset=utf-8', 'inline'],
    ['old.txt', Buffer.from('caf\xe9', 'latin1'), 'text/plain; charset=utf-8', 'inline'],
    ['table.csv', 'a,b', 'text/csv; charset=utf-8', 'inline'],
    ['data.json', '{}', 'application/json', 'inline'],
    ['x.bin', Buffer.from([1, 0, 2]), 'application/octet-stream', 'inline'],
    ['late-nul', `${'a'.repeat(8_191)}\0`, 'application/octet-stream', 'inline'],
    ['later-nul', `${'a'.repeat(8_192)}\0`, 'text/plain; charset=utf-8', 'inline'],
    ['photo.txt', Buffer.from('\x89PNG\r\n\x1a\n\0\0', 'latin1'), 'image/png', 'inline'],
  ])(
    'called %s has its real type and is shown or downloaded accordingly',
    async (name, content, type, disposition) => {
      put(`outputs/${name}`, content);
      const { status, headers } = await load(`outputs/${name}`);
      expect([status, headers.get('content-type')]).toEqual([200, type]);
      expect(headers.get('content-disposition')).toMatch(new RegExp(`^${disposition};`));
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('content-security-policy')).toMatch(/default-src 'none'.*sandbox/);
      expect(headers.get('cross-origin-resource-policy')).toBe('same-origin');
    },
  );

  it('is downloaded when the request asks for that; no request can make it be shown', async () => {
    put('outputs/ä b".txt', 'x');
    put('outputs/page.html', '<p>');
    const saved = await ada.get(address('outputs/%C3%A4%20b%22.txt', '?download=true'));
    expect(saved.headers.get('content-disposition')).toBe(
      `attachment; filename="_ b_.txt"; filename*=UTF-8''%C3%A4%20b_.txt`,
    );
    const page = await ada.get(address('outputs/page.html', '?download=false'));
    expect(page.headers.get('content-disposition')).toMatch(/^attachment;/);
  });

  it.each([
    ['bytes=0-3', 206, 'hell', 'bytes 0-3/11'],
    ['bytes=6-', 206, 'world', 'bytes 6-10/11'],
    ['bytes=-3', 206, 'rld', 'bytes 8-10/11'],
    ['bytes=5-99', 206, ' world', 'bytes 5-10/11'],
    ['bytes=11-', 416, '', 'bytes */11'],
    ['bytes=0-1,3-4', 200, 'hello world', null],
  ])('is loaded in part by the range %s', async (range, status, text, contentRange) => {
    put('outputs/a.txt', 'hello world');
    const answer = await load('outputs/a.txt', { range });
    expect([answer.status, answer.bytes.toString(), answer.headers.get('content-range')]).toEqual([
      status,
      text,
      contentRange,
    ]);
  });

  it('is sent again only when it has changed', async () => {
    put('outputs/a.txt', 'one');
    const etag = (await load('outputs/a.txt')).headers.get('etag') ?? '';
    expect((await load('outputs/a.txt', { 'if-none-match': etag })).status).toBe(304);
    expect((await load('outputs/a.txt', { range: 'bytes=1-', 'if-range': '"other"' })).status).toBe(200);
    put('outputs/a.txt', 'two!');
    const changed = await load('outputs/a.txt', { 'if-none-match': etag });
    expect([changed.status, changed.bytes.toString()]).toEqual([200, 'two!']);
  });

  it('answers HEAD with its size', async () => {
    put('outputs/a.txt', 'hello');
    const head = await ada.call('HEAD', address('outputs/a.txt'));
    expect([head.status, head.text, head.headers.get('content-length')]).toEqual([200, '', '5']);
  });
});

describe('the path of an artifact', () => {
  it.each([
    ['mnt/user-dataX/a', 400, 'Path must start with /mnt/user-data'],
    ['etc/passwd', 400, 'Path must start with /mnt/user-data'],
    ['mnt/user-data', 400, 'Path is not a file: mnt/user-data'],
    ['mnt/user-data/', 400, 'Path is not a file: mnt/user-data'],
    ['mnt/user-data/outputs', 400, 'Path is not a file: mnt/user-data/outputs'],
    ['mnt/user-data/outputs/none.txt', 404, 'Artifact not found: mnt/user-data/outputs/none.txt'],
    [
      `mnt/user-data/outputs/${'é'.repeat(128)}`,
      404,
      `Artifact not found: mnt/user-data/outputs/${'é'.repeat(128)}`,
    ],
    ['mnt/user-data/outputs/a.txt/b', 404, 'Artifact not found: mnt/user-data/outputs/a.txt/b'],
  ])('%j is refused in the words of the contract', async (path, status, detail) => {
    put('outputs/a.txt', 'x');
    expect(await ada.get(`/threads/${thread}/artifacts/${path}`)).toMatchObject({ status, body: { detail } });
  });

  it.each([
    '..%2f..%2f..%2fsecret.txt',
    'outputs/..%2f..%2fsecret.txt',
    'outputs/%2e%2e/%2e%2e/secret.txt',
    'outputs/../../secret.txt',
    'outputs/%252e%252e%252fsecret.txt',
    'outputs/..%5c..%5csecret.txt',
    'outputs/%EF%BC%8E%EF%BC%8E/secret.txt',
    'outputs//etc/passwd',
    'outputs/a.txt:stream',
    'outputs/con',
    `outputs/${'x'.repeat(256)}/../../secret.txt`,
    'outputs/link',
    'outputs/folder/secret.txt',
    'outputs/dangling',
  ])('%s leads nowhere', async (path) => {
    const secret = put('secret.txt', 'the secret', server.gateway.home);
    put('outputs/a.txt', 'x');
    symlinkSync(secret, join(root(), 'outputs', 'link'));
    symlinkSync(dirname(secret), join(root(), 'outputs', 'folder'));
    symlinkSync(join(dirname(secret), 'none'), join(root(), 'outputs', 'dangling'));
    const answer = await rawGet(`/api/threads/${thread}/artifacts/mnt/user-data/${path}`);
    expect(answer).toMatch(/^HTTP\/1.1 403 /);
    expect(answer).toContain('Access denied: path traversal detected');
    expect(answer).not.toContain('the secret');
    expect(answer).not.toContain(server.gateway.home);
  });

  it('may be a link that stays among the files of the thread', async () => {
    put('workspace/a.txt', 'inside');
    mkdirSync(join(root(), 'outputs'));
    symlinkSync('../workspace/a.txt', join(root(), 'outputs', 'a.txt'));
    expect((await load('outputs/a.txt')).bytes.toString()).toBe('inside');
  });

  it('is read in the folder of the caller, even in a thread of another user', async () => {
    put('outputs/a.txt', 'hers');
    expect((await bob.get(address('outputs/a.txt'))).status).toBe(404);
    const own = await bob.thread();
    put('outputs/a.txt', 'his', root(bob, own));
    const climbing = `mnt/user-data/..%2f..%2f..%2f..%2f${ada.userId}%2fthreads%2f${thread}%2fuser-data%2foutputs%2fa.txt`;
    expect((await bob.get(`/threads/${own}/artifacts/${climbing}`)).status).toBe(403);
  });

  it('needs a thread', async () => {
    await ada.ok('DELETE', `/threads/${thread}`);
    for (const id of [thread, 'never-made'])
      expect((await ada.get(`/threads/${id}/artifacts/mnt/user-data/outputs/a.txt`)).status).toBe(404);
  });
});

describe('a member of a skill’s archive', () => {
  const readme = Buffer.from('# Skill\n'.repeat(100));
  const skill = () =>
    zip(
      [
        { name: 'my-skill/', content: Buffer.alloc(0), stored: true },
        { name: 'my-skill/SKILL.md', content: readme },
        { name: 'my-skill/page.html', content: Buffer.from('<p>') },
        { name: 'exact.md', content: Buffer.from('exact'), stored: true },
        { name: 'deep/exact.md', content: Buffer.from('deep') },
      ],
      'a comment',
    );

  it('is found by its exact name, or by the end of its path', async () => {
    put('outputs/my.skill', skill());
    const answer = await load('outputs/my.skill/SKILL.md');
    expect([answer.status, answer.bytes.equals(readme)]).toEqual([200, true]);
    expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect(answer.headers.get('cache-control')).toBe('private, max-age=300');
    expect((await load('outputs/my.skill/exact.md')).bytes.toString()).toBe('exact');
    expect((await load('outputs/my.skill/deep/exact.md')).bytes.toString()).toBe('deep');
    expect((await load('outputs/my.skill/SKILL.md', { range: 'bytes=2-6' })).bytes.toString()).toBe('Skill');
    const page = await load('outputs/my.skill/page.html');
    expect(page.headers.get('content-disposition')).toMatch(/^attachment;/);
    expect((await load('outputs/my.skill')).bytes.equals(skill())).toBe(true);
  });

  it.each([
    ['my.skill/none.md', "File 'none.md' not found in skill archive"],
    ['my.skill/my-skill', "File 'my-skill' not found in skill archive"],
    ['none.skill/SKILL.md', 'Skill file not found: mnt/user-data/outputs/none.skill'],
  ])('that does not exist is 404: %s', async (path, detail) => {
    put('outputs/my.skill', skill());
    expect(await ada.get(address(`outputs/${path}`))).toMatchObject({ status: 404, body: { detail } });
  });

  it('is refused by its stated size, and is not unpacked beyond it', async () => {
    const big = Buffer.alloc(16 * 1024 * 1024 + 1);
    put('outputs/big.skill', zip([{ name: 'big', content: big }]));
    put('outputs/liar.skill', zip([{ name: 'big', content: big, claims: { sizeBytes: 10 } }]));
    put('outputs/most.skill', zip([{ name: 'most', content: big.subarray(1) }]));
    expect((await load('outputs/big.skill/big')).status).toBe(413);
    expect((await load('outputs/liar.skill/big')).status).toBe(400);
    expect((await load('outputs/most.skill/most')).bytes).toHaveLength(16 * 1024 * 1024);
  });

  const content = Buffer.from('content');
  it.each<[what: string, archive: Buffer]>([
    ['no archive', Buffer.from('PK, but no more')],
    ['empty', Buffer.alloc(0)],
    ['cut', zip([{ name: 'a', content }]).subarray(0, 60)],
    ['with its beginning cut off', zip([{ name: 'a', content }]).subarray(10)],
    ['with a wrong checksum', zip([{ name: 'a', content, claims: { crc: 1 } }])],
    ['encrypted', zip([{ name: 'a', content, claims: { flags: 1 } }])],
    ['packed in another way', zip([{ name: 'a', content, claims: { method: 12 } }])],
    ['with a file behind its end', zip([{ name: 'a', content, claims: { headerAt: 0xfffffff0 } }])],
    ['with a file in its directory', zip([{ name: 'a', content, claims: { headerAt: 40 } }])],
    ['with a file that is no packed one', zip([{ name: 'a', content, stored: true, claims: { method: 8 } }])],
  ])('is reported as unreadable when the archive is %s', async (_what, archive) => {
    put('outputs/bad.skill', archive);
    expect(await ada.get(address('outputs/bad.skill/a'))).toMatchObject({
      status: 400,
      body: { detail: expect.stringContaining('The skill archive cannot be read') },
    });
  });
});

describe('a hundred readers of an archive with very many files', () => {
  const files = Array.from({ length: 60_000 }, (_, n) => ({
    name: `${n}`.padStart(40, 'x'),
    content: Buffer.alloc(0),
    stored: true,
  }));
  const rightFile = zip([{ name: 'SKILL.md', content: Buffer.from('# Skill') }]);

  it.each([
    ['whose end record is true', {}],
    ['whose end record lies', { count: 10, directoryBytes: 860 }],
  ])('are refused, over connections of their own, and others read on: %s', async (_what, claims) => {
    put('outputs/many.skill', zip(files, '', claims));
    const bobs = await bob.thread();
    put('outputs/my.skill', rightFile, root(bob, bobs));
    const attack = Array.from({ length: 110 }, () => rawGet(`/api${address('outputs/many.skill/SKILL.md')}`));
    const read = await bob.get(`/threads/${bobs}/artifacts/mnt/user-data/outputs/my.skill/SKILL.md`);
    expect(read.status).toBe(200);
    const lines = (await Promise.all(attack)).map((answer) => answer.split('\r\n', 1)[0]);
    const expected = ['HTTP/1.1 400 Bad Request', 'HTTP/1.1 429 Too Many Requests'];
    expect(lines.filter((line) => !expected.includes(line ?? ''))).toEqual([]);
    expect(lines).toContain(expected[0]);
  });
});

describe('editing an artifact', () => {
  const edit = (path: string, content: string, expected = sha256('old'), caller = ada) =>
    caller.call('PUT', address(path), { body: { content, expected_sha256: expected } });

  it('replaces a text below outputs that has not changed since it was read', async () => {
    const file = put('outputs/deep/a.md', 'old');
    expect(await edit('outputs/deep/a.md', 'neü')).toMatchObject({
      status: 200,
      body: { path: '/mnt/user-data/outputs/deep/a.md', sha256: sha256('neü'), size: 4 },
    });
    expect(readFileSync(file, 'utf8')).toBe('neü');
    expect(readdirSync(dirname(file))).toEqual(['a.md']);
    expect((await edit('outputs/deep/a.md', 'again')).status).toBe(412);
    expect(readFileSync(file, 'utf8')).toBe('neü');
  });

  it('lets only one of several callers win that have read the same text', async () => {
    put('outputs/a.md', 'old');
    const answers = await Promise.all([1, 2, 3, 4, 5].map((n) => edit('outputs/a.md', `new ${n}`)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 412, 412, 412, 412]);
  });

  it.each([
    ['workspace/a.md', 403],
    ['uploads/a.md', 403],
    ['outputs', 403],
    ['outputs/..%2fworkspace%2fa.md', 403],
    ['outputs/link.md', 403],
    ['outputs/hard.md', 403],
    ['outputs/inner.md', 403],
    ['outputs/folder', 400],
    ['outputs/none.md', 404],
  ])('is refused at %s', async (path, status) => {
    const secret = put(`${thread}.txt`, 'old', server.gateway.home);
    const own = put('workspace/a.md', 'old');
    put('outputs/folder/a.md', 'old');
    symlinkSync(secret, join(root(), 'outputs', 'link.md'));
    symlinkSync('../workspace/a.md', join(root(), 'outputs', 'inner.md'));
    linkSync(secret, join(root(), 'outputs', 'hard.md'));
    expect((await edit(path, 'mine')).status).toBe(status);
    for (const file of [secret, own]) expect(readFileSync(file, 'utf8')).toBe('old');
  });

  it('is refused when it is not text or too large', async () => {
    const most = 2 * 1024 * 1024;
    const [binary, latin] = [Buffer.from([1, 0, 2]), Buffer.from('caf\xe9', 'latin1')];
    put('outputs/x.bin', binary);
    put('outputs/latin.txt', latin);
    put('outputs/large.txt', 'x'.repeat(most + 1));
    put('outputs/a.md', 'old');
    expect((await edit('outputs/x.bin', 'x', sha256(binary))).status).toBe(415);
    expect((await edit('outputs/latin.txt', 'x', sha256(latin))).status).toBe(415);
    expect((await edit('outputs/large.txt', 'x', sha256('x'.repeat(most + 1)))).status).toBe(413);
    expect((await edit('outputs/a.md', 'x'.repeat(most + 1))).status).toBe(413);
    expect((await edit('outputs/a.md', '\0')).status).toBe(422);
    expect((await edit('outputs/a.md', 'x', 'abc')).status).toBe(422);
    expect((await edit('outputs/a.md', 'x'.repeat(most))).status).toBe(200);
  });

  it('waits for the end of a run', async () => {
    put('outputs/a.md', 'old');
    const gate = closeGate('artifacts');
    const { run_id } = await ada.run(thread, {
      assistant_id: 'chat',
      input: says('count to 3 at gate artifacts before 2'),
    });
    await gate.reached;
    expect((await edit('outputs/a.md', 'new')).status).toBe(409);
    gate.open();
    await ada.ended(thread, run_id);
    expect((await edit('outputs/a.md', 'new')).status).toBe(200);
  });

  it('is not possible for other users', async () => {
    const file = put('outputs/a.md', 'old');
    expect((await edit('outputs/a.md', 'new', sha256('old'), bob)).status).toBe(404);
    expect(readFileSync(file, 'utf8')).toBe('old');
  });
});
