import { type DevGateway, startGateway } from '@switchyard/dev-env/gateway';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DispatchCaller } from './support/dispatch-caller.ts';

// biome-ignore lint/suspicious/noExplicitAny: what the gateway answers, as it comes
type Answer = any;
const dayMs = 86_400_000;

describe('files that a user marks and collects', () => {
  let gateway: DevGateway;
  let ann: DispatchCaller;
  let bob: DispatchCaller;
  let red: string;
  let blue: string;
  let ofBob: string;

  beforeAll(async () => {
    gateway = await startGateway({ config: { files: { retention: 30 * dayMs } } });
    await DispatchCaller.initialize(gateway.url);
    ann = await DispatchCaller.register(gateway.url, 'ann@example.com');
    bob = await DispatchCaller.register(gateway.url, 'bob@example.com');
    red = (await ann.upload('red.txt', Buffer.from('red'))).fileId;
    blue = (await ann.upload('blue.txt', Buffer.from('blue'))).fileId;
    ofBob = (await bob.upload('bob.txt', Buffer.from('bob'))).fileId;
  });
  afterAll(() => gateway.stop());

  const mark = (body: object, caller = ann) => caller.request('PUT', '/api/files/marks', { body });
  const list = async (query = '', caller = ann): Promise<Answer[]> =>
    (await caller.call('GET', `/api/files${query}`)).data.items;
  const namesIn = async (query: string) => (await list(query)).map(({ filename }) => filename);

  it('are new without marks, and say when they are deleted', async () => {
    const [file] = await list();
    expect(file).toMatchObject({ starred: false, caption: '', tags: [], keptBy: [] });
    expect(Date.parse(file.expiresAt) - Date.parse(file.createdAt)).toBe(30 * dayMs);
  });

  it('have a star, a caption and tags, are found by them, and are kept by the star alone', async () => {
    const { body } = await mark({
      fileIds: [red],
      starred: true,
      caption: ' A sky. ',
      tags: ['Sky', 'two  Words'],
    });
    const marks = { starred: true, caption: 'A sky.', tags: ['sky', 'two words'], keptBy: ['starred'] };
    expect(body.data.items).toEqual([{ fileId: red, ...marks, expiresAt: null }]);
    expect((await list('?starred=true'))[0]).toMatchObject({ fileId: red, ...marks, expiresAt: null });
    await mark({ fileIds: [blue, red], addTags: ['SKY'], removeTags: ['two words'] });
    expect((await ann.call('GET', '/api/files/tags')).data.items).toEqual([{ tag: 'sky', count: 2 }]);
    expect(await namesIn('?tag=Sky&starred=false')).toEqual(['blue.txt']);
    expect(await namesIn(`?expiresBefore=${inDays(31)}`)).toEqual(['blue.txt']);
    expect(await namesIn(`?expiresBefore=${inDays(29)}`)).toEqual([]);
    await mark({ fileIds: [red], starred: false });
    expect((await list('?tag=sky&starred=false')).map(({ caption }) => caption)).toEqual(['', 'A sky.']);
  });

  it('get a clear refusal for too many tags, and then none of the change', async () => {
    const many = Array.from({ length: 20 }, (_, index) => `t${index}`);
    await mark({ fileIds: [red], tags: many });
    const refused = await mark({ fileIds: [blue, red], addTags: ['one more'], starred: true });
    expect([refused.status, refused.body.error]).toEqual([409, 'tag_limit']);
    expect(refused.body.message).toContain(red);
    expect(await namesIn('?starred=true')).toEqual([]);
    expect(await namesIn('?tag=one%20more')).toEqual([]);
  });

  it('stay with a collection in its order, also from page to page', async () => {
    const made = (await ann.call('POST', '/api/collections', { name: ' Sea ' })).data;
    expect(made).toMatchObject({ name: 'Sea', count: 0, cover: null });
    const path = `/api/collections/${made.id}`;
    const twice = await ann.request('POST', '/api/collections', { body: { name: 'Sea' } });
    expect([twice.status, twice.body.error]).toEqual([409, 'collection_exists']);
    const filled = await ann.call('POST', `${path}/files`, { fileIds: [blue, red] });
    expect(filled.data).toMatchObject({ count: 2, cover: { fileId: blue } });
    await ann.call('POST', `${path}/files/move`, { fileIds: [red], before: blue });
    const first = (await ann.call('GET', `${path}/files?limit=1`)).data;
    expect(first).toMatchObject({
      total: 2,
      items: [{ fileId: red, keptBy: ['collection'], expiresAt: null }],
    });
    const second = (await ann.call('GET', `${path}/files?limit=1&cursor=${first.nextCursor}`)).data;
    expect(second).toMatchObject({ items: [{ fileId: blue }], nextCursor: null });
    expect((await ann.call('GET', `/api/collections?fileId=${red}`)).data.total).toBe(1);
    expect(await namesIn(`?collectionId=${made.id}`)).toHaveLength(2);
    await ann.call('DELETE', `/api/files/${red}`);
    expect((await ann.call('GET', path)).data).toMatchObject({ count: 1, cover: { fileId: blue } });
    await ann.call('DELETE', path);
    expect((await list()).map(({ keptBy }) => keptBy)).toEqual([[]]);
  });

  it('are shared with their collection, without what their owner notes about them', async () => {
    const path = `/api/collections/${(await ann.call('POST', '/api/collections', { name: 'Ours' })).data.id}`;
    await ann.call('POST', `${path}/files`, { fileIds: [blue] });
    await mark({ fileIds: [blue], caption: 'private' });
    const share = { kind: 'collection', subjectId: path.split('/').at(-1), to: { kind: 'everyone' } };
    expect((await bob.request('GET', path)).status).toBe(404);
    await ann.call('POST', '/api/shares', share);
    expect((await bob.call('GET', path)).data).toMatchObject({ name: 'Ours', count: 1 });
    const [shown] = (await bob.call('GET', `${path}/files`)).data.items;
    expect(shown).toMatchObject({ fileId: blue, caption: '', tags: [], keptBy: ['collection'] });
    expect(shown.url).not.toContain('sig=');
    expect((await bob.request('DELETE', path)).status).toBe(404);
    expect((await bob.call('GET', '/api/collections')).data.total).toBe(0);
    await ann.call('DELETE', path);
    expect((await bob.request('GET', path)).status).toBe(404);
    expect((await ann.call('GET', '/api/shares')).data.items).toEqual([]);
  });

  it('show nothing of the files and collections of others, not even by a count', async () => {
    const own = (await bob.call('POST', '/api/collections', { name: 'of Bob' })).data.id;
    await bob.call('POST', `/api/collections/${own}/files`, { fileIds: [ofBob] });
    await mark({ fileIds: [ofBob], tags: ['secret'], starred: true }, bob);
    const absent = '0190a0a0-0000-7000-8000-000000000000';
    for (const [method, path, body] of [
      ['GET', '', undefined],
      ['PUT', '', { name: 'mine' }],
      ['DELETE', '', undefined],
      ['GET', '/files', undefined],
      ['POST', '/files', { fileIds: [blue] }],
      ['POST', '/files/remove', { fileIds: [ofBob] }],
      ['POST', '/files/move', { fileIds: [ofBob], before: null }],
    ] as const) {
      const [foreign, missing] = await Promise.all(
        [own, absent].map((id) => ann.request(method, `/api/collections/${id}${path}`, { body })),
      );
      expect(foreign).toMatchObject({ status: 404, body: { error: 'collection_not_found' } });
      expect({ ...foreign?.body, requestId: '' }).toEqual({ ...missing?.body, requestId: '' });
    }
    const foreign = await mark({ fileIds: [blue, ofBob], starred: true });
    expect([foreign.status, foreign.body.error]).toEqual([404, 'file_not_found']);
    expect((await ann.call('GET', `/api/collections?fileId=${ofBob}`)).data).toEqual({ total: 0, items: [] });
    expect((await ann.call('GET', `/api/files?collectionId=${own}`)).data.total).toBe(0);
    expect((await ann.call('GET', '/api/files?tag=secret')).data.total).toBe(0);
    expect((await ann.call('GET', '/api/files?starred=true')).data.total).toBe(0);
    expect(JSON.stringify((await ann.call('GET', '/api/files/tags')).data)).not.toContain('secret');
  });
});

function inDays(days: number): string {
  return new Date(Date.now() + days * dayMs).toISOString();
}
