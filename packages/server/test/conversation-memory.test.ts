import { existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ConversationCaller } from './support/conversation-caller.ts';
import { type ConversationGateway, startConversation } from './support/conversation-gateway.ts';

let server: ConversationGateway;
let ada: ConversationCaller;
let bob: ConversationCaller;
beforeAll(async () => {
  server = await startConversation({ memory: { max_facts: 12 } });
  ({ ada, bob } = server);
});
afterAll(() => server.close());

const fileOf = ({ userId }: ConversationCaller, ...inside: string[]) =>
  join(server.gateway.home, 'users', userId, ...inside, 'memory.json');
const contents = (memory: { facts: { content: string }[] }) => memory.facts.map(({ content }) => content);
let users = 0;
const newUser = () => {
  users += 1;
  return server.newUser(`memory-${users}@example.com`);
};

describe('a memory', () => {
  it('is an empty document while nothing is kept, and makes no file', async () => {
    const user = await newUser();
    const note = { summary: '', updatedAt: '' };
    expect(await user.ok('GET', '/memory')).toEqual({
      version: '1.0',
      lastUpdated: '',
      user: { workContext: note, personalContext: note, topOfMind: note },
      history: { recentMonths: note, earlierContext: note, longTermBackground: note },
      facts: [],
    });
    expect(existsSync(fileOf(user))).toBe(false);
  });

  it('keeps facts in the file of its user, which no other user may read', async () => {
    const user = await newUser();
    const { facts, lastUpdated } = await user.ok('POST', '/memory/facts', { content: '  Likes red kites ' });

    expect(facts).toEqual([
      {
        id: expect.stringMatching(/^fact_[0-9a-f]{8}$/),
        content: 'Likes red kites',
        category: 'context',
        confidence: 0.5,
        createdAt: lastUpdated,
        source: 'manual',
      },
    ]);
    expect(JSON.parse(readFileSync(fileOf(user), 'utf8')).facts).toEqual(facts);
    expect(statSync(fileOf(user)).mode & 0o777).toBe(0o600);
  });

  it('lets facts be changed and deleted one by one', async () => {
    const user = await newUser();
    await user.ok('POST', '/memory/facts', { content: 'one' });
    const { facts } = await user.ok('POST', '/memory/facts', { content: 'two', confidence: 0.9 });
    const [first, second] = facts;

    const changed = await user.ok('PATCH', `/memory/facts/${first.id}`, { content: 'uno', category: 'goal' });
    expect(changed.facts).toEqual([{ ...first, content: 'uno', category: 'goal' }, second]);
    const reworded = await user.ok('PATCH', `/memory/facts/${second.id}`, { content: 'dos' });
    expect(reworded.facts[1]).toEqual({ ...second, content: 'dos' });
    const surer = await user.ok('PATCH', `/memory/facts/${first.id}`, { confidence: 1 });
    expect(surer.facts[0]).toEqual({ ...first, content: 'uno', category: 'goal', confidence: 1 });
    const change = (body: object) => user.call('PATCH', `/memory/facts/${first.id}`, { body });
    expect((await change({})).status).toBe(422);
    expect((await change({ content: '' })).status).toBe(400);
    expect((await change({ confidence: 1.5 })).body).toEqual({
      detail: 'The confidence of a fact is a number from 0 to 1.',
    });
    const left = await user.ok('DELETE', `/memory/facts/${first.id}`);
    expect(left.facts).toEqual([{ ...second, content: 'dos' }]);
    expect((await user.call('DELETE', `/memory/facts/${first.id}`)).body).toEqual({
      detail: `Memory fact '${first.id}' not found.`,
    });
  });

  it('keeps every fact of many that are added at the same time', async () => {
    const user = await newUser();
    const wanted = Array.from({ length: 10 }, (_, index) => `fact ${index}`);
    await Promise.all(wanted.map((content) => user.ok('POST', '/memory/facts', { content })));
    expect(contents(await user.ok('GET', '/memory')).sort()).toEqual(wanted);
  });

  it('refuses what it cannot keep', async () => {
    const user = await newUser();
    await user.ok('POST', '/memory/facts', { content: 'Likes tea' });
    const status = async (body: unknown) => (await user.post('/memory/facts', body)).status;

    expect(await status({ content: '   ' })).toBe(400);
    expect(await status({ content: '' })).toBe(400);
    expect(await status({ content: 'x', confidence: 1.5 })).toBe(400);
    expect(await status({ content: 'x', confidence: -0.1 })).toBe(400);
    expect(await status({ content: 'x', confidence: 'sure' })).toBe(422);
    expect(await status({})).toBe(422);
    expect(await status({ content: 'x'.repeat(2_001) })).toBe(422);
    expect(await status({ content: 'likes  TEA' })).toBe(409);
    expect((await user.call('GET', '/memory?agent=../x')).status).toBe(422);
    for (let index = 1; index < 12; index += 1) expect(await status({ content: `fact ${index}` })).toBe(200);
    expect(await status({ content: 'one more' })).toBe(409);
  });

  it('is exported and imported again unchanged', async () => {
    const [from, to] = [await newUser(), await newUser()];
    await from.ok('POST', '/memory/facts', { content: 'Speaks Frisian' });
    const exported = await from.ok('GET', '/memory/export');
    exported.user.workContext = { summary: 'Draws maps', updatedAt: '2026-01-01T00:00:00.000Z' };
    await to.ok('POST', '/memory/facts', { content: 'is replaced' });
    const imported = await to.ok('POST', '/memory/import', exported);

    expect({ ...imported, lastUpdated: '' }).toEqual({ ...exported, lastUpdated: '' });
    expect(await to.ok('GET', '/memory')).toEqual(imported);
    const twice = { ...exported, facts: [...exported.facts, { ...exported.facts[0], id: 'fact_0' }] };
    expect((await to.post('/memory/import', twice)).status).toBe(409);
    expect((await to.post('/memory/import', { version: '1.0' })).status).toBe(422);
  });

  it('shows changes from outside, and is never overwritten while it cannot be read', async () => {
    const user = await newUser();
    const memory = await user.ok('POST', '/memory/facts', { content: 'old' });
    memory.facts[0].content = 'edited by hand';
    writeFileSync(fileOf(user), JSON.stringify(memory));
    expect(contents(await user.ok('POST', '/memory/reload'))).toEqual(['edited by hand']);

    writeFileSync(fileOf(user), '{ broken');
    expect((await user.post('/memory/facts', { content: 'new' })).status).toBe(500);
    expect(readFileSync(fileOf(user), 'utf8')).toBe('{ broken');
    expect((await user.ok('DELETE', '/memory')).facts).toEqual([]);
    expect(contents(await user.ok('POST', '/memory/facts', { content: 'new' }))).toEqual(['new']);
  });

  it('is separate for each user and agent', async () => {
    for (const user of [ada, bob]) await user.ok('POST', '/agents', { name: 'painter' });
    await ada.ok('POST', '/memory/facts', { content: 'of ada' });
    await ada.ok('POST', '/memory/facts?agent=Painter', { content: 'of her painter' });
    await bob.ok('POST', '/memory/facts?agent=painter', { content: 'of his painter' });
    const [{ id }] = (await ada.ok('GET', '/memory')).facts;

    expect(contents(await ada.ok('GET', '/memory?agent=painter'))).toEqual(['of her painter']);
    expect(contents(await bob.ok('GET', '/memory?agent=PAINTER'))).toEqual(['of his painter']);
    expect(contents(await bob.ok('GET', '/memory'))).toEqual([]);
    expect((await bob.call('DELETE', `/memory/facts/${id}`)).status).toBe(404);
    expect(existsSync(fileOf(ada, 'agents', 'painter'))).toBe(true);
  });

  it('exists only for agents that its user has', async () => {
    await ada.ok('POST', '/agents', { name: 'of-ada' });
    const missing = (path: string, name: string) => path.replace('?', `?agent=${name}`);
    for (const name of ['of-ada', 'unknown']) {
      expect((await bob.get(missing('/memory?', name))).status).toBe(404);
      expect((await bob.get(missing('/memory/export?', name))).status).toBe(404);
      expect((await bob.get(missing('/memory/status?', name))).status).toBe(404);
      expect((await bob.post(missing('/memory/reload?', name))).status).toBe(404);
      expect((await bob.post(missing('/memory/facts?', name), { content: 'x' })).status).toBe(404);
      expect((await bob.call('DELETE', missing('/memory?', name))).status).toBe(404);
      expect(existsSync(fileOf(bob, 'agents', name))).toBe(false);
    }
    expect((await ada.get('/memory?agent=of_ada')).status).toBe(422);
    expect((await ada.get(`/memory?agent=${'x'.repeat(65)}`)).status).toBe(422);
  });

  it('is not read through a link to the memory of another user', async () => {
    const user = await newUser();
    await ada.ok('POST', '/memory/facts', { content: 'a secret of ada' });
    mkdirSync(dirname(fileOf(user)), { recursive: true });
    symlinkSync(fileOf(ada), fileOf(user));
    const answer = await user.get('/memory');
    expect(answer).toMatchObject({
      status: 500,
      body: { detail: 'The file of this memory cannot be read. DELETE /api/memory begins a new one.' },
    });
    expect(answer.text).not.toContain('a secret');
    expect((await user.ok('DELETE', '/memory')).facts).toEqual([]);
    expect(contents(await ada.ok('GET', '/memory'))).toContain('a secret of ada');
  });

  it('reports its settings', async () => {
    const { config, data } = await ada.ok('GET', '/memory/status');
    expect(config).toEqual({
      enabled: true,
      storage_path: '',
      debounce_seconds: 30,
      max_facts: 12,
      fact_confidence_threshold: 0.7,
      injection_enabled: true,
      max_injection_tokens: 2_000,
      // There is only the demo model, which learns nothing.
      extraction_enabled: false,
    });
    expect(await ada.ok('GET', '/memory/config')).toEqual(config);
    expect(data).toEqual(await ada.ok('GET', '/memory'));
  });
});
