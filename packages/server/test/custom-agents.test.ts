import { existsSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ConversationCaller } from './support/conversation-caller.ts';
import { type ConversationGateway, startConversation } from './support/conversation-gateway.ts';

let server: ConversationGateway;
let ada: ConversationCaller;
let bob: ConversationCaller;
beforeAll(async () => {
  server = await startConversation();
  ({ ada, bob } = server);
});
afterAll(() => server.close());

const plain = { description: '', model: null, tool_groups: null, skills: null, soul: '' };
const fileOf = ({ userId }: ConversationCaller, ...inside: string[]) =>
  join(server.gateway.home, 'users', userId, ...inside);
const namesOf = async (caller: ConversationCaller): Promise<string[]> =>
  (await caller.ok('GET', '/agents')).agents.map(({ name }: { name: string }) => name);
let users = 0;
const newUser = () => {
  users += 1;
  return server.newUser(`agents-${users}@example.com`);
};

describe('custom agents', () => {
  it('are created, with their names in lower case', async () => {
    const given = {
      name: 'Image-Maker',
      description: 'Makes pictures',
      model: 'switchyard-demo',
      tool_groups: ['workflows', 'mcp:drawing'],
      skills: ['colour-theory'],
      soul: '# You paint\n',
    };
    const made = await ada.post('/agents', given);

    expect(made.status).toBe(201);
    expect(made.body).toEqual({ ...given, name: 'image-maker' });
    expect(await ada.ok('GET', '/agents/IMAGE-maker')).toEqual(made.body);
  });

  it('have a default for everything but the name', async () => {
    expect((await ada.post('/agents', { name: 'plain' })).body).toEqual({ ...plain, name: 'plain' });
  });

  it('are files of their user, which no other user may read', async () => {
    await ada.post('/agents', { name: 'filed', description: 'In files', soul: 'Soul of Ada' });
    const settings = fileOf(ada, 'agents', 'filed', 'config.yaml');
    const soul = fileOf(ada, 'agents', 'filed', 'SOUL.md');

    expect(readFileSync(settings, 'utf8')).toContain('description: In files');
    expect(readFileSync(soul, 'utf8')).toBe('Soul of Ada');
    expect([settings, soul].map((path) => statSync(path).mode & 0o777)).toEqual([0o600, 0o600]);
    expect(statSync(dirname(soul)).mode & 0o777).toBe(0o700);
  });

  it('are listed by name, without their souls', async () => {
    const user = await newUser();
    for (const name of ['b', 'c', 'a']) await user.post('/agents', { name, soul: 'long' });

    const { agents } = await user.ok('GET', '/agents');
    expect(agents).toEqual(['a', 'b', 'c'].map((name) => ({ ...plain, name, soul: null })));
  });

  it('belong to each user, even under the same name', async () => {
    await ada.post('/agents', { name: 'twin', soul: 'of Ada' });
    expect((await bob.get('/agents/twin')).status).toBe(404);
    expect((await bob.post('/agents', { name: 'twin', soul: 'of Bob' })).status).toBe(201);
    await bob.ok('PUT', '/agents/twin', { description: 'changed' });
    expect(await ada.ok('GET', '/agents/twin')).toMatchObject({ soul: 'of Ada', description: '' });
    await bob.ok('DELETE', '/agents/twin');
    expect(await ada.ok('GET', '/agents/twin')).toMatchObject({ soul: 'of Ada' });
    expect(await namesOf(bob)).not.toContain('twin');
  });

  it('are changed only in the named fields, and null removes a limit', async () => {
    await ada.post('/agents', { name: 'changing', description: 'one', tool_groups: [], soul: 'first' });
    expect(await ada.ok('PUT', '/agents/Changing', { soul: 'second' })).toEqual({
      ...plain,
      name: 'changing',
      description: 'one',
      tool_groups: [],
      soul: 'second',
    });
    expect(await ada.ok('PUT', '/agents/changing', { tool_groups: null })).toMatchObject({
      tool_groups: null,
      soul: 'second',
    });
  });

  it('keep what was written into their file by hand', async () => {
    await ada.post('/agents', { name: 'by-hand' });
    const path = fileOf(ada, 'agents', 'by-hand', 'config.yaml');
    writeFileSync(path, 'description: Written by hand\nmodel_settings: { temperature: 0.5 }\n');

    expect(await ada.ok('GET', '/agents/by-hand')).toMatchObject({ description: 'Written by hand' });
    await ada.ok('PUT', '/agents/by-hand', { soul: 'x' });
    expect(readFileSync(path, 'utf8')).toContain('temperature: 0.5');
  });

  it('are deleted with their memory and everything else in their folder', async () => {
    await ada.post('/agents', { name: 'going' });
    await ada.ok('POST', '/memory/facts?agent=Going', { content: 'Remembered' });
    expect(existsSync(fileOf(ada, 'agents', 'going', 'memory.json'))).toBe(true);
    const answer = await ada.call('DELETE', '/agents/Going');

    expect([answer.status, answer.text]).toEqual([204, '']);
    expect(existsSync(fileOf(ada, 'agents', 'going'))).toBe(false);
    expect((await ada.get('/agents/going')).status).toBe(404);
    await ada.post('/agents', { name: 'going' });
    expect((await ada.ok('GET', '/memory?agent=going')).facts).toEqual([]);
  });

  it('do not exist where there is only a memory', async () => {
    mkdirSync(fileOf(ada, 'agents', 'ghost'), { recursive: true });
    writeFileSync(fileOf(ada, 'agents', 'ghost', 'memory.json'), '{}');

    expect(await namesOf(ada)).not.toContain('ghost');
    expect((await ada.get('/agents/ghost')).status).toBe(404);
    expect((await ada.call('DELETE', '/agents/ghost')).status).toBe(404);
    expect(existsSync(fileOf(ada, 'agents', 'ghost', 'memory.json'))).toBe(true);
    expect((await ada.post('/agents', { name: 'ghost' })).status).toBe(201);
  });

  it('are limited to a hundred', async () => {
    const user = await newUser();
    for (let count = 0; count < 100; count += 1) {
      mkdirSync(fileOf(user, 'agents', `a${count}`), { recursive: true });
      writeFileSync(fileOf(user, 'agents', `a${count}`, 'config.yaml'), 'description: one of many\n');
    }
    expect(await namesOf(user)).toHaveLength(100);

    expect(await user.post('/agents', { name: 'one-more' })).toMatchObject({
      status: 409,
      body: { detail: expect.stringContaining('as many agents') },
    });
    expect((await bob.post('/agents', { name: 'one-more' })).status).toBe(201);
  });

  it('are created once when two requests come at the same time', async () => {
    const answers = await Promise.all(
      [1, 2, 3].map((n) => ada.post('/agents', { name: 'race', soul: `${n}` })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
    const winner = answers.find(({ status }) => status === 201);
    expect(await ada.ok('GET', '/agents/race')).toEqual(winner?.body);
  });
});

describe('the name of an agent', () => {
  it.each([
    ['Fresh', { available: true, name: 'fresh' }],
    ['chat', { available: false, name: 'chat' }],
    ['lead-agent', { available: false, name: 'lead-agent' }],
    ['check', { available: false, name: 'check' }],
  ])('%s is checked', async (name, answer) => {
    expect(await ada.ok('GET', `/agents/check?name=${name}`)).toEqual(answer);
  });

  it('is taken for the user who has it, and for no other user', async () => {
    await ada.post('/agents', { name: 'taken' });
    expect(await ada.ok('GET', '/agents/check?name=TAKEN')).toEqual({ available: false, name: 'taken' });
    expect(await bob.ok('GET', '/agents/check?name=taken')).toMatchObject({ available: true });
    expect(await ada.post('/agents', { name: 'Taken' })).toMatchObject({
      status: 409,
      body: {
        detail: "Agent 'taken' already exists",
        sentences: [{ code: 'agent_present', values: { name: 'taken' } }],
      },
    });
  });

  it.each(['chat', 'lead-agent', 'check'])('is refused when it means something else: %s', async (name) => {
    expect((await ada.post('/agents', { name })).status).toBe(409);
  });

  const badNames = [
    '..',
    '../bob',
    'a/b',
    'a\\b',
    'a.b',
    'a_b',
    'a b',
    '',
    'ä',
    'a\n',
    '%2e%2e',
    'x'.repeat(65),
  ];
  it.each(badNames)('is refused before any file is touched: %j', async (name) => {
    const inPath = encodeURIComponent(name);
    const answers = [
      await ada.post('/agents', { name }),
      await ada.get(`/agents/check?name=${inPath}`),
      ...(name === '' || name === '..'
        ? []
        : [
            await ada.get(`/agents/${inPath}`),
            await ada.call('PUT', `/agents/${inPath}`, { body: { soul: 'x' } }),
            await ada.call('DELETE', `/agents/${inPath}`),
          ]),
    ];
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 422));
  });
});

