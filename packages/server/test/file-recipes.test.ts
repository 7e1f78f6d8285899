import { createHash } from 'node:crypto';
import { type DevGateway, startGateway } from '@switchyard/dev-env/gateway';
import { startReferenceWorker } from '@switchyard/dev-env/reference-worker';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readZip } from '../testing/read-zip.ts';
import { DispatchCaller } from './support/dispatch-caller.ts';

// biome-ignore lint/suspicious/noExplicitAny: what the gateway answers, as it comes
type Answer = any;

const invert = {
  '1': { class_type: 'LoadImage', inputs: { image: 'x.png' }, _meta: { title: 'Photo' } },
  '2': { class_type: 'ImageInvert', inputs: { image: ['1', 0] } },
  '3': { class_type: 'SaveImage', inputs: { images: ['2', 0], filename_prefix: 'inverted' } },
};
const noise = {
  '1': { class_type: 'EmptyImage', inputs: { width: 8, height: 8, batch_size: 2, color: 0 } },
  '2': { class_type: 'SaveImage', inputs: { images: ['1', 0], filename_prefix: 'a', seed: 7 } },
};

describe('the recipe of a file', () => {
  let gateway: DevGateway;
  let worker: Awaited<ReturnType<typeof startReferenceWorker>>;
  let admin: DispatchCaller;
  let ann: DispatchCaller;
  let bob: DispatchCaller;
  let upload: Answer;
  let first: Answer;
  let picture: Answer;
  let second: Answer;

  beforeAll(async () => {
    gateway = await startGateway();
    worker = await startReferenceWorker();
    admin = await DispatchCaller.initialize(gateway.url);
    await admin.useWorkers([worker.port]);
    ann = await DispatchCaller.register(gateway.url, 'ann@example.com');
    bob = await DispatchCaller.register(gateway.url, 'bob@example.com');
    upload = await ann.upload('cat.png', await photo(1));
    first = await invertOf(upload.fileId, { name: 'First', extraData: { api_key: 'sk-secret' } });
    [picture] = first.result.outputs;
    second = await invertOf(picture.fileId);
  });

  afterAll(async () => {
    await gateway.stop();
    await worker.close();
  });

  async function invertOf(fileId: string, more: object = {}): Promise<Answer> {
    const { id } = await ann.submit({
      workflow: invert,
      params: { 'Photo.image': { $file: fileId } },
      ...more,
    });
    const task = await ann.ended(id);
    expect(task).toMatchObject({ status: 'completed' });
    return task;
  }
  const get = (path: string, caller = ann) => caller.request('GET', `/api/files/${path}`);
  const again = (fileId: string, body: object, headers = {}, caller = ann) =>
    caller.request('POST', `/api/files/${fileId}/again`, { body, headers });

  describe('and its download', () => {
    const bytesOf = async (path: string, body?: object, caller = ann) => {
      const answer = await fetch(new URL(path, gateway.url), {
        method: body ? 'POST' : 'GET',
        headers: {
          authorization: `Bearer ${caller.token}`,
          ...(body && { 'content-type': 'application/json' }),
        },
        ...(body && { body: JSON.stringify(body) }),
      });
      return {
        status: answer.status,
        headers: answer.headers,
        bytes: Buffer.from(await answer.arrayBuffer()),
      };
    };
    const zipOf = async (body: object, caller = ann) => {
      const { status, bytes } = await bytesOf('/api/files/zip', body, caller);
      return status === 200 ? await readZip(bytes) : (JSON.parse(bytes.toString()) as Answer);
    };
    const pixelsOf = (file: Buffer) => sharp(file).raw().toBuffer();

    it('keeps the graph that the worker wrote, or is without it with the same pixels', async () => {
      const address = `/uploads/${picture.fileId}/a.png`;
      const kept = (await bytesOf(address)).bytes;
      const stripped = await bytesOf(`${address}?strip=metadata`);
      const [[inZip], [strippedInZip]] = [
        await zipOf({ fileIds: [picture.fileId] }),
        await zipOf({ fileIds: [picture.fileId], strip: 'metadata' }),
      ];
      expect(kept.toString('latin1')).toContain('tEXtprompt\0{');
      expect(inZip.content).toBe(kept.toString('latin1'));
      expect(stripped.bytes.toString('latin1')).not.toMatch(/tEXt|ImageInvert/);
      expect(strippedInZip.content).toBe(stripped.bytes.toString('latin1'));
      expect(await pixelsOf(stripped.bytes)).toEqual(await pixelsOf(kept));
      const etag = stripped.headers.get('etag') ?? '';
      const known = { authorization: `Bearer ${ann.token}`, 'if-none-match': etag };
      const statusOf = async (path: string) =>
        (await fetch(new URL(path, gateway.url), { headers: known })).status;
      expect([await statusOf(`${address}?strip=metadata`), await statusOf(address)]).toEqual([304, 200]);
    });

    it('names its files by a pattern, with the recipe beside each output', async () => {
      const { data: saved } = await ann.call('POST', '/api/workflows', { name: 'Noise/1', workflow: noise });
      const { data: run } = await ann.call('POST', `/api/workflows/${saved.id}/run`, {});
      const [one, two] = (await ann.ended(run.id)).result.outputs;
      const fileIds = [one.fileId, upload.fileId, two.fileId];
      const names = '{workflow}-{seed}-{task}';
      const entries: Answer[] = await zipOf({ fileIds, names, recipes: true });
      const made = `Noise_1-7-${run.id}`;
      expect(entries.map(({ name }) => name)).toEqual([
        `${made}.png`,
        `${made}.png.json`,
        'none-none-none.png',
        `${made} (2).png`,
        `${made} (2).png.json`,
      ]);
      const { body } = await get(`${two.fileId}/recipe`);
      expect(JSON.parse(Buffer.from(entries[4].content, 'latin1').toString())).toEqual(body.data);
      const masked: Answer[] = await zipOf({ fileIds: [picture.fileId], recipes: true });
      expect(JSON.parse(masked[1].content).extraData).toEqual({ api_key: '***' });
      const refused = await zipOf({ fileIds, names: '{sed}' });
      expect(refused.details[0]).toMatchObject({ message: expect.stringContaining('{sed} is not among') });
      expect((await bytesOf('/api/files/zip?names=%7Bn')).status).toBe(422);
      expect((await bytesOf('/api/files/zip?strip=all')).status).toBe(422);
    });

    it('names the pictures that are damaged, and sends them as they are', async () => {
      const { bytes } = await bytesOf(`/uploads/${picture.fileId}/a.png`);
      const cut = await ann.upload('cut.png', bytes.subarray(0, bytes.length - 10));
      const named = await ann.upload('not-stripped.txt', Buffer.from('mine'));
      const fileIds = [cut.fileId, named.fileId, picture.fileId];
      const [first, own, , note, ...more]: Answer[] = await zipOf({ fileIds, strip: 'metadata' });
      expect(first.content).toContain('tEXtprompt');
      expect(own).toMatchObject({ name: 'not-stripped.txt', content: 'mine' });
      expect(note.name).toBe('not-stripped (2).txt');
      expect(note.content).toMatch(/damaged.*\ncut\.png\n$/);
      expect(more).toEqual([]);
    });

    it('says of a shared file neither its task nor its workflow', async () => {
      const { data: saved } = await ann.call('POST', '/api/workflows', { name: 'Secret', workflow: noise });
      const { data: run } = await ann.call('POST', `/api/workflows/${saved.id}/run`, {});
      const [one] = (await ann.ended(run.id)).result.outputs;
      const shared = await ann.request('POST', '/api/shares', {
        body: { kind: 'file', subjectId: one.fileId, to: { kind: 'person', email: 'bob@example.com' } },
      });
      expect(shared.status).toBe(200);
      const names = '{workflow}-{task}-{seed}';
      const [file, recipe]: Answer[] = await zipOf({ fileIds: [one.fileId], names, recipes: true }, bob);
      expect([file.name, JSON.parse(recipe.content).task]).toEqual(['none-none-7.png', null]);
    });
  });

  it('says graph, params, inputs by content, worker with its version, task and times', async () => {
    const { status, body } = await get(`${picture.fileId}/recipe`);
    expect(status).toBe(200);
    expect(body.data).toMatchObject({
      fileId: picture.fileId,
      source: 'output',
      workflow: invert,
      params: { 'Photo.image': { $file: upload.fileId } },
      inputs: [
        {
          fileId: upload.fileId,
          filename: 'cat.png',
          sha256: upload.sha256,
          presentFileId: upload.fileId,
        },
      ],
      worker: {
        instanceId: `127.0.0.1:${worker.port}`,
        name: 'Test',
        version: expect.stringMatching(/\d/),
        attempt: 1,
      },
      task: { taskId: first.id, name: 'First', node: '3', nodeOutput: 0, conversation: null },
      savedWorkflow: null,
      seeds: [],
    });
    expect(body.data.task.finishedAt).toBe(first.finishedAt);
    expect(body.data.summary).toMatch(/^Task First made this file from 1 file on Test \(version /);
  });

  it('masks secrets', async () => {
    const { body } = await get(`${picture.fileId}/recipe`);
    expect(body.data.extraData).toEqual({ api_key: '***' });
    expect(JSON.stringify(body)).not.toContain('sk-secret');
  });

  it('says of an upload that it was uploaded, and does not make it again', async () => {
    const { body } = await get(`${upload.fileId}/recipe`);
    expect(body.data).toMatchObject({
      source: 'upload',
      summary: 'This file was uploaded; no task made it.',
      task: null,
      workflow: null,
      inputs: [],
    });
    expect(await again(upload.fileId, {})).toMatchObject({ status: 409, body: { error: 'file_not_made' } });
  });

  it('names the saved workflow and its version', async () => {
    const { data } = await ann.call('POST', '/api/workflows', {
      name: 'blank',
      workflow: noise,
      parameters: [{ name: 'color', label: 'Paper' }],
    });
    const run = await ann.call('POST', `/api/workflows/${data.id}/run`, {});
    const { result, savedWorkflow } = await ann.ended(run.data.id);
    expect(savedWorkflow).toEqual({ workflowId: data.id, version: 1 });
    const { body } = await get(`${result.outputs[1].fileId}/recipe`);
    expect(body.data.savedWorkflow).toEqual({ workflowId: data.id, version: 1 });
    expect(body.data.task).toMatchObject({ node: '2', nodeOutput: 1 });
    expect(body.data.values).toContainEqual({
      param: '1.color',
      title: 'EmptyImage',
      label: 'Paper',
      input: 'color',
      hidden: false,
      value: 0,
    });
  });

  it('is made again as it was, with its secrets, for the owner of the file', async () => {
    const { body } = await again(picture.fileId, {}, {}, admin);
    expect(body.data).toMatchObject({ owner: first.owner, workflow: invert, params: first.params });
    expect(body.data.extraData).toEqual({ api_key: '***' });
    const made = await ann.ended(body.data.id);
    expect((await get(`${made.result.outputs[0].fileId}/recipe`)).body.data.sha256).toBe(
      (await get(`${picture.fileId}/recipe`)).body.data.sha256,
    );
  });

  it('is made again with other params, another name, another place in line and another worker', async () => {
    const { body } = await again(picture.fileId, {
      params: { '1.image': { $file: picture.fileId } },
      name: 'Other',
      priority: 5,
      targetInstanceId: `127.0.0.1:${worker.port}`,
    });
    expect(body.data).toMatchObject({
      name: 'Other',
      priority: 5,
      pinnedInstanceId: `127.0.0.1:${worker.port}`,
    });
    const made = await ann.ended(body.data.id);
    const { inputs } = (await get(`${made.result.outputs[0].fileId}/recipe`)).body.data;
    expect(inputs.map(({ fileId }: Answer) => fileId)).toContain(picture.fileId);
    const compared = await get(`${picture.fileId}/recipe/difference?with=${made.result.outputs[0].fileId}`);
    expect(compared.body.data.differences.map(({ path }: Answer) => path)).toEqual(['graph.1.inputs.image']);
  });

  it('keeps its seeds, takes another one, or draws one', async () => {
    const task = await ann.ended((await ann.submit({ workflow: noise })).id);
    const { fileId } = task.result.outputs[0];
    const recipe = async (id: string) => {
      const { result } = await ann.ended(id);
      return (await get(`${result.outputs[0].fileId}/recipe`)).body.data;
    };
    expect((await get(`${fileId}/recipe`)).body.data.seeds).toEqual([
      { nodeId: '2', title: 'SaveImage', input: 'seed', value: 7 },
    ]);
    const seedAfter = async (body: object) =>
      (await recipe((await again(fileId, body)).body.data.id)).seeds[0].value;
    expect(await seedAfter({})).toBe(7);
    expect(await seedAfter({ seed: 'same' })).toBe(7);
    expect(await seedAfter({ seed: 12 })).toBe(12);
    const drawn = await seedAfter({ seed: 'random' });
    expect(drawn).not.toBe(7);
    expect(Number.isInteger(drawn)).toBe(true);
    expect(await again(picture.fileId, { seed: 'random' })).toMatchObject({
      status: 422,
      body: { details: [{ path: 'body.seed' }] },
    });
  });

  it('makes one task for one Idempotency-Key', async () => {
    const headers = { 'idempotency-key': 'again-1' };
    const one = await again(picture.fileId, { seed: 'same' }, headers);
    const two = await again(picture.fileId, { seed: 'same' }, headers);
    expect(two.body.data.id).toBe(one.body.data.id);
    expect(two.headers.get('idempotency-replayed')).toBe('true');
    expect((await again(picture.fileId, { priority: 1 }, headers)).status).toBe(422);
  });

  it('finds a deleted input by its content, and says which one is missing when there is none', async () => {
    const bytes = await photo(2);
    const given = await ann.upload('gone.png', bytes);
    const task = await invertOf(given.fileId);
    const { fileId } = task.result.outputs[0];
    await ann.call('DELETE', `/api/files/${given.fileId}`);
    const refused = await again(fileId, {});
    expect(refused.status).toBe(422);
    expect(refused.body.message).toContain(createHash('sha256').update(bytes).digest('hex'));
    const twin = await ann.upload('twin.png', bytes);
    const recipe = (await get(`${fileId}/recipe`)).body.data;
    expect(recipe.inputs).toMatchObject([{ fileId: given.fileId, presentFileId: twin.fileId }]);
    const { body } = await again(fileId, {});
    expect(body.data.params).toEqual({ 'Photo.image': { $file: twin.fileId } });
  });

  it('differs from another one where they differ, and not in times and ids', async () => {
    const twice = await invertOf(upload.fileId, { name: 'Twin', extraData: { api_key: 'sk-other' } });
    const twin = twice.result.outputs[0].fileId;
    const same = (await get(`${picture.fileId}/recipe/difference?with=${twin}`)).body.data;
    expect(same).toEqual({
      left: picture.fileId,
      right: twin,
      files: [picture.fileId, twin],
      sameContent: true,
      differences: [],
      isCut: false,
    });
    const later = second.result.outputs[0].fileId;
    const other = (await get(`${picture.fileId}/recipe/difference?with=${later}`)).body.data;
    expect(other.sameContent).toBe(false);
    const otherContent = expect.stringMatching(/^sha256:[0-9a-f]{64}$/);
    const nowhere = { title: null, label: null, input: null };
    expect(other.differences).toEqual([
      {
        path: 'graph.1.inputs.image',
        title: 'Photo',
        label: null,
        input: 'image',
        left: `sha256:${upload.sha256}`,
        right: otherContent,
        values: [`sha256:${upload.sha256}`, otherContent],
      },
      { path: 'extraData.api_key', ...nowhere, left: '***', values: ['***', null] },
      { path: 'extraData', ...nowhere, right: null, values: [null, null] },
    ]);
    const three = [picture.fileId, twin].join(',');
    const uploaded = (await get(`${upload.fileId}/recipe/difference?with=${three}`)).body.data;
    expect(uploaded.differences).toContainEqual({
      path: 'source',
      ...nowhere,
      left: 'upload',
      right: 'output',
      values: ['upload', 'output', 'output'],
    });
    const five = ['b', 'c', 'd', 'e'].join(',');
    expect((await get(`a/recipe/difference?with=${five}`)).status).toBe(422);
  });

  it('is not found by another user in any of its addresses', async () => {
    const foreign = picture.fileId;
    for (const path of ['recipe', 'lineage', `recipe/difference?with=${foreign}`]) {
      expect(await get(`${foreign}/${path}`, bob)).toMatchObject({
        status: 404,
        body: { error: 'file_not_found' },
      });
    }
    expect((await again(foreign, {}, {}, bob)).status).toBe(404);
    const own = await bob.upload('own.png', await photo(3));
    expect((await get(`${own.fileId}/recipe/difference?with=${foreign}`, bob)).status).toBe(404);
    expect((await get('nothing/recipe')).status).toBe(404);
  });

  it('refuses an unknown field of a body or a query and names the nearest', async () => {
    const body = await again(picture.fileId, { sead: 1 });
    expect(body).toMatchObject({ status: 422, body: { details: [{ path: 'body.sead' }] } });
    expect(body.body.details[0].message).toMatch(/Did you mean seed\?/);
    const query = await get(`${picture.fileId}/lineage?dept=3`);
    expect(query.status).toBe(422);
    expect(query.body.details[0].message).toMatch(/Did you mean depth\?/);
    expect((await get(`${picture.fileId}/recipe?x=1`)).status).toBe(422);
    expect((await get(`${picture.fileId}/lineage?depth=0`)).status).toBe(422);
  });
});

async function photo(shade: number): Promise<Buffer> {
  const background = { r: shade, g: 90, b: 200 };
  return sharp({ create: { width: 16, height: 12, channels: 3, background } })
    .png()
    .toBuffer();
}
