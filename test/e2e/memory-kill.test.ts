import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type FakeOpenAi, type FakeRequest, startFakeOpenAi } from '@switchyard/dev-env/fake-openai';
import { HttpSession } from '@switchyard/dev-env/http-session';
import { SpawnedGateway } from '@switchyard/dev-env/spawned-gateway';
import { temporaryFolder } from '@switchyard/dev-env/temporary-folder';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const folder = temporaryFolder();
let provider: FakeOpenAi;
let gateway: SpawnedGateway;
let session: HttpSession;
/** Called while the gateway waits for the answer to a search. */
let onSearch: () => void = () => undefined;

beforeAll(async () => {
  provider = await startFakeOpenAi((request) => {
    if (!isSearch(request)) return { text: 'Noted.' };
    onSearch();
    const [word = ''] = /word-\d+/.exec(saidIn(request)) ?? [];
    return { text: JSON.stringify({ facts: [{ content: word, category: 'context', confidence: 1 }] }) };
  });
  writeFileSync(
    join(folder.path, 'switchyard.yaml'),
    [
      'version: 1',
      'title: { enabled: false }',
      'memory: { debounce_seconds: 1 }',
      `models: [{ name: fake, model: fake-1, base_url: "${provider.url}", api_key: sk-x }]`,
    ].join('\n'),
  );
  gateway = await SpawnedGateway.start({ home: folder.path });
  session = await HttpSession.register(gateway.url, {
    email: 'ada@example.com',
    password: 'correct horse battery',
  });
});

afterAll(async () => {
  await gateway?.stop();
  await provider?.close();
  folder.remove();
});

const isSearch = ({ messages }: FakeRequest) => String(messages[0]?.content).includes('Conversation:\n');
const saidIn = ({ messages }: FakeRequest) => String(messages[0]?.content).split('Conversation:')[1] ?? '';

describe('a gateway that is killed before it has learned from a user’s message', () => {
  it.each([
    ['while the conversation falls silent', async () => undefined],
    ['while its model thinks', () => new Promise<void>((resolve) => (onSearch = resolve))],
    ['once its model has answered', async () => until(() => sleep(2).then(() => searches() > 0))],
  ])('%s, learns it after all, and once', async (_when, moment) => {
    provider.requests.length = 0;
    const word = `word-${Date.now()}`;
    const { thread_id: thread } = await session.post<{ thread_id: string }>('/api/threads', {});
    const moved = moment();
    await session.post(`/api/threads/${thread}/runs/wait`, {
      assistant_id: 'lead_agent',
      input: { messages: [{ role: 'user', content: `My word is ${word}` }] },
    });
    await moved;
    await gateway.kill9();
    onSearch = () => undefined;
    gateway = await SpawnedGateway.start({ home: folder.path });
    session = session.at(gateway.url);

    await until(async () => (await contents()).includes(word));
    // A second learning would have happened by now.
    await sleep(1_500);
    expect((await contents()).filter((content) => content === word)).toHaveLength(1);
  });
});

const searches = () => provider.requests.filter(isSearch).length;

async function contents(): Promise<string[]> {
  const { facts } = await session.get<{ facts: { content: string }[] }>('/api/memory');
  return facts.map(({ content }) => content);
}

async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await sleep(20);
}
