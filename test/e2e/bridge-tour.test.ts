import { HttpSession } from '@switchyard/dev-env/http-session';
import { SpawnedGateway } from '@switchyard/dev-env/spawned-gateway';
import { temporaryFolder } from '@switchyard/dev-env/temporary-folder';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readCredentials } from './credentials-file.ts';
import { dataOf, framesIn, sendAsPage, uploadAsPage } from './page-of-session.ts';

/** A new machine: no key and no own worker, only the gateway, a picture and a request. */

const home = temporaryFolder();
let gateway: SpawnedGateway;
let session: HttpSession;

beforeAll(async () => {
  gateway = await SpawnedGateway.start({ home: home.path });
  session = await HttpSession.login(gateway.url, readCredentials(home.path));
});
afterAll(async () => {
  await gateway.stop();
  home.remove();
});

it('makes a smaller inverted copy of an uploaded picture, shows its progress, and keeps one record of everything', async () => {
  const { thread_id: thread } = await session.post<{ thread_id: string }>('/api/threads', {});
  const here = `/api/threads/${thread}`;
  const background = { r: 200, g: 100, b: 40 };
  const picture = await sharp({ create: { width: 640, height: 480, channels: 3, background } })
    .png()
    .toBuffer();
  const page = { url: gateway.url, session };
  expect(await uploadAsPage(page, thread, { name: 'cat.png', bytes: picture })).toMatchObject({
    success: true,
    files: [{ virtual_path: '/mnt/user-data/uploads/cat.png' }],
  });

  await workerIsUp();
  const answer = await sendAsPage(page, `${here}/runs/stream`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      assistant_id: 'lead_agent',
      input: { messages: [{ role: 'user', content: 'make a smaller inverted copy of cat.png' }] },
      stream_mode: ['values', 'custom'],
    }),
  });
  const frames = framesIn(await answer.text());
  const [{ run_id: runId }] = dataOf(frames, 'metadata');
  const custom = dataOf(frames, 'custom');
  const progress = custom.filter(({ type }) => type === 'worker_task_progress');
  expect(progress.length).toBeGreaterThan(0);
  for (const { progress: percent } of progress) expect(percent).toBeLessThanOrEqual(100);
  const completed = custom.at(-1);
  expect(completed).toMatchObject({ type: 'worker_task_completed', files: [{ content_type: 'image/png' }] });
  const { task_id: taskId, tool_call_id: callId, files } = completed;
  const { messages, artifacts } = dataOf(frames, 'values').at(-1);
  expect(artifacts).toEqual([files[0].virtual_path]);
  expect(messages.at(-1).content).toContain(artifacts[0]);
  expect(messages.at(-1).response_metadata).toMatchObject({ simulated: true });

  const made = await sendAsPage(page, `${here}/artifacts${artifacts[0]}`, {});
  const image = sharp(Buffer.from(await made.arrayBuffer()));
  expect(await image.metadata()).toMatchObject({ width: 320, height: 240, format: 'png' });
  const { channels, data } = await image
    .raw()
    .toBuffer({ resolveWithObject: true })
    .then(({ data: bytes, info }) => ({ channels: info.channels, data: bytes }));
  const pixels = new Set(
    Array.from({ length: data.length / channels }, (_, at) =>
      data.subarray(at * channels, at * channels + 3).join(),
    ),
  );
  expect([...pixels]).toEqual(['55,155,215']);

  await expectOneRecord({ here, runId, taskId, callId, thread });
});

/** Model call, tool call and task stand in one order, and each names the next. */
async function expectOneRecord(of: {
  here: string;
  runId: string;
  taskId: string;
  callId: string;
  thread: string;
}): Promise<void> {
  const { here, runId, taskId, callId, thread } = of;
  const events = await session.get<Event[]>(`${here}/runs/${runId}/events?limit=500`);
  const bySeq = events.map(({ seq }) => seq);
  expect(bySeq).toEqual([...bySeq].sort((a, b) => a - b));
  const story = [
    'human_message',
    'llm_request',
    'llm_response',
    'ai_tool_call',
    'worker_task_submitted',
    'worker_task_completed',
    'tool_result',
    'ai_message',
  ];
  const types = events.map(({ event_type: type }) => type);
  const places = story.map((type) => types.indexOf(type));
  expect(places, types.join()).not.toContain(-1);
  expect(places).toEqual([...places].sort((a, b) => a - b));
  const find = (type: string) => events.find(({ event_type: each }) => each === type);
  expect(find('ai_tool_call')?.content).toMatchObject({
    tool_calls: [{ id: callId, name: 'run_workflow' }],
  });
  for (const type of ['worker_task_submitted', 'worker_task_completed'])
    expect(find(type)?.metadata).toMatchObject({ task_id: taskId, tool_call_id: callId });
  const { data: task } = await session.get<{ data: object }>(`/api/tasks/${taskId}`);
  expect(task).toMatchObject({
    status: 'completed',
    conversation: { threadId: thread, runId, toolCallId: callId },
  });
  const said = await session.get<Event[]>(`${here}/messages`);
  expect(said.map(({ event_type: type }) => type)).toEqual([
    'human_message',
    'ai_tool_call',
    'tool_result',
    'ai_message',
  ]);
}

interface Event {
  seq: number;
  event_type: string;
  content: unknown;
  metadata: object;
}

/** The built-in worker starts beside the gateway. */
async function workerIsUp(): Promise<void> {
  for (;;) {
    const { data } = await session.get<{ data: { state: string }[] }>('/api/instances');
    if (data.some(({ state }) => state === 'idle')) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
