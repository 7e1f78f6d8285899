import { type DevGateway, startGateway } from '@switchyard/dev-env/gateway';
import { startReferenceWorker } from '@switchyard/dev-env/reference-worker';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ConversationCaller, says } from './support/conversation-caller.ts';
import { DispatchCaller } from './support/dispatch-caller.ts';

/** What a user asks the demo model about pictures, on a real worker, checked down to the pixels. */

let gateway: DevGateway;
let worker: Awaited<ReturnType<typeof startReferenceWorker>>;
let ada: ConversationCaller;
let adaInDispatch: DispatchCaller;
let bob: ConversationCaller;

beforeAll(async () => {
  gateway = await startGateway();
  worker = await startReferenceWorker();
  const admin = await DispatchCaller.initialize(gateway.url);
  await admin.useWorkers([worker.port]);
  ada = await ConversationCaller.of(gateway.url, await gateway.register('ada@example.com'));
  bob = await ConversationCaller.of(gateway.url, await gateway.register('bob@example.com'));
  adaInDispatch = await DispatchCaller.login(gateway.url, 'ada@example.com');
});

afterAll(async () => {
  await gateway.stop();
  await worker.close();
});

describe('an uploaded picture', () => {
  it.each([
    ['invert cat.png', [40, 20], [55, 155, 215]],
    ['make a smaller inverted copy of cat.png', [20, 10], [55, 155, 215]],
    ['double cat.png', [80, 40], [200, 100, 40]],
    ['rotate cat.png', [20, 40], [200, 100, 40]],
    ['flip cat.png and mirror it', [40, 20], [200, 100, 40]],
    ['blur cat.png', [40, 20], [200, 100, 40]],
  ] as const)('%j', async (question, [width, height], colour) => {
    const thread = await ada.thread();
    await upload(ada, thread, { 'cat.png': await plain(40, 20, '#c86428') });
    const { artifacts, messages } = await ask(ada, thread, question);

    expect(messages.at(-1).content).toContain('made 1 file');
    expect(artifacts).toEqual([
      expect.stringMatching(/^\/mnt\/user-data\/outputs\/cat-[\w-]+-[0-9a-f]{12}\.png$/),
    ]);
    const picture = await artifact(ada, thread, artifacts[0]);
    expect(await sizeOf(picture)).toEqual([width, height]);
    expect(await middleOf(picture)).toEqual(colour.map((value) => near(value)));
  });

  it.each([
    ['rotate', 'right'],
    ['flip', 'left'],
    ['mirror', 'right'],
  ])('turns in the requested direction: %s %s', async (verb, side) => {
    const thread = await ada.thread();
    const red = { input: await plain(10, 10, '#ff0000'), left: 0, top: 0 };
    const corner = await sharp(await plain(20, 20, '#0000ff'))
      .composite([red])
      .png()
      .toBuffer();
    await upload(ada, thread, { 'corner.png': corner });
    const { artifacts } = await ask(ada, thread, `${verb} corner.png`);

    const picture = await artifact(ada, thread, artifacts[0]);
    const redAt = await Promise.all(
      [
        [5, 5],
        [15, 5],
        [5, 15],
        [15, 15],
      ].map(async ([x = 0, y = 0]) => (await colourAt(picture, x, y))[0] === 255),
    );
    expect(redAt.indexOf(true)).toBe((verb === 'flip' ? 2 : 0) + (side === 'right' ? 1 : 0));
  });

  it('can be inverted together with others', async () => {
    const thread = await ada.thread();
    const pictures = { 'a.png': await plain(8, 8, '#000000'), 'b.jpg': await plain(8, 8, '#ffffff', 'jpeg') };
    await upload(ada, thread, pictures);

    const inverted = await ask(ada, thread, 'invert a.png and b.jpg');
    expect(inverted.artifacts).toHaveLength(2);
    expect(await middleOf(await artifact(ada, thread, inverted.artifacts[0]))).toEqual([255, 255, 255]);
  });

  it('is the newest one when the user names none', async () => {
    const thread = await ada.thread();
    expect((await ask(ada, thread, 'make it smaller')).messages.at(-1).content).toContain(
      'There is no picture',
    );
    await upload(ada, thread, { 'a.png': await plain(10, 10, '#000000') });
    await upload(ada, thread, { 'z.png': await plain(20, 20, '#000000') });
    const { artifacts, messages } = await ask(ada, thread, 'make it smaller');

    expect(artifacts).toEqual([expect.stringContaining('/z-smaller-')]);
    const calls = messages.flatMap(({ tool_calls: made = [] }) =>
      made.map(({ name }: { name: string }) => name),
    );
    expect(calls.slice(-2)).toEqual(['ls', 'run_workflow']);
    const again = await ask(ada, thread, 'make the result smaller');
    expect(await sizeOf(await artifact(ada, thread, again.artifacts[1]))).toEqual([5, 5]);
  });

  it('that does not exist is reported with those that do', async () => {
    const thread = await ada.thread();
    await upload(ada, thread, { 'dog.png': await plain(8, 8, '#000000') });
    const { messages, artifacts = [] } = await ask(ada, thread, 'invert cat.png');

    expect(messages.at(-1).content).toContain('There is no file /mnt/user-data/uploads/cat.png.');
    expect(messages.at(-1).content).toContain('dog.png');
    expect(artifacts).toEqual([]);
  });

  it('cannot be used in another thread or by another user', async () => {
    const thread = await ada.thread();
    await upload(ada, thread, { 'hers.png': await plain(8, 8, '#000000') });
    const paths = [
      'hers.png',
      `/mnt/user-data/uploads/../../../${thread}/user-data/uploads/hers.png`,
      `/mnt/user-data/uploads/../../../../../${ada.userId}/threads/${thread}/user-data/uploads/hers.png`,
    ];
    for (const [caller, path] of [
      ...paths.map((each) => [ada, each] as const),
      ...paths.map((each) => [bob, each] as const),
    ]) {
      const { messages, artifacts = [] } = await ask(caller, await caller.thread(), `invert ${path}`);
      expect(messages.at(-1).content).toContain('That did not work.');
      expect(artifacts).toEqual([]);
    }
  });

  it('is stored once for its owner, and its result is a file of the pool too', async () => {
    const thread = await ada.thread();
    const picture = await plain(12, 12, '#102030');
    await upload(ada, thread, { 'once.png': picture });
    const { messages } = await ask(ada, thread, 'invert once.png');
    await ask(ada, thread, 'blur once.png by 2');

    const { items } = (await adaInDispatch.call('GET', '/api/files?limit=200')).data;
    const uploads = items.filter(({ filename }: { filename: string }) => filename === 'once.png');
    expect(uploads).toMatchObject([{ source: 'upload', size: picture.length }]);
    const [made] = JSON.parse(messages.find(({ type }) => type === 'tool').content).files;
    expect(items).toContainEqual(expect.objectContaining({ fileId: made.file_id, source: 'output' }));
  });

  it('says in its recipe which thread, run and tool call asked for it, and what it was made from', async () => {
    const thread = await ada.thread();
    await upload(ada, thread, { 'asked.png': await plain(9, 9, '#405060') });
    const { messages } = await ask(ada, thread, 'invert asked.png');
    const answer = messages.find(({ type }) => type === 'tool');
    const [made] = JSON.parse(answer.content).files;
    const { data } = await adaInDispatch.call('GET', `/api/files/${made.file_id}/recipe`);
    expect(data.task.conversation).toEqual({
      agent: 'lead_agent',
      threadId: thread,
      runId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      toolCallId: answer.tool_call_id,
    });
    expect(data.inputs).toMatchObject([{ filename: 'asked.png', presentFileId: expect.any(String) }]);
  });

  it('can be used in a saved workflow by its path', async () => {
    const body = {
      name: 'Turn around',
      exposed: true,
      workflow: {
        '1': { class_type: 'LoadImage', inputs: { image: '{{picture}}' } },
        '2': { class_type: 'ImageRotate', inputs: { image: ['1', 0], rotation: '90 degrees' } },
        '3': { class_type: 'SaveImage', inputs: { images: ['2', 0], filename_prefix: 'turned' } },
      },
    };
    await adaInDispatch.call('POST', '/api/workflows', body);
    const thread = await ada.thread();
    await upload(ada, thread, { 'wide.png': await plain(30, 10, '#00ff00') });
    const path = '/mnt/user-data/uploads/wide.png';
    const { artifacts, messages } = await ask(ada, thread, `run turn around with picture = ${path}`);

    expect(await sizeOf(await artifact(ada, thread, artifacts[0]))).toEqual([10, 30]);

    const [made] = JSON.parse(messages.find(({ type }) => type === 'tool').content).files;
    const byId = `run turn around with picture = {"$file":"${made.file_id}"}`;
    expect((await ask(ada, await ada.thread(), byId)).artifacts).toHaveLength(1);
    const bobInDispatch = await DispatchCaller.login(gateway.url, 'bob@example.com');
    await bobInDispatch.call('POST', '/api/workflows', body);
    const his = await ask(bob, await bob.thread(), byId);
    expect(his.messages.at(-1).content).toContain(`There is no file ${made.file_id}`);
    expect(his.artifacts ?? []).toEqual([]);
  });
});

