import { fileURLToPath } from 'node:url';
import { Client, type Message } from '@langchain/langgraph-sdk';
import { MessageTupleManager, StreamManager } from '@langchain/langgraph-sdk/ui';
import { HttpSession } from '@switchyard/dev-env/http-session';
import { SpawnedGateway } from '@switchyard/dev-env/spawned-gateway';
import { temporaryFolder } from '@switchyard/dev-env/temporary-folder';
import { afterAll, beforeAll, expect, it } from 'vitest';

const talkingGraph = fileURLToPath(
  new URL('../../packages/server/test/fixtures/agents/chat.ts', import.meta.url),
);
const folder = temporaryFolder();
const question = 'count to 60 every 50 ms';
const answer = Array.from({ length: 60 }, (_, index) => index + 1).join(' ');
let gateway: SpawnedGateway;
let client: Client;

const start = (port = '0') =>
  SpawnedGateway.start({
    home: folder.path,
    args: ['--port', port],
    env: { SWITCHYARD__AGENTS: `chat=${talkingGraph}:graph` },
  });

beforeAll(async () => {
  gateway = await start();
  const account = { email: 'ada@example.com', password: 'correct horse battery' };
  const session = await HttpSession.register(gateway.url, account);
  const scopes = ['conversation:read', 'conversation:write'];
  const { token } = await session.post<{ token: string }>('/api/v1/auth/tokens', { name: 'sdk', scopes });
  client = new Client({ apiUrl: `${gateway.url}/api/langgraph`, apiKey: token });
});
afterAll(async () => {
  await gateway?.stop();
  folder.remove();
});

type State = { messages: Message[] };
type Events = ReturnType<Client['runs']['joinStream']>;

/** What the hook useStream keeps its messages in. */
class Page {
  readonly #manager = new StreamManager<State>(new MessageTupleManager(), { throttle: false });

  async show(events: Events): Promise<void> {
    await this.#manager.start(async () => events as never, {
      initialValues: { messages: [] },
      getMessages: ({ messages }) => messages,
      setMessages: (values, messages) => ({ ...values, messages }),
      callbacks: {},
      onSuccess: () => undefined,
      onError: (error) => Promise.reject(error),
    });
  }

  get messages(): Message[] {
    return this.#manager.values?.messages ?? [];
  }
}

it.each([
  ['starts a run', true],
  ['joins a run', false],
])(
  'a client of the SDK that %s for messages-tuple alone ends with each message once, though the gateway is killed',
  async (_case, isStart) => {
    const { thread_id: threadId } = await client.threads.create();
    const input = { messages: [{ type: 'human', content: question }] };
    const streamMode = 'messages-tuple' as const;
    const page = new Page();
    const shown = page.show(
      isStart
        ? (client.runs.stream(threadId, 'chat', { input, streamMode }) as Events)
        : client.runs.joinStream(
            threadId,
            (await client.runs.create(threadId, 'chat', { input, streamMode })).run_id,
            {
              streamMode,
            },
          ),
    );
    await expect.poll(() => page.messages.at(-1)?.content).toMatch(/ 5/);
    const half = page.messages.at(-1)?.id;
    await gateway.kill9();
    gateway = await start(new URL(gateway.url).port);
    await shown;

    expect(page.messages.map(({ type, content }) => [type, content])).toEqual([
      ['human', question],
      ['ai', answer],
    ]);
    const { values } = await client.threads.getState<State>(threadId);
    expect(page.messages.map(({ id }) => id)).toEqual(values.messages.map(({ id }) => id));
    expect(page.messages.map(({ id }) => id)).not.toContain(half);
  },
);
