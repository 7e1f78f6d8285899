import { type FakeOpenAi, type FakeReply, startFakeOpenAi } from '@switchyard/dev-env/fake-openai';
import { readModels } from '@switchyard/server/config/models';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type ConversationCaller, says } from './support/conversation-caller.ts';
import { type ConversationGateway, startConversation } from './support/conversation-gateway.ts';

type Call = [name: string, args: object];

let provider: FakeOpenAi;
let server: ConversationGateway;
let ada: ConversationCaller;
let bob: ConversationCaller;
/** The tool calls of the model's next answers. When none is left it says that it is done. */
let script: Call[][];

beforeAll(async () => {
  provider = await startFakeOpenAi(() => nextReply());
  const keys = { base_url: provider.url, api_key: 'sk-hunter2' };
  const models = readModels({
    blind: { ...keys, model: 'blind-1' },
    seeing: { ...keys, model: 'seeing-1', supports_vision: true },
    shortsighted: { ...keys, model: 'seeing-2', supports_vision: true, fallback: 'blind' },
  });
  server = await startConversation({ models, title: { enabled: false } });
  ({ ada, bob } = server);
});
beforeEach(() => {
  provider.requests.length = 0;
  script = [];
});
afterAll(async () => {
  await server?.close();
  await provider?.close();
});

function nextReply(): FakeReply {
  const calls = script.shift();
  if (!calls) return { text: 'Done.' };
  return {
    calls: calls.map(([name, args], index) => ({
      id: `call_${script.length}_${index}`,
      name,
      args: { description: 'For the test', ...args },
    })),
  };
}

const ask = (text: string, model = 'seeing', extra: object = {}) => ({
  assistant_id: 'lead_agent',
  input: { messages: [{ role: 'user', content: text, ...extra }] },
  context: { model_name: model },
});

interface Message {
  type: string;
  content: unknown;
  status?: string;
}

/** The results of the tools, in their order. */
async function answersOf(
  caller: ConversationCaller,
  threadId: string,
  ...steps: Call[][]
): Promise<Message[]> {
  script = steps;
  const { messages } = await caller.wait(threadId, ask('Go on'));
  return (messages as Message[]).filter(({ type }) => type === 'tool');
}

async function upload(threadId: string, name: string, content: Uint8Array | string): Promise<void> {
  const form = new FormData();
  form.append('files', new Blob([content as string]), name);
  const answer = await fetch(new URL(`/api/threads/${threadId}/uploads`, ada.url), {
    method: 'POST',
    headers: { 'x-api-key': ada.token },
    body: form,
  });
  expect(answer.status).toBe(200);
}

const picture = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
);
const systemText = (index: number) => JSON.stringify(provider.requests[index]?.messages[0]);