describe('a request for an agent', () => {
  const bad: [object, string][] = [
    [{}, 'name'],
    [{ name: 3 }, 'name'],
    [{ name: 'a', model: 'gpt-0' }, 'model'],
    [{ name: 'a', description: 'x'.repeat(2_001) }, 'description'],
    [{ name: 'a', soul: 'x'.repeat(32_769) }, 'soul'],
    [{ name: 'a', soul: null }, 'soul'],
    [{ name: 'a', tool_groups: ['workflow'] }, 'tool_groups'],
    [{ name: 'a', tool_groups: 'workflows' }, 'tool_groups'],
    [{ name: 'a', tool_groups: Array(51).fill('web') }, 'tool_groups'],
    [{ name: 'a', skills: ['../x'] }, 'skills'],
    [{ name: 'a', skills: Array(201).fill('x') }, 'skills'],
  ];
  it.each(bad)('is refused with the name of the wrong field: %#', async (given, field) => {
    const { status, body } = await ada.post('/agents', given);

    expect(status).toBe(422);
    expect(body.detail[0].loc.slice(0, 2)).toEqual(['body', field]);
  });

  it.each(bad.slice(2))('is refused as a change: %#', async (given, field) => {
    await ada.post('/agents', { name: 'strict' });
    const { status, body } = await ada.call('PUT', '/agents/strict', { body: given });

    expect([status, body.detail[0].loc[1]]).toEqual([422, field]);
  });

  it('for an unknown model is refused with the models that exist', async () => {
    const { text } = await ada.post('/agents', { name: 'a', model: 'gpt-0' });
    expect(text).toContain("model 'gpt-0' is not configured; these are: switchyard-demo");
  });

  it('is not found when there is no such agent', async () => {
    const answers = [
      await ada.get('/agents/unknown'),
      await ada.call('PUT', '/agents/unknown', { body: {} }),
      await ada.call('DELETE', '/agents/unknown'),
    ];
    for (const answer of answers) {
      expect(answer).toMatchObject({ status: 404, body: { detail: "Agent 'unknown' not found" } });
    }
  });
});

