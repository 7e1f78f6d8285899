import { randomInt } from 'node:crypto';
import {
  manyAnswersParams,
  oneAnswerParams,
  protocolErrorCodes,
  runStartParams,
  stateParams,
  treeParams,
} from '@switchyard/contract/conversation/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { type Answer, type ConversationCaller, says } from './support/conversation-caller.ts';
import { type ConversationGateway, startConversation } from './support/conversation-gateway.ts';
import { hostileText, hostileValue, jsonText } from './support/generated/hostile-values.ts';
import { KnownThings } from './support/generated/known-things.ts';
import { type JsonSchema, schemaValue, spoiled } from './support/generated/schema-values.ts';
import { SeededRandom } from './support/generated/seeded-random.ts';

/** `GENERATED_REQUESTS` sets how many commands are sent, `GENERATED_SEED` repeats a test. */
const count = Number(process.env.GENERATED_REQUESTS ?? 400);
const seed = Number(process.env.GENERATED_SEED ?? randomInt(2 ** 31));
const batch = 200;
const batches = Array.from({ length: Math.ceil(count / batch) }, (_, index) => index * batch);
const paramsOf: Record<string, JsonSchema> = {
  'run.start': runStartParams as unknown as JsonSchema,
  'input.respond': { anyOf: [oneAnswerParams, manyAnswersParams] as unknown as JsonSchema[] },
  'agent.getTree': treeParams as unknown as JsonSchema,
  'state.get': stateParams as unknown as JsonSchema,
};
const methods = Object.keys(paramsOf);
const samples = { assistant_id: ['steps', 'chat', 'none'], input: [says('hello'), null] };

let server: ConversationGateway;
let ada: ConversationCaller;
let threads: string[];
let foreign: string;
beforeAll(async () => {
  process.stderr.write(`Generated commands: GENERATED_SEED=${seed} GENERATED_REQUESTS=${count}\n`);
  server = await startConversation();
  ada = server.ada.at('/api/langgraph');
  const [idle, waiting] = [await ada.thread(), await ada.thread()];
  await ada.wait(idle, { assistant_id: 'chat', input: says('hello') });
  await ada.wait(waiting, { assistant_id: 'approval', input: { plan: 'paint' } });
  threads = [idle, waiting, await ada.thread()];
  foreign = await server.bob.thread();
});
afterAll(() => server.close());

/** A command that is valid, wrong in one place, or nothing of the kind. */
function commandOf(random: SeededRandom): string {
  const method = random.pick(methods);
  const source = { random, things: new KnownThings(), samples, density: random.pick([0, 0.3]) };
  const params = schemaValue(paramsOf[method] ?? {}, source);
  const command = { id: random.below(1_000), method, params };
  const kind = random.next();
  if (kind < 0.25) return jsonText(command);
  if (kind < 0.7) return jsonText(spoiled(command, random));
  if (kind < 0.8) return jsonText({ ...command, method: random.pick(['', 'run', hostileText(random)]) });
  if (kind < 0.9) return jsonText(hostileValue(random));
  return jsonText(command).slice(0, random.below(40));
}

async function post(threadId: string, path: string, body: string): Promise<Pick<Answer, 'status' | 'text'>> {
  const answer = await fetch(`${ada.url}/api/langgraph/threads/${threadId}/${path}`, {
    method: 'POST',
    headers: { 'x-api-key': ada.token, 'content-type': 'application/json' },
    body,
  });
  return { status: answer.status, text: await answer.text() };
}

/** An answer in the form of the protocol, of a command that was read. */
function isAnswer(text: string): boolean {
  const { type, error } = JSON.parse(text);
  return type === 'success' || (type === 'error' && protocolErrorCodes.includes(error));
}

/** Answered in the words of the protocol, or with a status of its own. */
function isTold({ status, text }: Pick<Answer, 'status' | 'text'>): boolean {
  return status === 200 || status === 422 ? isAnswer(text) : status < 500;
}