describe('an agent and the files of its thread', () => {
  const path = '/mnt/user-data/outputs/report.md';

  it('writes one, reads it and presents it, and the user loads it', async () => {
    const thread = await ada.thread();
    script = [
      [['write_file', { path, content: '# Report\n' }]],
      [['str_replace', { path, old_str: 'Report', new_str: 'Result' }]],
      [['read_file', { path }]],
      [['present_files', { filepaths: [path] }]],
    ];
    const stream = await ada.stream(thread, { ...ask('Write a report'), stream_mode: ['values', 'updates'] });
    const frames = await stream.rest();
    const { values } = await ada.ok('GET', `/threads/${thread}/state`);

    const tools = (values.messages as Message[]).filter(({ type }) => type === 'tool');
    expect(tools.map(({ content }) => content)).toEqual([
      `Wrote 9 bytes to ${path}.`,
      `Replaced it in ${path}.`,
      '# Result',
      'Successfully presented files',
    ]);
    expect(tools.map(({ status }) => status)).toEqual(Array(tools.length).fill('success'));
    expect(values.artifacts).toEqual([path]);
    expect((await ada.get(`/threads/${thread}/artifacts${path}`)).text).toBe('# Result\n');
    expect((await bob.get(`/threads/${thread}/artifacts${path}`)).status).toBe(404);
    expect(JSON.stringify([frames, values])).not.toContain(server.gateway.home);
  });

  it('finds it again in the next run, and changes no others', async () => {
    const thread = await ada.thread();
    const whole = [['glob', { path: '/mnt/user-data', pattern: '**' }]] satisfies Call[];
    await answersOf(ada, thread, [['write_file', { path, content: 'hers' }]]);

    expect((await answersOf(ada, thread, whole)).at(-1)?.content).toContain(path);
    for (const [caller, other] of [
      [ada, await ada.thread()],
      [bob, await bob.thread()],
    ] as const) {
      const [found, read] = await answersOf(caller, other, whole, [['read_file', { path }]]);
      expect(found?.content).toBe('No file fits the pattern.');
      expect(read).toMatchObject({ status: 'error', content: expect.stringContaining('file_not_found') });
    }
  });

  it('gets errors in words that it can act on', async () => {
    const thread = await ada.thread();
    const outside = '/mnt/user-data/../../../../../etc/passwd';
    const [read, written, presented, shell] = await answersOf(ada, thread, [
      ['read_file', { path: outside }],
      ['write_file', { path: '/mnt/user-data/uploads/a.txt', content: 'x' }],
      ['present_files', { filepaths: ['/mnt/user-data/workspace/a.txt'] }],
      ['bash', { command: 'cat /etc/passwd' }],
    ]);
    const failed = (content: RegExp) => ({ status: 'error', content: expect.stringMatching(content) });

    expect(read).toMatchObject(failed(/^Error: Tool 'read_file' failed with path_denied: .*"\.\." part/));
    expect(written).toMatchObject(failed(/Write a copy below \/mnt\/user-data\/workspace/));
    expect(presented).toMatchObject(failed(/Only files below \/mnt\/user-data\/outputs/));
    expect(shell).toMatchObject(failed(/there is no shell here/));
    expect(provider.requests[0]?.tools).not.toContain('bash');
  });

  it('keeps every file that it writes at the same time', async () => {
    const thread = await ada.thread();
    const log = '/mnt/user-data/workspace/log.txt';
    const lines = Array.from({ length: 12 }, (_, index) => `line ${index}\n`);
    await answersOf(
      ada,
      thread,
      lines.map((content): Call => ['write_file', { path: log, content, append: true }]),
    );

    const { text } = await ada.get(`/threads/${thread}/artifacts${log}`);
    expect(text.split('\n').sort()).toEqual(lines.join('').split('\n').sort());
  });
});

describe('uploads', () => {
  const sent = {
    additional_kwargs: {
      files: [{ filename: 'new.png', size: 9, path: '/etc/passwd' }, { filename: 'absent' }, null],
    },
  };

  it('are listed to the model, and the message of the user stays as it is', async () => {
    const thread = await ada.thread();
    await upload(thread, 'old.txt', 'old');
    await upload(thread, 'new.png', picture);
    const { messages, uploaded_files, thread_data } = await ada.wait(thread, ask('Look', 'blind', sent));

    expect(systemText(0)).toMatch(
      /came with the last message:\\n- \/mnt\/user-data\/uploads\/new\.png \(70 bytes\)\\nFiles that were there before:\\n- \/mnt\/user-data\/uploads\/old\.txt \(3 bytes\)/,
    );
    expect(systemText(0)).not.toMatch(/absent|passwd/);
    expect(messages[0]).toMatchObject({ content: 'Look', ...sent });
    expect(uploaded_files.map(({ path }: { path: string }) => path).sort()).toEqual([
      '/mnt/user-data/uploads/new.png',
      '/mnt/user-data/uploads/old.txt',
    ]);
    expect(uploaded_files).toContainEqual({
      filename: 'new.png',
      size: 70,
      path: '/mnt/user-data/uploads/new.png',
      extension: '.png',
    });
    expect(thread_data).toEqual({
      workspace_path: '/mnt/user-data/workspace',
      uploads_path: '/mnt/user-data/uploads',
      outputs_path: '/mnt/user-data/outputs',
    });
  });

  it('of other threads are not listed', async () => {
    const thread = await ada.thread();
    await upload(thread, 'hers.txt', 'x');
    await bob.wait(await bob.thread(), ask('Look', 'blind'));

    expect(systemText(0)).not.toContain('hers.txt');
  });
});

