import { type DevGateway, startGateway } from '@switchyard/dev-env/gateway';
import { startReferenceWorker } from '@switchyard/dev-env/reference-worker';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DispatchCaller } from './support/dispatch-caller.ts';

// biome-ignore lint/suspicious/noExplicitAny: what a worker answers, as it comes
type Answer = any;

const red = 0xff0000;
const save = (color: number) => ({
  '1': { class_type: 'EmptyImage', inputs: { width: 8, height: 8, batch_size: 1, color } },
  '2': { class_type: 'SaveImage', inputs: { images: ['1', 0], filename_prefix: 'private/holiday' } },
});
const load = (image: unknown) => ({
  '1': { class_type: 'LoadImage', inputs: { image } },
  '2': { class_type: 'SaveImage', inputs: { images: ['1', 0], filename_prefix: 'copy' } },
});
const where = 'body.workflow.1.inputs.image';

describe('files on a worker that users share', () => {
  let gateway: DevGateway;
  let worker: Awaited<ReturnType<typeof startReferenceWorker>>;
  let ann: DispatchCaller;
  let bob: DispatchCaller;
  /** The task whose picture the others want. */
  let victim: { id: string; result: { outputs: { fileId: string }[] } };
  /** The name of the picture on the worker. */
  let hidden: { filename: string; subfolder: string };

  beforeAll(async () => {
    gateway = await startGateway();
    worker = await startReferenceWorker();
    const admin = await DispatchCaller.initialize(gateway.url);
    await admin.useWorkers([worker.port]);
    ann = await DispatchCaller.register(gateway.url, 'ann@example.com');
    bob = await DispatchCaller.register(gateway.url, 'bob@example.com');
    const { id } = await ann.submit({ workflow: save(red) });
    victim = await ann.ended(id);
    const history: Answer = await (await fetch(`${worker.url}/history/${id}`)).json();
    [hidden] = history[id].outputs['2'].images;
  });

  afterAll(async () => {
    await gateway.stop();
    await worker.close();
  });

  const refusalOf = async (input: object, path = '/api/tasks') => {
    const { status, body } = await bob.request('POST', path, { body: input });
    return { status, error: body.error, paths: body.details?.map((fault: { path: string }) => fault.path) };
  };
  const refused = { status: 422, error: 'invalid_workflow', paths: [where] };

  it('are out of reach by any path, however it gets into the graph', async () => {
    const { filename, subfolder } = hidden;
    const picture = `${subfolder}/${filename} [output]`;
    const blank = '{{picture}}';
    expect(await refusalOf({ workflow: load(picture) })).toEqual(refused);
    expect(await refusalOf({ workflow: load('x.png'), params: { '1.image': picture } })).toEqual(refused);
    expect(await refusalOf({ workflow: load(blank), params: { picture } })).toEqual(refused);
    expect(
      await refusalOf({ workflow: load('private/{{who}} [output]'), params: { who: 'holiday_00001_.png' } }),
    ).toEqual(refused);
    for (const path of [
      'private/holiday_00001_.png [output]',
      'private/holiday_00001_.png [temp]',
      `../output/${subfolder}/${filename}`,
      `..\\output\\${filename}`,
      `${process.cwd()}/x.png`,
    ]) {
      expect(await refusalOf({ workflow: load(path) })).toEqual(refused);
    }
  });

  it('are out of reach for saved workflows too', async () => {
    const saved = await bob.call('POST', '/api/workflows', { name: 'steal', workflow: load('{{picture}}') });
    const run = { params: { picture: 'private/holiday_00001_.png [output]' } };
    expect(await refusalOf(run, `/api/workflows/${saved.data.id}/run`)).toEqual(refused);
  });

  it('are refused with the node, the input and what to do instead', async () => {
    const answer = await bob.call('POST', '/api/tasks', {
      workflow: load('private/holiday_00001_.png [output]'),
    });
    expect(answer.message).toMatch(
      /Node 1 \(LoadImage\), input "image": "private\/holiday_00001_\.png \[output\]"/,
    );
    expect(answer.message).toMatch(
      /Upload the file and set the input by a param with \{ "\$file": "<fileId>" \}/,
    );
  });

  it('stay out of reach for a user who has a file of the same name and lets two nodes share one address', async () => {
    const own = await bob.ended((await bob.submit({ workflow: save(0) })).id);
    expect(own.status).toBe('completed');
    const path = `${hidden.subfolder}/holiday_00001_.png [output]`;
    const workflow = {
      'x.y': { class_type: 'LoadImage', inputs: { image: path } },
      x: {
        class_type: 'EmptyImage',
        inputs: { width: 8, height: 8, batch_size: 1, color: 0, 'y.image': 'a' },
      },
      '2': { class_type: 'SaveImage', inputs: { images: ['x.y', 0], filename_prefix: 'copy' } },
    };
    expect(await refusalOf({ workflow })).toEqual({ ...refused, paths: ['body.workflow.x.y.inputs.image'] });
  });

  it('are loaded by name when they are outputs of an own task, and the task says which', async () => {
    const task = await ann.submit({ workflow: load('private/holiday_00001_.png [output]') });
    const [output] = victim.result.outputs;
    expect(task.params).toEqual({ '1.image': { $file: output?.fileId } });
    expect(task.warnings).toEqual([expect.stringContaining(output?.fileId ?? 'none')]);
    const { status, result } = await ann.ended(task.id);
    expect(status).toBe('completed');
    const bytes = await (await fetch(result.files[0])).arrayBuffer();
    const pixels = await sharp(Buffer.from(bytes)).raw().toBuffer();
    expect([...pixels.subarray(0, 3)]).toEqual([255, 0, 0]);
  });

  it('may be named by their pushed names by their owner, and by no one else', async () => {
    const bytes = await sharp({ create: { width: 8, height: 8, channels: 3, background: '#00ff00' } })
      .png()
      .toBuffer();
    const file = await ann.upload('green.png', bytes);
    const first = await ann.submit({
      workflow: load('x.png'),
      params: { '1.image': { $file: file.fileId } },
    });
    await ann.ended(first.id);
    const listed = await ann.call('GET', '/api/files?source=upload');
    const pushed = `gw/${listed.data.items[0].sha256}.png`;
    expect(await refusalOf({ workflow: load(pushed) })).toEqual(refused);
    const again = await ann.submit({ workflow: load(pushed) });
    expect((await ann.ended(again.id)).status).toBe('completed');
  });

  it("cannot be written under names outside the task's own prefix", async () => {
    const workflow = save(0);
    workflow['2'].inputs.filename_prefix = 'x/../../private/holiday';
    expect(await refusalOf({ workflow })).toEqual({
      ...refused,
      paths: ['body.workflow.2.inputs.filename_prefix'],
    });
  });
});