/** An answer to a question starts a run and does not name it. */
async function runsStartedBy(
  threadId: string,
  { status, text }: Pick<Answer, 'status' | 'text'>,
): Promise<string[]> {
  const { result, meta } = status === 200 ? JSON.parse(text) : {};
  if (result?.run_id !== undefined) return [result.run_id];
  return meta === undefined ? [] : runsOf(threadId);
}

const runsOf = async (threadId: string): Promise<string[]> =>
  (await ada.ok('GET', `/threads/${threadId}/runs?limit=1000`)).map((run: { run_id: string }) => run.run_id);

describe(`of seed ${seed}, generated commands`, () => {
  it.each(batches)(
    'from number %i on are answered in the words of the protocol, and refused ones start nothing',
    async (first) => {
      const started = new Set((await Promise.all(threads.map(runsOf))).flat());
      const failures: string[] = [];
      for (let index = first; index < Math.min(first + batch, count); index += 1) {
        const random = new SeededRandom(seed + index);
        const body = commandOf(random);
        const threadId = random.pick(threads);
        const answer = await post(threadId, 'commands', body);
        if (!isTold(answer))
          failures.push(`#${index} ${body.slice(0, 600)} → ${answer.status} ${answer.text.slice(0, 300)}`);
        for (const run of await runsStartedBy(threadId, answer)) started.add(run);
      }
      expect(failures).toEqual([]);
      const stored = (await Promise.all(threads.map(runsOf))).flat();
      expect(stored.filter((run) => !started.has(run))).toEqual([]);
    },
  );

  it('find no thread of another user, whatever they are', async () => {
    for (let index = 0; index < Math.min(count / 10, batch); index += 1) {
      const random = new SeededRandom(seed - index);
      const body = commandOf(random);
      const { status, text } = await post(foreign, 'commands', body);
      const isRefused = status === 404 || (JSON.parse(text).type === 'error' && status < 500);
      expect(isRefused, `${body.slice(0, 600)} → ${status} ${text.slice(0, 300)}`).toBe(true);
    }
    expect(await server.bob.ok('GET', `/threads/${foreign}/runs`)).toEqual([]);
  });

  it('leave a socket open that answers each of them, once', async () => {
    const url = `${ada.url.replace(/^http/, 'ws')}/api/langgraph/threads/${threads[0]}/stream/events`;
    const socket = new WebSocket(url, { headers: { 'x-api-key': ada.token } });
    const answers: string[] = [];
    socket.on('message', (data) => answers.push(String(data)));
    await new Promise((resolve) => socket.once('open', resolve));
    const sent = Math.ceil(Math.min(count / 4, batch));
    for (let index = 0; index < sent; index += 1) {
      socket.send(commandOf(new SeededRandom(seed + count + index)));
      await expect.poll(() => answers.length).toBe(index + 1);
    }
    expect(answers.filter((text) => !isAnswer(text))).toEqual([]);
    expect(answers.filter((text) => text.includes('Internal error'))).toEqual([]);
    expect(socket.readyState).toBe(socket.OPEN);
    socket.terminate();
  });

  it('of readers are refused with the name of a field, or stream', async () => {
    const failures: string[] = [];
    for (let index = 0; index < Math.min(count / 4, batch); index += 1) {
      const random = new SeededRandom(seed + 7 * index);
      const filter = spoiled({ channels: ['values'], namespaces: [['a']], depth: 1, since: 0 }, random);
      const leave = new AbortController();
      const answer = await fetch(`${ada.url}/api/langgraph/threads/${threads[0]}/stream/events`, {
        method: 'POST',
        headers: { 'x-api-key': ada.token, 'content-type': 'application/json' },
        body: jsonText(filter),
        signal: leave.signal,
      });
      const isFine = answer.status === 200 || (answer.status === 422 && isAnswer(await answer.text()));
      if (!isFine && answer.status >= 500)
        failures.push(`${jsonText(filter).slice(0, 600)} → ${answer.status}`);
      leave.abort();
    }
    expect(failures).toEqual([]);
  });
});