describe('a broken file', () => {
  const contents = ['{', '- a\n- b\n', 'description: 3\n', 'tool_groups: [workflow]\n', 'a: &a [x]\nb: *a\n'];
  it.each(contents)('affects only its own agent: %j', async (text) => {
    const user = await newUser();
    await user.post('/agents', { name: 'good' });
    await user.post('/agents', { name: 'bad' });
    writeFileSync(fileOf(user, 'agents', 'bad', 'config.yaml'), text);

    expect(await namesOf(user)).toEqual(['good']);
    expect(await user.get('/agents/bad')).toMatchObject({
      status: 500,
      body: { detail: 'The file of this agent cannot be read. DELETE the agent and create it again.' },
    });
    expect((await user.call('DELETE', '/agents/bad')).status).toBe(204);
  });

  it('is not read through a link', async () => {
    const user = await newUser();
    await ada.post('/agents', { name: 'secret', soul: 'secret of Ada' });
    mkdirSync(fileOf(user, 'agents'), { recursive: true });
    symlinkSync(fileOf(ada, 'agents', 'secret'), fileOf(user, 'agents', 'linked'));

    expect(await namesOf(user)).toEqual([]);
    await user.post('/agents', { name: 'own' });
    const soul = fileOf(user, 'agents', 'own', 'SOUL.md');
    rmSync(soul);
    symlinkSync(fileOf(ada, 'agents', 'secret', 'SOUL.md'), soul);
    const answer = await user.get('/agents/own');
    expect(answer.status).toBe(500);
    expect(answer.text).not.toContain('secret of Ada');
  });
});

