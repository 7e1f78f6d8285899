import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { SpawnedGateway } from '@switchyard/dev-env/spawned-gateway';
import { temporaryFolder } from '@switchyard/dev-env/temporary-folder';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readCredentials } from './credentials-file.ts';

/** The first steps of a new user on a bare machine, with curl and nothing else. */

const run = promisify(execFile);
const home = temporaryFolder();
const desk = temporaryFolder();
const jar = join(desk.path, 'cookies');
let gateway: SpawnedGateway;

beforeAll(async () => {
  gateway = await SpawnedGateway.start({ home: home.path });
});
afterAll(async () => {
  await gateway.stop();
  home.remove();
  desk.remove();
});

async function curl(path: string, ...args: string[]): Promise<string> {
  const { stdout } = await run('curl', [
    '-sS',
    '--fail-with-body',
    '-b',
    jar,
    '-c',
    jar,
    ...args,
    gateway.url + path,
  ]);
  return stdout;
}

/** Like a page of the gateway: each write has the CSRF token of the cookie. */
async function send(method: string, path: string, body: object, ...args: string[]): Promise<string> {
  const csrf = /csrf_token\t(\S+)/.exec(readFileSync(jar, 'utf8'))?.[1] ?? '';
  const headers = ['-H', 'Content-Type: application/json', '-H', `X-CSRF-Token: ${csrf}`];
  return curl(path, '-X', method, ...headers, '-d', JSON.stringify(body), ...args);
}

interface Event {
  event_type: string;
  content: { content: string };
}

it('logs in, talks to the demo model, and finds all of it again', async () => {
  const { email, password } = readCredentials(home.path);
  const login = ['--data-urlencode', `username=${email}`, '--data-urlencode', `password=${password}`];
  expect(JSON.parse(await curl('/api/v1/auth/login/local', ...login))).toMatchObject({ needs_setup: true });

  const thread = JSON.parse(await send('POST', '/api/threads', { metadata: { topic: 'first steps' } }));
  expect(thread).toMatchObject({ status: 'idle', values: {}, metadata: { topic: 'first steps' } });
  const here = `/api/threads/${thread.thread_id}`;

  const streamed = await send(
    'POST',
    `${here}/runs/stream`,
    {
      input: { messages: [{ role: 'user', content: 'what can you do?' }] },
      stream_mode: ['messages-tuple', 'values'],
    },
    '-N',
  );
  const frames = streamed.trim().split('\n\n');
  const dataOf = (event: string) =>
    frames
      .filter((frame) => frame.startsWith(`event: ${event}\n`))
      .map((frame) => JSON.parse(/^data: (.*)$/m.exec(frame)?.[1] ?? 'null'));
  const [{ run_id: runId }] = dataOf('metadata');
  const words = dataOf('messages').map(([piece]) => piece.content);
  expect(words.length).toBeGreaterThan(20);
  expect(words.join('')).toContain('invert a picture');
  expect(new Set(frames.map((frame) => /^event: (.*)$/m.exec(frame)?.[1]))).toEqual(
    new Set(['metadata', 'messages', 'values']),
  );

  const messages: Event[] = JSON.parse(await curl(`${here}/messages`));
  expect(messages.map(({ event_type }) => event_type)).toEqual(['human_message', 'ai_message']);
  expect(messages[1]?.content.content).toBe(words.join(''));
  const events: Event[] = JSON.parse(await curl(`${here}/runs/${runId}/events`));
  const types = events.map(({ event_type }) => event_type);
  for (const type of [
    'human_message',
    'run_start',
    'llm_request',
    'llm_response',
    'ai_message',
    'middleware:title',
  ]) {
    expect(
      types.filter((each) => each === type),
      type,
    ).toHaveLength(1);
  }
  expect(types.at(-1)).toBe('run_end');

  const usage = JSON.parse(await curl(`${here}/token-usage`));
  expect(usage.total_tokens).toBeGreaterThan(0);
  expect(Object.keys(usage.by_model)).toHaveLength(1);
  expect(JSON.parse(await curl(`${here}/runs/${runId}`))).toMatchObject({
    status: 'success',
    message_count: 2,
  });

  const feedback = { rating: 1, comment: 'clear' };
  expect(JSON.parse(await send('PUT', `${here}/runs/${runId}/feedback`, feedback))).toMatchObject(feedback);
  expect(JSON.parse(await curl(`/api/runs/${runId}/feedback`))).toMatchObject([feedback]);

  const found = JSON.parse(await send('POST', '/api/threads/search', { metadata: { topic: 'first steps' } }));
  expect(found).toMatchObject([{ thread_id: thread.thread_id, status: 'idle' }]);
  expect(found[0].values.title).toMatch(/\w/);
  const models = JSON.parse(await curl('/api/models'));
  expect(JSON.stringify(models)).toMatch(/simulated/i);
});
