import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ConversationCaller } from './support/conversation-caller.ts';
import { type ConversationGateway, startConversation } from './support/conversation-gateway.ts';
import { firstAdmin } from './support/first-admin.ts';
import { type ZipEntry, zip } from './support/zip.ts';

let server: ConversationGateway;
let ada: ConversationCaller;
let admin: ConversationCaller;
let home: string;
beforeAll(async () => {
  server = await startConversation();
  ({ ada } = server);
  home = server.gateway.home;
  admin = await firstAdmin(server.gateway);
});
afterAll(() => server.close());
beforeEach(() => {
  for (const path of ['skills', 'extensions_config.json'])
    rmSync(join(home, path), { recursive: true, force: true });
});

const skillText = (name: string, description = 'Does it.', rest = 'Do it.') =>
  `---\nname: ${name}\ndescription: ${description}\n---\n${rest}\n`;

function put(path: string, content: string | Uint8Array): void {
  const file = join(home, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
}
const putSkill = (category: 'public' | 'custom', name: string, description?: string) =>
  put(`skills/${category}/${name}/SKILL.md`, skillText(name, description));

const file = (name: string, content: string, claims?: ZipEntry['claims']): ZipEntry => ({
  name,
  content: Buffer.from(content),
  ...(claims && { claims }),
});

/** Puts an archive into a new thread of the caller, as an agent or an upload would, and installs it. */
async function install(entries: readonly ZipEntry[] | Uint8Array, { caller = admin, name = 'x.skill' } = {}) {
  const thread = await caller.thread();
  const bytes = entries instanceof Uint8Array ? entries : zip(entries);
  put(`users/${caller.userId}/threads/${thread}/user-data/outputs/${name}`, bytes);
  return caller.post('/skills/install', { thread_id: thread, path: `/mnt/user-data/outputs/${name}` });
}

describe('skills', () => {
  it('are listed for every user, by name, broken ones with the reason', async () => {
    putSkill('public', 'brew-tea', 'Brews tea.');
    put('skills/custom/add-milk/SKILL.md', skillText('add-milk').replace('\n---\n', '\nlicense: MIT\n---\n'));
    put('skills/public/broken/SKILL.md', 'nothing');

    expect(await ada.ok('GET', '/skills')).toEqual({
      skills: [
        {
          name: 'add-milk',
          description: 'Does it.',
          license: 'MIT',
          allowed_tools: null,
          category: 'custom',
          enabled: true,
          editable: true,
        },
        {
          name: 'brew-tea',
          description: 'Brews tea.',
          license: null,
          allowed_tools: null,
          category: 'public',
          enabled: true,
          editable: false,
        },
      ],
      broken: [
        {
          name: 'broken',
          category: 'public',
          reason: expect.stringContaining('begins with a line'),
          sentences: [{ code: 'skill_text_begins_wrong', values: {} }],
        },
      ],
    });
    const custom = await ada.ok('GET', '/skills/custom');
    expect(custom).toMatchObject({ skills: [{ name: 'add-milk' }], broken: [] });
    expect(await ada.ok('GET', '/skills/brew-tea')).toMatchObject({ description: 'Brews tea.' });
  });

  it('are not found by other names', async () => {
    expect(await ada.get('/skills/none')).toMatchObject({
      status: 404,
      body: { detail: "Skill 'none' not found" },
    });
    expect((await ada.get('/skills/constructor')).status).toBe(404);
    for (const name of ['Brew', 'a--b', '..%2f..%2fx', 'x'.repeat(65), 'a.b']) {
      expect((await ada.get(`/skills/${name}`)).status, name).toBe(422);
      expect((await ada.get(`/skills/custom/${name}`)).status, name).toBe(422);
    }
    putSkill('public', 'brew-tea');
    const custom = await ada.get('/skills/custom/brew-tea');
    expect(custom).toMatchObject({ status: 404, body: { detail: "Custom skill 'brew-tea' not found" } });
  });

  it('are switched in the extensions file, where everything else stays', async () => {
    putSkill('public', 'brew-tea');
    put(
      'extensions_config.json',
      JSON.stringify({ mcpServers: {}, mine: 1, skills: { other: { enabled: false } } }),
    );

    expect(await admin.ok('PUT', '/skills/brew-tea', { enabled: false })).toMatchObject({ enabled: false });
    expect(await ada.ok('GET', '/skills/brew-tea')).toMatchObject({ enabled: false });
    expect(JSON.parse(readFileSync(join(home, 'extensions_config.json'), 'utf8'))).toEqual({
      mcpServers: {},
      mine: 1,
      skills: { other: { enabled: false }, 'brew-tea': { enabled: false } },
    });
    await admin.ok('PUT', '/skills/brew-tea', { enabled: true });
    expect(await ada.ok('GET', '/skills/brew-tea')).toMatchObject({ enabled: true });
    expect((await admin.call('PUT', '/skills/none', { body: { enabled: true } })).status).toBe(404);
    expect((await admin.call('PUT', '/skills/brew-tea', { body: {} })).status).toBe(422);
    expect((await admin.call('PUT', '/skills/brew-tea', { body: { enabled: 'no' } })).status).toBe(422);
  });

  it('are read from the disk as they are now, and can be reloaded by hand', async () => {
    putSkill('public', 'brew-tea', 'Old.');
    expect(await ada.ok('GET', '/skills/brew-tea')).toMatchObject({ description: 'Old.' });
    putSkill('public', 'brew-tea', 'New!');
    expect(await ada.ok('GET', '/skills/brew-tea')).toMatchObject({ description: 'New!' });
    expect(await admin.ok('POST', '/skills/reload', {})).toMatchObject({ success: true, scope: 'process' });
  });

  it.each([
    ['PUT', '/skills/brew-tea', { enabled: false }],
    ['POST', '/skills/install', { thread_id: 't', path: '/mnt/user-data/outputs/x.skill' }],
    ['POST', '/skills/reload', {}],
    ['PUT', '/skills/custom/brew-tea', { content: skillText('brew-tea') }],
    ['DELETE', '/skills/custom/brew-tea', undefined],
    ['GET', '/skills/custom/brew-tea/history', undefined],
    ['POST', '/skills/custom/brew-tea/rollback', {}],
  ])('are changed by administrators alone: %s %s', async (method, path, body) => {
    putSkill('custom', 'brew-tea');
    expect((await ada.call(method, path, { ...(body && { body }) })).status).toBe(403);
    const anonymous = await fetch(new URL(`/api${path}`, ada.url), { method });
    expect([401, 403]).toContain(anonymous.status);
    expect(readFileSync(join(home, 'skills/custom/brew-tea/SKILL.md'), 'utf8')).toBe(skillText('brew-tea'));
  });

  it('are readable only for users who are signed in', async () => {
    for (const path of ['/skills', '/skills/x', '/skills/custom', '/skills/custom/x']) {
      expect((await fetch(new URL(`/api${path}`, ada.url))).status).toBe(401);
    }
  });
});

describe('an archive of a skill', () => {
  it('becomes a custom skill with all its files, switched on', async () => {
    put('extensions_config.json', JSON.stringify({ skills: { 'brew-tea': { enabled: false } } }));
    const answer = await install([
      file('tea/SKILL.md', skillText('brew-tea', 'Brews tea.')),
      file('tea/parts/cup.md', 'A cup.'),
      { name: 'tea/parts/', content: new Uint8Array() },
      file('__MACOSX/tea/._x', 'litter'),
    ]);
    expect(answer).toMatchObject({
      status: 200,
      body: { success: true, skill_name: 'brew-tea', message: "Skill 'brew-tea' installed successfully" },
    });
    expect(await ada.ok('GET', '/skills/brew-tea')).toMatchObject({ category: 'custom', enabled: true });
    expect(readFileSync(join(home, 'skills/custom/brew-tea/parts/cup.md'), 'utf8')).toBe('A cup.');
    expect(readdirSync(join(home, 'skills/custom/brew-tea')).sort()).toEqual(['SKILL.md', 'parts']);
    expect(readdirSync(join(home, 'skills/custom/.staging'))).toEqual([]);
  });

  it('is refused when the name is taken', async () => {
    putSkill('public', 'brew-tea');
    const sentences = [{ code: 'skill_present', values: { name: 'brew-tea' } }];
    const refused = { status: 409, body: { detail: "Skill 'brew-tea' already exists", sentences } };
    expect(await install([file('SKILL.md', skillText('brew-tea'))])).toMatchObject(refused);
    expect((await install([file('SKILL.md', skillText('add-milk'))])).status).toBe(200);
    expect((await install([file('SKILL.md', skillText('add-milk'))])).status).toBe(409);
    mkdirSync(join(home, 'skills/custom/by-hand'));
    expect((await install([file('SKILL.md', skillText('by-hand'))])).status).toBe(409);
  });

  const good = file('SKILL.md', skillText('x'));
  it.each<[string, readonly ZipEntry[] | Uint8Array]>([
    ['no archive', Buffer.from('nothing of the kind')],
    ['nothing in it', []],
    ['no SKILL.md', [file('README.md', 'x')]],
    ['a way up', [good, file('../../escape.txt', 'x')]],
    ['an absolute path', [good, file('/tmp/escape.txt', 'x')]],
    ['a link', [good, file('leak', '/etc/passwd', { mode: 0o120777 })]],
    ['a link to a folder with a file in it', [good, file('up', '..', { mode: 0o120777 }), file('up/x', 'x')]],
    ['a device', [good, file('null', '', { mode: 0o020666 })]],
    ['a bomb', [good, { name: 'zeros', content: Buffer.alloc(30 * 1024 * 1024) }]],
    ['a size that is a lie', [good, file('a', 'x'.repeat(5_000), { sizeBytes: 10 })]],
    ['a damaged file', [good, file('a', 'x', { crc: 1 })]],
    ['an encrypted file', [good, file('a', 'x', { flags: 1 })]],
    ['a name twice', [good, file('a', 'x'), file('A', 'y')]],
    ['a text that is no skill', [file('SKILL.md', 'no front matter')]],
    ['a name that leads away', [file('SKILL.md', skillText('../../x'))]],
    ['a name that the API needs', [file('SKILL.md', skillText('custom'))]],
    ['a text that is too large', [file('SKILL.md', skillText('x', 'x', 'abc'.repeat(50_000)))]],
  ])('with %s is refused and leaves nothing', async (_what, entries) => {
    const { status, body } = await install(entries);
    expect(status).toBe(400);
    expect(body.detail).toMatch(/\w/);
    expect(body.detail).not.toContain(home);
    expect(body.sentences).toContainEqual({
      code: expect.stringMatching(/^(archive|skill)_/),
      values: expect.anything(),
    });
    expect(body.sentences).not.toContainEqual({ code: 'quote', values: expect.anything() });
    expect(await ada.ok('GET', '/skills')).toEqual({ skills: [], broken: [] });
    for (const name of ['escape.txt', 'skills/escape.txt']) expect(existsSync(join(home, name))).toBe(false);
    const custom = join(home, 'skills/custom');
    const left = existsSync(custom) ? readdirSync(custom, { recursive: true, encoding: 'utf8' }) : [];
    expect(left.filter((path) => path !== '.staging')).toEqual([]);
  });

  it('is read only from threads of the caller', async () => {
    const archive = [file('SKILL.md', skillText('brew-tea'))];
    const thread = await ada.thread();
    put(`users/${ada.userId}/threads/${thread}/user-data/outputs/x.skill`, zip(archive));
    const path = '/mnt/user-data/outputs/x.skill';
    expect((await admin.post('/skills/install', { thread_id: thread, path })).status).toBe(404);
    expect((await admin.post('/skills/install', { thread_id: 'unknown', path })).status).toBe(404);
    expect(await ada.ok('GET', '/skills')).toMatchObject({ skills: [] });
  });

  it('has to be a file of the thread with the right name', async () => {
    const archive = zip([file('SKILL.md', skillText('brew-tea'))]);
    put('outside.skill', archive);
    const thread = await admin.thread();
    const folder = `users/${admin.userId}/threads/${thread}/user-data/outputs`;
    put(`${folder}/x.zip`, archive);
    symlinkSync(join(home, 'outside.skill'), join(home, folder, 'link.skill'));
    mkdirSync(join(home, folder, 'folder.skill'));
    const statusOf = async (path: string) =>
      (await admin.post('/skills/install', { thread_id: thread, path })).status;
    expect(await statusOf('/mnt/user-data/outputs/none.skill')).toBe(404);
    expect(await statusOf('/mnt/user-data/outputs/x.zip')).toBe(400);
    expect(await statusOf('/mnt/user-data/outputs/folder.skill')).toBe(400);
    expect(await statusOf('/etc/x.skill')).toBe(400);
    expect(await statusOf('/mnt/user-data/outputs/link.skill')).toBe(403);
    expect(await statusOf('/mnt/user-data/../../../../../outside.skill')).toBe(403);
    expect(await statusOf('')).toBe(422);
    expect((await admin.post('/skills/install', { thread_id: '../x', path: 'x.skill' })).status).toBe(422);
    expect((await admin.post('/skills/install', { thread_id: thread })).status).toBe(422);
  });
});

describe('a custom skill', () => {
  beforeEach(() => putSkill('custom', 'brew-tea', 'First.'));
  const path = '/skills/custom/brew-tea';
  const edit = (content: string, headers = {}) => admin.call('PUT', path, { body: { content }, headers });

  it('is readable with its text for every user, and changed as a whole', async () => {
    const before = await ada.get(path);
    expect(before.body).toMatchObject({ name: 'brew-tea', content: skillText('brew-tea', 'First.') });
    const after = await edit(skillText('brew-tea', 'Second.'));
    expect(after).toMatchObject({ status: 200, body: { description: 'Second.', editable: true } });
    expect((await ada.get(path)).headers.get('etag')).toBe(after.headers.get('etag'));
    expect(before.headers.get('etag')).not.toBe(after.headers.get('etag'));
  });

  it('is not overwritten by a user who has read an older text', async () => {
    const etag = (await ada.get(path)).headers.get('etag') ?? '';
    expect((await edit(skillText('brew-tea', 'Second.'), { 'if-match': etag })).status).toBe(200);
    expect((await edit(skillText('brew-tea', 'Third.'), { 'if-match': etag })).status).toBe(412);
    expect(await ada.ok('GET', path)).toMatchObject({ description: 'Second.' });
  });

  it.each([
    ['no front matter', 'just text', 400],
    ['another name', skillText('add-milk'), 400],
    ['no text', '', 422],
    ['too much text', `${skillText('brew-tea')}${'a'.repeat(131_072)}`, 422],
    ['too many bytes', `${skillText('brew-tea')}${'é'.repeat(100_000)}`, 400],
  ])('is not changed to %s', async (_what, content, status) => {
    expect((await edit(content)).status).toBe(status);
    expect(await ada.ok('GET', path)).toMatchObject({ description: 'First.' });
  });

  it('is not created by a change, and public ones are not changed', async () => {
    putSkill('public', 'add-milk');
    const body = { content: skillText('add-milk') };
    expect((await admin.call('PUT', '/skills/custom/add-milk', { body })).status).toBe(404);
    expect((await admin.call('DELETE', '/skills/custom/add-milk')).status).toBe(404);
    expect((await admin.call('GET', '/skills/custom/add-milk/history')).status).toBe(404);
    expect((await admin.post('/skills/custom/add-milk/rollback')).status).toBe(404);
  });

  it('is repaired or deleted when it is broken', async () => {
    put('skills/custom/brew-tea/SKILL.md', 'broken');
    expect((await ada.get(path)).status).toBe(404);
    expect((await edit(skillText('brew-tea', 'Well.'))).body).toMatchObject({ description: 'Well.' });
    put('skills/custom/brew-tea/SKILL.md', 'broken');
    expect((await admin.call('DELETE', path)).body).toEqual({ success: true });
    expect(await ada.ok('GET', '/skills')).toEqual({ skills: [], broken: [] });
  });

  it('has a history, and can be returned to an earlier text', async () => {
    expect(await admin.ok('GET', `${path}/history`)).toEqual({ history: [] });
    await edit(skillText('brew-tea', 'Second.'));
    await edit(skillText('brew-tea', 'Third.'));
    const { history } = await admin.ok('GET', `${path}/history`);
    expect(history).toMatchObject([
      {
        ts: expect.stringMatching(/Z$/),
        action: 'edit',
        author: admin.userId,
        file_path: 'SKILL.md',
        prev_content: skillText('brew-tea', 'First.'),
        new_content: skillText('brew-tea', 'Second.'),
      },
      { prev_content: skillText('brew-tea', 'Second.'), new_content: skillText('brew-tea', 'Third.') },
    ]);
    const back = await admin.post(`${path}/rollback`);
    expect(back.body).toMatchObject({ description: 'Second.', content: skillText('brew-tea', 'Second.') });
    expect((await admin.post(`${path}/rollback`, { history_index: 0 })).body).toMatchObject({
      description: 'First.',
    });
    for (const history_index of [9, -9]) {
      expect((await admin.post(`${path}/rollback`, { history_index })).status).toBe(400);
    }
    for (const history_index of [1.5, 'x', 100_000]) {
      expect((await admin.post(`${path}/rollback`, { history_index })).status).toBe(422);
    }
    expect((await admin.ok('GET', `${path}/history`)).history).toHaveLength(4);
  });

  it('keeps the newest twenty changes', async () => {
    for (let at = 0; at < 22; at += 1) await edit(skillText('brew-tea', `Text ${at}.`));
    const { history } = await admin.ok('GET', `${path}/history`);
    expect(history).toHaveLength(20);
    expect(history.at(-1).new_content).toContain('Text 21.');
  });

  it('is deleted with all its files, and its text can be restored', async () => {
    put('skills/custom/brew-tea/parts/cup.md', 'A cup.');
    await admin.ok('PUT', '/skills/brew-tea', { enabled: false });
    expect(await admin.ok('DELETE', path)).toEqual({ success: true });
    expect((await admin.call('DELETE', path)).status).toBe(404);
    expect((await ada.get('/skills/brew-tea')).status).toBe(404);
    expect(existsSync(join(home, 'skills/custom/brew-tea'))).toBe(false);
    expect(readdirSync(join(home, 'skills/custom/.staging'))).toEqual([]);

    expect((await admin.post(`${path}/rollback`)).body).toMatchObject({
      description: 'First.',
      enabled: false,
    });
    expect(readdirSync(join(home, 'skills/custom/brew-tea'))).toEqual(['SKILL.md']);
    expect((await admin.post(`${path}/rollback`)).body).toEqual({
      detail: 'Before this change there was no text.',
      sentences: [{ code: 'skill_change_first', values: {} }],
    });
  });

  it('is not restored when its name is taken', async () => {
    await admin.ok('DELETE', path);
    putSkill('public', 'brew-tea');
    expect((await admin.post(`${path}/rollback`)).status).toBe(409);
  });

  it('has no history before it was installed', async () => {
    expect((await install([file('SKILL.md', skillText('add-milk'))])).status).toBe(200);
    const { history } = await admin.ok('GET', '/skills/custom/add-milk/history');
    expect(history).toMatchObject([
      { action: 'install', prev_content: null, new_content: skillText('add-milk') },
    ]);
    expect((await admin.post('/skills/custom/add-milk/rollback')).status).toBe(400);
  });

  it('is one of at most 200', async () => {
    for (let at = 0; at < 199; at += 1) putSkill('custom', `skill-${at}`);
    expect((await install([file('SKILL.md', skillText('one-more'))])).status).toBe(409);
    rmSync(join(home, 'skills/custom/skill-0'), { recursive: true });
    expect((await install([file('SKILL.md', skillText('one-more'))])).status).toBe(200);
  });
});
