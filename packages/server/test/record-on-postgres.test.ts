import { type DevGateway, startGateway } from '@switchyard/dev-env/gateway';
import { testPostgres } from '@switchyard/dev-env/postgres';
import { startReferenceWorker } from '@switchyard/dev-env/reference-worker';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ConversationCaller, says } from './support/conversation-caller.ts';
import { DispatchCaller } from './support/dispatch-caller.ts';
import { PushListener } from './support/push-listener.ts';

const postgres = testPostgres('the record, the reasons and the numbers on Postgres');

// biome-ignore lint/suspicious/noExplicitAny: what the gateway answers, as it comes
type Answer = any;

const invert = {
  '1': { class_type: 'LoadImage', inputs: { image: 'x.png' } },
  '2': { class_type: 'ImageInvert', inputs: { image: ['1', 0] } },
  '3': { class_type: 'SaveImage', inputs: { images: ['2', 0], filename_prefix: 'inverted' } },
};

describe.skipIf(postgres.isSkipped)(postgres.title, () => {
  let gateway: DevGateway;
  let worker: Awaited<ReturnType<typeof startReferenceWorker>>;
  let admin: DispatchCaller;
  let ann: DispatchCaller;
  let ben: DispatchCaller;
  let annTalks: ConversationCaller;
  let benTalks: ConversationCaller;
  let uploadId: string;
  let task: Answer;
  let pictureId: string;

  beforeAll(async () => {
    const database = { backend: 'postgres', url: await postgres.createDatabase() } as const;
    gateway = await startGateway({ config: { database } });
    worker = await startReferenceWorker();
    admin = await DispatchCaller.initialize(gateway.url);
    await admin.useWorkers([worker.port], { tags: ['fast'] });
    annTalks = await ConversationCaller.of(gateway.url, await gateway.register('ann@example.com'));
    benTalks = await ConversationCaller.of(gateway.url, await gateway.register('ben@example.com'));
    ann = await DispatchCaller.login(gateway.url, 'ann@example.com');
    ben = await DispatchCaller.login(gateway.url, 'ben@example.com');
    const blank = { width: 40, height: 20, channels: 3, background: 'green' } as const;
    uploadId = (await ann.upload('start.png', await sharp({ create: blank }).png().toBuffer())).fileId;
    const { id } = await ann.submit({ workflow: invert, params: { '1.image': { $file: uploadId } } });
    task = await ann.ended(id);
    pictureId = task.result.outputs[0].fileId;
  });

  afterAll(async () => {
    await gateway.stop();
    await worker.close();
  });

  const data = async (who: DispatchCaller, path: string): Promise<Answer> => {
    const answer = await who.call('GET', path);
    expect(answer, path).toMatchObject({ code: 200 });
    return answer.data;
  };
  const again = async (who: DispatchCaller): Promise<string> =>
    (await who.submit({ workflow: invert, params: { '1.image': { $file: uploadId } } })).id;
  const load = (who: DispatchCaller, path: string, init: RequestInit = {}) =>
    fetch(new URL(path, gateway.url), {
      ...init,
      headers: { authorization: `Bearer ${who.token}`, ...init.headers },
    });

  it('tells why a task waits under a pause, moves it to the front, and resumes', async () => {
    await admin.call('POST', '/api/queue/pause', { scope: 'pool', target: 'fast', reason: 'New disks' });
    const [first, second] = [await again(ann), await again(ann)];
    const why = await data(ann, `/api/tasks/${second}/why`);
    expect(why).toMatchObject({ position: 2, ahead: { total: 1 }, totals: { instances: 1, couldRun: 0 } });
    expect(why.instances[0].reasons).toMatchObject([{ code: 'paused' }]);
    expect(await ben.call('GET', `/api/tasks/${second}/why`)).toMatchObject({ code: 404 });

    expect(await ben.call('POST', `/api/tasks/${second}/front`)).toMatchObject({ code: 404 });
    expect((await ann.call('POST', `/api/tasks/${second}/front`)).data).toMatchObject({ position: 1 });
    expect((await data(ann, '/api/queue')).pauses).toMatchObject([{ scope: 'pool', reason: 'New disks' }]);
    expect((await data(ann, '/api/monitor/overview')).pausedPools).toEqual(['fast']);
    expect(await ben.call('POST', '/api/queue/resume', { scope: 'pool', target: 'fast' })).toMatchObject({
      code: 403,
    });
    const resumed = await admin.call('POST', '/api/queue/resume', { scope: 'pool', target: 'fast' });
    expect(resumed.data).toEqual({ resumed: true });
    expect(await ann.ended(second)).toMatchObject({ status: 'completed' });
    expect(await ann.ended(first)).toMatchObject({ status: 'completed' });
  });

  it("counts and cancels a selection of the caller's tasks once", async () => {
    await ben.call('POST', '/api/queue/pause', { scope: 'user' });
    const workflow = {
      '1': { class_type: 'EmptyImage', inputs: {} },
      '2': { class_type: 'SaveImage', inputs: { images: ['1', 0], filename_prefix: 'b' } },
    };
    const ids: string[] = [];
    for (let count = 0; count < 3; count += 1) ids.push((await ben.submit({ workflow })).id);
    const cancel = { action: 'cancel', filter: { status: 'pending' } };
    const counted = await ben.call('POST', '/api/task-batches', { ...cancel, dryRun: true });
    expect(counted.data).toMatchObject({ state: 'counted', total: 3 });
    expect((await ann.call('POST', '/api/task-batches', { ...cancel, dryRun: true })).data.total).toBe(0);
    const made = await ben.call('POST', '/api/task-batches?wait=60', { ...cancel, count: 3 });
    expect(made.data).toMatchObject({ state: 'finished', done: 3 });
    const { items } = await data(ben, `/api/task-batches/${made.data.id}/items`);
    expect(items.map(({ taskId }: Answer) => taskId).sort()).toEqual([...ids].sort());
    expect(await ann.call('GET', `/api/task-batches/${made.data.id}`)).toMatchObject({ code: 404 });
    await ben.call('POST', '/api/queue/resume', { scope: 'user' });
  });

  it('answers how a picture was made, makes it again, and compares the two', async () => {
    const recipe = await data(ann, `/api/files/${pictureId}/recipe`);
    expect(recipe).toMatchObject({ fileId: pictureId, source: 'output' });
    const { data: copy } = await ann.call('POST', `/api/files/${pictureId}/again`, {});
    const { result } = await ann.ended(copy.id);
    const other = result.outputs[0].fileId;
    expect(await data(ann, `/api/files/${pictureId}/recipe/difference?with=${other}`)).toMatchObject({
      sameContent: true,
      differences: [],
    });
    for (const [method, path] of [
      ['GET', 'recipe'],
      ['GET', `recipe/difference?with=${other}`],
      ['POST', 'again'],
    ] as const) {
      const body = method === 'POST' ? {} : undefined;
      expect(await ben.call(method, `/api/files/${pictureId}/${path}`, body), path).toMatchObject({
        code: 404,
      });
    }
  });

  it('follows the line from the upload to the picture, and back', async () => {
    const up = await data(ann, `/api/files/${pictureId}/lineage?direction=up`);
    expect(up.files.map(({ fileId }: Answer) => fileId)).toEqual([pictureId, uploadId]);
    expect(up.tasks).toMatchObject([{ id: task.id, level: -1 }]);
    const down = await data(ann, `/api/files/${uploadId}/lineage?direction=down`);
    expect(down.files.map(({ fileId }: Answer) => fileId)).toContain(pictureId);
    expect(await ben.call('GET', `/api/files/${uploadId}/lineage`)).toMatchObject({ code: 404 });
  });

  it('shows a thumbnail, filters the list of files, and zips a selection', async () => {
    const small = await load(ann, `/api/files/${pictureId}/thumbnail?size=64`);
    expect((await sharp(Buffer.from(await small.arrayBuffer())).metadata()).format).toBe('webp');
    expect((await load(ben, `/api/files/${pictureId}/thumbnail?size=64`)).status).toBe(404);

    const { total, items } = await data(ann, `/api/files?taskId=${task.id}`);
    expect([total, items[0].fileId]).toEqual([1, pictureId]);
    expect(await data(ben, `/api/files?taskId=${task.id}`)).toMatchObject({ total: 0, items: [] });

    const selected = await load(ann, `/api/files/zip?taskId=${task.id}`);
    expect(
      Buffer.from(await selected.arrayBuffer())
        .subarray(0, 2)
        .toString(),
    ).toBe('PK');
    const chosen = {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ fileIds: [uploadId, pictureId] }),
    };
    expect((await load(ann, '/api/files/zip', chosen)).status).toBe(200);
    expect((await load(ben, '/api/files/zip', chosen)).status).toBe(404);
  });

  it('has the nodes and the timeline of a task', async () => {
    const nodes = await data(ann, `/api/tasks/${task.id}/nodes`);
    expect(nodes.items.map(({ node }: Answer) => node)).toEqual(expect.arrayContaining(['2', '3']));
    const { spans, live } = await data(ann, `/api/tasks/${task.id}/timeline`);
    expect(live).toBe(false);
    expect(spans.map(({ kind }: Answer) => kind)).toEqual(
      expect.arrayContaining(['task', 'queue', 'attempt', 'node']),
    );
    for (const path of ['nodes', 'timeline'])
      expect(await ben.call('GET', `/api/tasks/${task.id}/${path}`), path).toMatchObject({ code: 404 });
  });

  it('has the timeline, the reasons and the usage of a turn that makes a picture', async () => {
    const thread = await annTalks.thread();
    const input = says('invert a picture');
    const { run_id: runId } = await annTalks.run(thread, { assistant_id: 'lead_agent', input });
    await annTalks.ended(thread, runId);
    const path = `/threads/${thread}/runs/${runId}`;
    const { spans } = await annTalks.ok('GET', `${path}/timeline`);
    const kinds = new Set(spans.map(({ kind }: Answer) => kind));
    expect(kinds).toEqual(new Set(['run', 'queue', 'model', 'tool', 'task', 'attempt', 'node']));
    expect(await annTalks.ok('GET', `${path}/why`)).toMatchObject({ status: 'success', waits_for: null });
    expect((await annTalks.ok('GET', `/threads/${thread}/token-usage`)).context_usage).toMatchObject({
      token_count: expect.any(Number),
    });
    expect((await annTalks.ok('GET', '/console/unread-threads')).threads).toMatchObject([
      { thread_id: thread },
    ]);
    expect((await benTalks.ok('GET', '/console/unread-threads')).threads).toEqual([]);
    for (const foreign of [`${path}/timeline`, `${path}/why`, `/threads/${thread}/token-usage`])
      expect((await benTalks.get(foreign)).status, foreign).toBe(404);

    const usage = await annTalks.ok('GET', '/console/usage?days=2');
    expect(usage).toMatchObject({ total_runs: 1, total_tasks: 1 });
    expect(usage.by_agent).toMatchObject([{ agent: 'lead_agent', runs: 1, tasks: 1 }]);
    expect(await benTalks.ok('GET', '/console/usage?days=2')).toMatchObject({
      total_runs: 0,
      total_tasks: 0,
    });
  });

  it('reports the system and the record of changes to administrators alone', async () => {
    const report = await data(admin, '/api/system');
    expect(report.dependencies).toContainEqual(
      expect.objectContaining({ name: 'database', kind: 'postgres' }),
    );
    expect(report.storage.byUser.map(({ email }: Answer) => email)).toContain('ann@example.com');
    const { items } = await data(admin, '/api/audit?action=queue.paused');
    expect(items.map(({ actorName }: Answer) => actorName)).toEqual(['ben@example.com', 'admin@example.com']);
    for (const path of ['/api/system', '/api/audit'])
      expect(await ann.call('GET', path), path).toMatchObject({ code: 403 });
  });

  it('sends a listener that comes back what it missed, and nothing of others', async () => {
    const first = await PushListener.open(gateway.url, ann.token);
    const { cursor } = await first.next('global_status');
    first.close();
    await first.closed;
    await ann.ended(await again(ann));
    const [own, foreign] = await Promise.all(
      [ann, ben].map(({ token }) => PushListener.open(`${gateway.url}/?cursor=${cursor}`, token)),
    );
    await own?.next('task_created');
    await own?.next('files_created');
    await foreign?.next('global_status');
    expect(foreign?.all.map(({ type }) => type)).not.toContain('task_created');
    for (const listener of [own, foreign]) listener?.close();
  });
});
