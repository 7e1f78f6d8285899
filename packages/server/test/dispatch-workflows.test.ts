import { type DevGateway, startGateway } from '@switchyard/dev-env/gateway';
import { startReferenceWorker } from '@switchyard/dev-env/reference-worker';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pngThatClaims } from '../testing/png-that-claims.ts';
import { DispatchCaller } from './support/dispatch-caller.ts';

const graph = {
  '1': {
    class_type: 'EmptyImage',
    inputs: { width: 16, height: 16, batch_size: 1, color: 255 },
    _meta: { title: 'Ground' },
  },
  '2': { class_type: 'SaveImage', inputs: { images: ['1', 0], filename_prefix: 'saved' } },
};

let gateway: DevGateway;
let worker: Awaited<ReturnType<typeof startReferenceWorker>>;
let user: DispatchCaller;
let other: DispatchCaller;
let admin: DispatchCaller;
let count = 0;

beforeAll(async () => {
  gateway = await startGateway();
  worker = await startReferenceWorker();
  admin = await DispatchCaller.initialize(gateway.url);
  await admin.useWorkers([worker.port]);
  user = await DispatchCaller.register(gateway.url, 'user@example.com');
  other = await DispatchCaller.register(gateway.url, 'other@example.com');
});

afterAll(async () => {
  await gateway.stop();
  await worker.close();
});