describe('a user profile', () => {
  it('is null until it is written, and again when it is emptied', async () => {
    const user = await newUser();
    expect(await user.ok('GET', '/user-profile')).toEqual({ content: null });
    expect(await user.ok('PUT', '/user-profile', { content: '# Ada\n' })).toEqual({ content: '# Ada\n' });
    expect(await user.ok('GET', '/user-profile')).toEqual({ content: '# Ada\n' });
    expect(readFileSync(fileOf(user, 'USER.md'), 'utf8')).toBe('# Ada\n');
    expect(statSync(fileOf(user, 'USER.md')).mode & 0o777).toBe(0o600);
    expect(await user.ok('PUT', '/user-profile', {})).toEqual({ content: null });
    expect(await user.ok('GET', '/user-profile')).toEqual({ content: null });
  });

  it('is not read through a link, and replaces the link when it is written', async () => {
    const user = await newUser();
    await ada.ok('PUT', '/user-profile', { content: 'secret of Ada' });
    mkdirSync(fileOf(user), { recursive: true });
    symlinkSync(fileOf(ada, 'USER.md'), fileOf(user, 'USER.md'));

    expect(await user.get('/user-profile')).toMatchObject({
      status: 500,
      body: { detail: 'The file of this profile cannot be read. PUT /api/user-profile writes a new one.' },
    });
    await user.ok('PUT', '/user-profile', { content: 'Mine' });
    expect(await user.ok('GET', '/user-profile')).toEqual({ content: 'Mine' });
    expect(await ada.ok('GET', '/user-profile')).toEqual({ content: 'secret of Ada' });
  });

  it('belongs to each user', async () => {
    await ada.ok('PUT', '/user-profile', { content: 'Ada' });
    await bob.ok('PUT', '/user-profile', { content: 'Bob' });
    expect(await ada.ok('GET', '/user-profile')).toEqual({ content: 'Ada' });
  });

  it.each([{ content: 3 }, { content: null }, { content: 'x'.repeat(16_385) }])(
    'is text of a limited length: %#',
    async (body) => {
      expect((await ada.call('PUT', '/user-profile', { body })).status).toBe(422);
    },
  );
});

it('custom agents are a feature that clients can ask for', async () => {
  expect(await ada.ok('GET', '/features')).toEqual({
    agents_api: { enabled: true },
    browser_control: { enabled: false },
    mcp_tasks: { enabled: false },
  });
});

describe('with agents_api.enabled: false', () => {
  it('every route answers 403', async () => {
    const off = await startConversation({ agents_api: { enabled: false } });
    const asked = [
      ['GET', '/agents'],
      ['GET', '/agents/check?name=a'],
      ['GET', '/agents/a'],
      ['POST', '/agents', { name: '?' }],
      ['PUT', '/agents/a', {}],
      ['DELETE', '/agents/a'],
      ['GET', '/user-profile'],
      ['PUT', '/user-profile', { content: 'x' }],
    ] as const;
    const answers = [];
    for (const [method, path, body] of asked) answers.push(await off.ada.call(method, path, { body }));
    const features = await off.ada.ok('GET', '/features');
    await off.close();

    for (const answer of answers) {
      expect(answer).toMatchObject({
        status: 403,
        body: { detail: expect.stringContaining('Custom-agent management API is disabled') },
      });
    }
    expect(features.agents_api).toEqual({ enabled: false });
  });
});
