import { mkdirSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { HttpSession } from '@switchyard/dev-env/http-session';
import { SpawnedGateway } from '@switchyard/dev-env/spawned-gateway';
import { temporaryFolder } from '@switchyard/dev-env/temporary-folder';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ConversationCaller } from '../../packages/server/test/support/conversation-caller.ts';
import { zip } from '../../packages/server/test/support/zip.ts';

const talkingGraph = fileURLToPath(
  new URL('../../packages/server/test/fixtures/agents/chat.ts', import.meta.url),
);
const folder = temporaryFolder();
let gateway: SpawnedGateway;
let ada: ConversationCaller;
let bob: ConversationCaller;

beforeAll(async () => {
  const env = { SWITCHYARD__AGENTS: `chat=${talkingGraph}:graph` };
  gateway = await SpawnedGateway.start({ home: folder.path, env });
  [ada, bob] = [await member('ada'), await member('bob')];
});
afterAll(async () => {
  await gateway.stop();
  folder.remove();
});

async function member(name: string): Promise<ConversationCaller> {
  const account = { email: `${name}@example.com`, password: 'correct horse battery' };
  return ConversationCaller.of(gateway.url, await HttpSession.register(gateway.url, account));
}

it.each([
  ['whose end record is true', {}],
  ['whose end record lies', { count: 10, directoryBytes: 860 }],
])('110 readers of an archive of 60,000 files, %s, cost no run its lease', async (_case, claims) => {
  const thread = await bob.thread();
  const outputs = join(folder.path, 'users', bob.userId, 'threads', thread, 'user-data/outputs');
  mkdirSync(outputs, { recursive: true });
  const files = Array.from({ length: 60_000 }, (_, n) => ({
    name: `${n}`.padStart(40, 'x'),
    content: Buffer.alloc(0),
    stored: true,
  }));
  writeFileSync(join(outputs, 'many.skill'), zip(files, '', claims));
  const path = `/api/threads/${thread}/artifacts/mnt/user-data/outputs/many.skill/SKILL.md`;

  const talk = await ada.stream(await ada.thread(), {
    assistant_id: 'chat',
    input: { messages: [{ type: 'human', content: 'count to 60 every 50 ms' }] },
    stream_mode: ['messages-tuple'],
  });
  await talk.until(({ event }) => event === 'messages');
  const statuses = await Promise.all(Array.from({ length: 110 }, () => statusOf(path)));
  const frames = await talk.rest();

  // A run that loses its lease stops and is taken up again, which its stream says with another beginning.
  expect(frames.filter(({ event }) => event === 'metadata')).toHaveLength(1);
  expect(frames.at(-1)?.event).toBe('messages');
  expect(gateway.output()).not.toMatch(/lease on .* lost/);
  expect(new Set(statuses)).toEqual(new Set([400, 429]));
});

/** Asks over a connection of its own. Returns undefined when it is cut. */
function statusOf(path: string): Promise<number | undefined> {
  return new Promise((resolve) => {
    const headers = { 'x-api-key': bob.token };
    const asked = request(new URL(path, gateway.url), { headers, agent: false }, (answer) => {
      answer.resume();
      answer.once('end', () => resolve(answer.statusCode));
    });
    asked.once('error', () => resolve(undefined)).end();
  });
}