describe('a picture that an agent looks at', () => {
  const path = '/mnt/user-data/uploads/cat.png';
  const look: Call = ['view_image', { image_path: path }];
  const dataUrl = `data:image/png;base64,${picture.toString('base64')}`;

  async function threadWithPicture(): Promise<string> {
    const thread = await ada.thread();
    await upload(thread, 'cat.png', picture);
    return thread;
  }

  it('is part of the next call only, and of no message', async () => {
    const thread = await threadWithPicture();
    script = [[look], [['ls', { path: '/mnt/user-data' }]]];
    const stream = await ada.stream(thread, { ...ask('What is on it?'), stream_mode: ['values', 'updates'] });
    const frames = await stream.rest();
    const { values } = await ada.ok('GET', `/threads/${thread}/state`);

    const requests = provider.requests.map(({ messages }) => messages);
    expect(provider.requests[0]?.tools).toContain('view_image');
    expect(requests[1]?.at(-1)).toEqual({
      role: 'user',
      content: [
        { type: 'text', text: `The picture ${path}:` },
        { type: 'image_url', image_url: { url: dataUrl } },
      ],
    });
    expect(JSON.stringify([requests[0], requests[2]])).not.toContain('base64');
    const viewed = frames.filter(({ event }) => event === 'values').map(({ data }) => data.viewed_images);
    expect(viewed).toContainEqual({ [path]: { base64: '', mime_type: 'image/png' } });
    expect(values.viewed_images).toEqual({});
    expect(JSON.stringify([frames, values])).not.toContain(picture.toString('base64'));
    expect(values.messages.map(({ type }: Message) => type)).toEqual([
      'human',
      'ai',
      'tool',
      'ai',
      'tool',
      'ai',
    ]);
    const [run] = await ada.ok('GET', `/threads/${thread}/runs`);
    const { data } = await ada.ok('GET', `/threads/${thread}/runs/${run.run_id}/messages`);
    expect(data).toHaveLength(6);
    expect(JSON.stringify(data)).not.toContain('base64');
  });

  it.each(['blind', 'shortsighted'])('is not offered to the model "%s", and refused to it', async (model) => {
    script = [[look]];
    const { messages } = await ada.wait(await threadWithPicture(), ask('What is on it?', model));

    expect(provider.requests[0]?.tools).not.toContain('view_image');
    expect(messages[2]).toMatchObject({ status: 'error', content: expect.stringContaining('cannot see') });
    expect(JSON.stringify(provider.requests)).not.toContain('base64');
  });

  it('is one of at most four, and must be a picture', async () => {
    const thread = await threadWithPicture();
    await upload(thread, 'fake.png', 'no picture');
    await upload(thread, 'huge.png', Buffer.concat([picture, Buffer.alloc(4_000_000)]));
    const fake: Call = ['view_image', { image_path: '/mnt/user-data/uploads/fake.png' }];
    const huge: Call = ['view_image', { image_path: '/mnt/user-data/uploads/huge.png' }];
    const answers = await answersOf(ada, thread, [look, fake, huge, look, look]);

    expect(answers.map(({ content }) => content)).toEqual([
      'Successfully read image',
      expect.stringContaining('not_a_picture'),
      expect.stringContaining('has 4000070 bytes; a picture to look at has at most'),
      'Successfully read image',
      expect.stringContaining('at most 4 pictures'),
    ]);
    expect(answers.map(({ status }) => status)).toEqual(['success', 'error', 'error', 'success', 'error']);
    expect(JSON.stringify(provider.requests[1]?.messages).split(dataUrl)).toHaveLength(2);
  });

  it('comes only from a tool and never from a client', async () => {
    const thread = await ada.thread();
    const viewed_images = { '/x.png': { base64: picture.toString('base64'), mime_type: 'image/png' } };
    const { messages } = says('Look');
    const values = await ada.wait(thread, { ...ask(''), input: { messages, viewed_images } });

    expect(JSON.stringify(provider.requests)).not.toContain('base64');
    expect(values.viewed_images).toEqual({});
  });
});

it.each([
  [{ viewed_images: 'x' }, ['viewed_images'], 'x'],
  [{ uploaded_files: 5 }, ['uploaded_files'], 5],
  [{ thread_data: [] }, ['thread_data'], []],
  [{ title: 5 }, ['title'], 5],
  [{ title: 'fits', todos: [{ content: 'x', status: 'later' }] }, ['todos', 0, 'status'], 'later'],
])('a state update of %j is refused at its place', async (values, place, input) => {
  const thread = await ada.thread();
  await ada.wait(thread, ask('Hello'));
  const { status, body } = await ada.post(`/threads/${thread}/state`, { values });

  expect([status, body.detail]).toEqual([
    422,
    [
      {
        loc: ['body', 'values', ...place],
        type: expect.any(String),
        msg: expect.stringMatching(/^Invalid /),
        input,
      },
    ],
  ]);
});

it('a thread is not created with states that its graph refuses', async () => {
  const { status, body } = await ada.post('/threads', {
    metadata: { graph_id: 'lead_agent' },
    supersteps: [{ updates: [{ values: { title: 5 }, as_node: '__start__' }] }],
  });

  expect([status, body.detail]).toEqual([
    422,
    [
      {
        loc: ['body', 'supersteps'],
        type: 'invalid_type',
        msg: expect.stringMatching(/^title: Invalid input/),
        input: null,
      },
    ],
  ]);
});