async function plain(width: number, height: number, background: string, format: 'png' | 'jpeg' = 'png') {
  const create = { width, height, channels: 3, background } as const;
  return sharp({ create }).toFormat(format).toBuffer();
}

async function upload(
  caller: ConversationCaller,
  thread: string,
  files: Record<string, Buffer>,
): Promise<void> {
  const form = new FormData();
  for (const [name, bytes] of Object.entries(files))
    form.append('files', new Blob([new Uint8Array(bytes)]), name);
  const url = new URL(`/api/threads/${thread}/uploads`, caller.url);
  const answer = await fetch(url, { method: 'POST', headers: { 'x-api-key': caller.token }, body: form });
  expect(answer.status).toBe(200);
}

// biome-ignore lint/suspicious/noExplicitAny: a test reads values as they come
type Values = { messages: any[]; artifacts: any[] };

async function ask(caller: ConversationCaller, thread: string, question: string): Promise<Values> {
  return caller.wait(thread, { assistant_id: 'lead_agent', input: says(question) });
}

async function artifact(caller: ConversationCaller, thread: string, path: string): Promise<Buffer> {
  const url = new URL(`/api/threads/${thread}/artifacts${path}`, caller.url);
  const answer = await fetch(url, { headers: { 'x-api-key': caller.token } });
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'image/png']);
  return Buffer.from(await answer.arrayBuffer());
}

async function sizeOf(picture: Buffer): Promise<[number, number]> {
  const { width, height } = await sharp(picture).metadata();
  return [width, height];
}

async function middleOf(picture: Buffer): Promise<number[]> {
  const [width, height] = await sizeOf(picture);
  return colourAt(picture, width >> 1, height >> 1);
}

async function colourAt(picture: Buffer, left: number, top: number): Promise<number[]> {
  return [
    ...(await sharp(picture).extract({ left, top, width: 1, height: 1 }).removeAlpha().raw().toBuffer()),
  ];
}

/** Rounding may change a value by one either way. */
function near(value: number) {
  return expect.closeTo(value, -0.5);
}