describe('saved workflows', () => {
  it('know their parameters from the graph and from the workers', async () => {
    const saved = await save({
      parameters: [{ name: 'color', rename: 'tint', description: 'As a number.' }],
    });

    expect(saved).toMatchObject({ version: 1, exposed: false, description: '', workflow: graph });
    expect(saved.parameters.map(({ name }: { name: string }) => name)).toEqual([
      'width',
      'height',
      'batch_size',
      'tint',
      'filename_prefix',
    ]);
    expect(saved.parameters[0]).toMatchObject({
      label: 'Ground: Width',
      type: 'integer',
      default: 16,
      minimum: expect.any(Number),
      maximum: expect.any(Number),
    });
    expect(saved.schema.properties.tint).toMatchObject({ type: 'integer', default: 255 });
  });

  it('run with the given values, under their name', async () => {
    const saved = await save();
    const { data } = await user.call('POST', `/api/workflows/${saved.id}/run`, {
      params: { width: 24 },
      tags: ['t'],
    });

    expect(data).toMatchObject({ name: saved.name, params: { '1.width': 24 }, tags: ['t'], warnings: [] });
    const { result } = await user.ended(data.id);
    expect(result.outputs[0].filename).toContain('saved');
  });

  it('have pictures of a known size, as uploads have, and other files have none', async () => {
    const saved = await save();
    const { data } = await user.call('POST', `/api/workflows/${saved.id}/run`, { params: { width: 24 } });
    await user.ended(data.id);
    const picture = { width: 30, height: 20, channels: 3 as const, background: '#c02' };
    const photo = await sharp({ create: picture }).withMetadata({ orientation: 6 }).jpeg().toBuffer();
    await user.upload('photo.jpg', photo);
    await user.upload('note.txt', Buffer.from('none'));
    const { items } = (await user.call('GET', '/api/files?limit=3')).data;
    expect(items.map(({ width, height }: { width: number; height: number }) => [width, height])).toEqual([
      [null, null],
      [20, 30],
      [24, 16],
    ]);
  });

  it('refuse values that do not fit, with the name and the fix', async () => {
    const saved = await save();
    const run = (params: object) =>
      user.request('POST', `/api/workflows/${saved.id}/run`, { body: { params } });

    const wrong = await run({ width: 'wide', hieght: 1 });
    expect(wrong.status).toBe(422);
    expect(wrong.body).toMatchObject({ error: 'invalid_param' });
    expect(JSON.stringify(wrong.body)).toContain('must be a whole number');
    expect(JSON.stringify(wrong.body)).toContain('Did you mean \\"height\\"?');
  });

  it('run once when the same request is repeated, even after they are deleted', async () => {
    const saved = await save();
    const body = { params: { width: 8 } };
    const run = () =>
      user.request('POST', `/api/workflows/${saved.id}/run`, {
        body,
        headers: { 'idempotency-key': saved.id },
      });
    const first = await run();
    await user.call('PUT', `/api/workflows/${saved.id}`, { parameters: [{ name: 'width', hidden: true }] });
    const second = await run();
    await user.call('DELETE', `/api/workflows/${saved.id}`);
    const third = await run();

    expect([second.body.data.id, third.body.data.id]).toEqual([first.body.data.id, first.body.data.id]);
    expect(second.headers.get('idempotency-replayed')).toBe('true');
    const changed = await user.request('POST', `/api/workflows/${saved.id}/run`, {
      body: { params: { width: 9 } },
      headers: { 'idempotency-key': saved.id },
    });
    expect(changed.body.error).toBe('idempotency_mismatch');
  });

  it('keep their versions, each of which can run', async () => {
    const saved = await save();
    const path = `/api/workflows/${saved.id}`;
    const wider = { ...graph, '1': { ...graph['1'], inputs: { ...graph['1'].inputs, width: 32 } } };
    expect((await user.call('PUT', path, { workflow: wider, version: 1 })).data.version).toBe(2);
    expect((await user.call('PUT', path, { description: 'Wide.', exposed: true })).data).toMatchObject({
      version: 2,
      exposed: true,
    });

    const { data: versions } = await user.call('GET', `${path}/versions`);
    expect(versions.map(({ version }: { version: number }) => version)).toEqual([2, 1]);
    expect((await user.call('GET', `${path}?version=1`)).data).toMatchObject({ version: 1, workflow: graph });
    expect((await user.call('GET', path)).data).toMatchObject({ workflow: wider, description: 'Wide.' });
    const { data: task } = await user.call('POST', `${path}/run`, { version: 1 });
    expect(task.workflow).toEqual(graph);
    expect((await user.request('POST', `${path}/run`, { body: { version: 9 } })).status).toBe(404);
  });

  it('show a form that its user has arranged, which a restored version brings back with its graph', async () => {
    const saved = await save({ notes: 'First.' });
    const path = `/api/workflows/${saved.id}`;
    const arranged = await user.call('PUT', path, {
      parameters: [
        { name: 'color', label: 'Tint 色 <b>', description: 'As a number.', pinned: true, position: 0 },
        { name: 'filename_prefix', hidden: true },
      ],
      notes: 'For the team.',
      version: 1,
    });
    expect(arranged.data).toMatchObject({ version: 2, notes: 'For the team.' });
    expect(namesIn(arranged.data)).toEqual(['color', 'width', 'height', 'batch_size', 'filename_prefix']);
    expect(arranged.data.parameters[0]).toMatchObject({ label: 'Tint 色 <b>', pinned: true });
    expect(Object.keys(arranged.data.schema.properties)).toEqual(['color', 'width', 'height', 'batch_size']);

    const { '1': ground, ...rest } = graph;
    const { color: _color, ...inputs } = ground.inputs;
    const without = await user.call('PUT', path, { workflow: { ...rest, '1': { ...ground, inputs } } });
    expect(without.data).toMatchObject({ version: 3, notes: '', lostFields: ['Tint 色 <b>'] });

    const restored = await user.call('PUT', path, { restore: 2, notes: 'As in version 2.', version: 3 });
    expect(restored.data).toMatchObject({ version: 4, parameters: arranged.data.parameters });
    const two = await user.request('PUT', path, { body: { restore: 2, workflow: graph } });
    expect([two.status, JSON.stringify(two.body)]).toEqual([422, expect.stringContaining('not both')]);

    await user.call('PUT', path, { notes: 'The newest.' });
    await user.call('PUT', `${path}/versions/1`, { notes: 'The first, in black.' });
    expect((await user.call('GET', `${path}/versions`)).data).toMatchObject([
      { version: 4, notes: 'The newest.' },
      { version: 3, notes: '' },
      { version: 2, notes: 'For the team.' },
      { version: 1, notes: 'The first, in black.' },
    ]);
    expect((await user.request('PUT', `${path}/versions/9`, { body: { notes: '' } })).status).toBe(404);
    const { data } = await user.call('GET', `${path}/difference?left=1`);
    expect(data).toMatchObject({ left: 1, right: 4 });
    expect(data.differences).toContainEqual({
      part: 'form',
      title: 'Tint 色 <b>',
      field: 'pinned',
      left: false,
      right: true,
    });
  });

  it('refuse a form that cannot be, and say at which edit', async () => {
    const saved = await save();
    const edit = (parameters: object[]) =>
      user.request('PUT', `/api/workflows/${saved.id}`, { body: { parameters } });
    const blank = await edit([{ name: 'color', label: ' \t ' }]);
    expect([blank.status, JSON.stringify(blank.body)]).toEqual([422, expect.stringContaining('label')]);
    expect((await edit([{ name: 'color', position: -1 }])).status).toBe(422);
    expect((await edit([{ name: 'colour', pinned: true }])).status).toBe(422);
    expect((await user.call('GET', `/api/workflows/${saved.id}`)).data.version).toBe(1);
  });

  it('have the last picture as a cover, another where one is chosen, and the figures of their runs', async () => {
    const saved = await save();
    const path = `/api/workflows/${saved.id}`;
    expect(saved).toMatchObject({ cover: null, figures: { runs: 0, seconds: null, cost: null } });
    const outputs: string[] = [];
    for (const width of [8, 12]) {
      const { data } = await user.call('POST', `${path}/run`, { params: { width } });
      outputs.push((await user.ended(data.id)).result.outputs[0].fileId);
    }
    const [first, last] = outputs;
    const listed = await user.call('GET', `/api/workflows?name=${encodeURIComponent(saved.name)}`);
    expect(listed.data.items[0]).toMatchObject({
      cover: { fileId: last, chosen: false },
      figures: { runs: 2, seconds: expect.any(Number) },
    });
    const chosen = await user.call('PUT', path, { coverFileId: first });
    expect(chosen.data).toMatchObject({ version: 1, cover: { fileId: first, chosen: true } });
    const foreign = await other.upload('theirs.png', await picture());
    const note = await user.upload('note.txt', Buffer.from('none'));
    const refused = await Promise.all(
      [foreign, note].map((file) => user.request('PUT', path, { body: { coverFileId: file.fileId } })),
    );
    expect(refused.map(({ body }) => body.error)).toEqual(['file_not_found', 'not_a_picture']);
    await user.call('DELETE', `/api/files/${first}`);
    expect((await user.call('GET', path)).data.cover).toEqual({ fileId: last, chosen: false });
  });

  it('go as one file to another user: graph, form, notes and cover', async () => {
    const saved = await save({ notes: 'For the wall.', description: 'Draws.' });
    const path = `/api/workflows/${saved.id}`;
    await user.call('PUT', path, {
      coverFileId: (await user.upload('wall.png', await picture())).fileId,
      parameters: [{ name: 'height', rename: 'tall', pinned: true, position: 0 }],
      notes: 'Taller.',
    });
    const { data: file } = await user.call('GET', `${path}/export`);
    expect(file).toMatchObject({ name: saved.name, notes: 'Taller.', cover: { contentType: 'image/webp' } });

    const { data: made } = await other.call('POST', '/api/workflows/import?name=Theirs', file);
    expect(made).toMatchObject({ name: 'Theirs', version: 1, notes: 'Taller.', workflow: graph });
    expect(made).toMatchObject({ description: 'Draws.', exposed: false, cover: { chosen: true } });
    expect(namesIn(made)).toEqual(['tall', 'width', 'batch_size', 'color', 'filename_prefix']);
    const again = await other.request('POST', '/api/workflows/import?name=Theirs', { body: file });
    expect(again.body.error).toBe('workflow_exists');

    const { form } = file;
    const gone = { ...form[0], label: 'Gone', sets: [{ node: '77', input: 'x' }], name: 'gone' };
    const more = { ...file, name: 'With a lost field', cover: null, form: [gone, ...form] };
    expect((await other.call('POST', '/api/workflows/import', more)).data.lostFields).toEqual(['Gone']);

    const coverOf = (bytes: Buffer) => ({ contentType: 'image/png', data: bytes.toString('base64') });
    const cover = coverOf(Buffer.from('<svg onload="x">'));
    const deep = {
      ...graph,
      '1': { ...graph['1'], inputs: JSON.parse(`${'{"a":'.repeat(200)}1${'}'.repeat(200)}`) },
    };
    const wrong = [
      [{ ...file, formatVersion: 2 }, 'formatVersion'],
      [{ ...file, secret: 1 }, 'secret'],
      [{ ...file, form: [form[0], form[0]] }, 'have the name'],
      [{ ...file, cover }, 'not a picture'],
      [{ ...file, cover: coverOf(Buffer.from('PK\u0003\u0004')) }, 'not a picture'],
      [{ ...file, cover: coverOf((await picture()).subarray(0, 60)) }, 'can be read'],
      [{ ...file, cover: coverOf(pngThatClaims(2_049, 8)) }, '2049 × 8 pixels'],
      [{ ...file, cover: coverOf(pngThatClaims(40_000, 40_000)) }, 'can be read'],
      [{ ...file, cover: coverOf(Buffer.alloc(900_000)) }, 'cover'],
      [{ ...file, format: 'zip' }, 'format'],
      [{ ...file, form: [{ ...form[0], name: 'a b' }] }, 'name'],
      [{ ...file, form: Array(1_001).fill(form[0]) }, 'form'],
      [{ ...file, name: 'x'.repeat(101) }, 'name'],
      [{ ...file, workflow: deep }, 'deep'],
      [[file], 'body'],
      [{ ...file, workflow: { '1': { inputs: {} } } }, 'class_type'],
    ] as const;
    for (const [body, words] of wrong) {
      const refused = await other.request('POST', '/api/workflows/import?name=Wrong', { body });
      expect(refused.status).toBeGreaterThan(399);
      expect(refused.status).toBeLessThan(500);
      expect(JSON.stringify(refused.body)).toContain(words);
    }
    expect((await other.call('GET', '/api/workflows?name=Wrong')).data.total).toBe(0);
  });

  it('cannot be changed by a client that read an older version', async () => {
    const saved = await save();
    const path = `/api/workflows/${saved.id}`;
    const edit = { parameters: [{ name: 'width', label: 'W' }], version: 1 };
    const answers = await Promise.all([
      user.request('PUT', path, { body: edit }),
      user.request('PUT', path, { body: edit }),
    ]);

    expect(answers.map(({ status }) => status).sort()).toEqual([200, 412]);
  });

  it('have names that are unique for their user', async () => {
    const saved = await save();
    const again = await user.request('POST', '/api/workflows', {
      body: { name: saved.name, workflow: graph },
    });
    expect([again.status, again.body.error]).toEqual([409, 'workflow_exists']);
    const second = await save();
    const renamed = await user.request('PUT', `/api/workflows/${second.id}`, { body: { name: saved.name } });
    expect(renamed.status).toBe(409);
    const others = await other.call('POST', '/api/workflows', { name: saved.name, workflow: graph });
    expect(others.code).toBe(200);

    const found = await user.call('GET', `/api/workflows?name=${encodeURIComponent(saved.name)}`);
    expect(found.data).toMatchObject({ total: 1, items: [{ id: saved.id }] });
  });

  it.each([
    ['GET', ''],
    ['PUT', ''],
    ['DELETE', ''],
    ['GET', '/versions'],
    ['PUT', '/versions/1'],
    ['GET', '/difference?left=1'],
    ['GET', '/export'],
    ['POST', '/run'],
  ])("of another user do not exist for %s '%s', not even for an administrator", async (method, suffix) => {
    const saved = await save();
    const body =
      method === 'GET' || method === 'DELETE' ? undefined : suffix === '/versions/1' ? { notes: '' } : {};
    for (const caller of [other, admin]) {
      const answer = await caller.request(method, `/api/workflows/${saved.id}${suffix}`, { body });
      expect([answer.status, answer.body.error]).toEqual([404, 'workflow_not_found']);
    }
    expect((await user.call('GET', `/api/workflows/${saved.id}`)).data.version).toBe(1);
  });

  it.each([
    ["the editor's format", { nodes: [], links: [] }, 'Export (API)'],
    ['a graph with faults', { '1': { inputs: {} } }, 'class_type'],
    ['a cycle', { '1': { class_type: 'A', inputs: { a: ['1', 0] } } }, 'cycle'],
  ])('cannot be made from %s', async (_what, workflow, words) => {
    const answer = await user.request('POST', '/api/workflows', { body: { name: 'Bad', workflow } });

    expect(answer.status).toBe(422);
    expect(JSON.stringify(answer.body)).toContain(words);
  });
});

it('what workers said about nodes is known after they are gone', async () => {
  await admin.useWorkers([]);

  const saved = await save();

  expect(saved.parameters[0]).toMatchObject({ type: 'integer', minimum: expect.any(Number) });
});

function namesIn({ parameters }: { parameters: { name: string }[] }): string[] {
  return parameters.map(({ name }) => name);
}

function picture(): Promise<Buffer> {
  return sharp({ create: { width: 30, height: 20, channels: 3, background: '#c02' } })
    .png()
    .toBuffer();
}

async function save(more: object = {}) {
  count += 1;
  const answer = await user.call('POST', '/api/workflows', {
    name: `Picture ${count}`,
    workflow: graph,
    ...more,
  });
  if (answer.code !== 200) throw new Error(JSON.stringify(answer));
  return answer.data;
}
