import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { HttpSession } from '@switchyard/dev-env/http-session';
import { SpawnedGateway } from '@switchyard/dev-env/spawned-gateway';
import { temporaryFolder } from '@switchyard/dev-env/temporary-folder';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ConversationCaller } from '../../packages/server/test/support/conversation-caller.ts';
import type { Frame } from '../../packages/server/test/support/conversation-stream.ts';

const manifest = readFileSync(fileURLToPath(new URL('../../package.json', import.meta.url)), 'utf8');
const { devDependencies } = JSON.parse(manifest) as { devDependencies: Record<string, string> };

/** The versions of LangGraph and of LangChain's core that a project has beside the gateway. The guide names the oldest. */
const versions = {
  oldest: ['0.2.74', '^0.3'],
  'the last of 0.3': ['0.3.12', '^0.3'],
  '1.0': ['~1.0.0', '^1'],
  '1.3': ['~1.3.0', '^1'],
  newest: [devDependencies['@langchain/langgraph'], devDependencies['@langchain/core']],
} as const;
const chosen = process.env.LANGGRAPH_VERSIONS?.split(',') ?? Object.keys(versions);

const agent = `
import { AIMessage } from '@langchain/core/messages';
import { FakeListChatModel } from '@langchain/core/utils/testing';
import { Annotation, interrupt, MessagesAnnotation, Send, StateGraph } from '@langchain/langgraph';

const State = Annotation.Root({
  ...MessagesAnnotation.spec,
  topic: Annotation(),
  found: Annotation({ reducer: (before, more) => [...before, ...more], default: () => [] }),
});
const model = new FakeListChatModel({ responses: ['tea is a leaf'] });

const inner = new StateGraph(State)
  .addNode('think', async ({ messages }) => ({ messages: [await model.invoke(messages)] }))
  .addEdge('__start__', 'think')
  .compile();

export const graph = new StateGraph(State)
  .addNode('answer', inner)
  .addNode('find', ({ topic }) => ({ found: [topic] }))
  .addNode('ask', () => {
    const said = interrupt({ question: 'send it?' });
    return { messages: [new AIMessage({ id: 'said', content: 'the person said ' + said })] };
  })
  .addEdge('__start__', 'answer')
  .addConditionalEdges('answer', () => ['black', 'green'].map((topic) => new Send('find', { topic })), ['find'])
  .addEdge('find', 'ask')
  .compile();
`;

describe.each(Object.entries(versions).filter(([name]) => chosen.includes(name)))(
  'a graph of %s LangGraph, %j',
  (_name, [langgraph, core]) => {
    const folder = temporaryFolder();
    let gateway: SpawnedGateway;
    let ada: ConversationCaller;
    beforeAll(async () => {
      const files = {
        'package.json': {
          type: 'module',
          dependencies: { '@langchain/langgraph': langgraph, '@langchain/core': core },
        },
        'langgraph.json': { graphs: { agent: './agent.mjs:graph' } },
      };
      for (const [name, content] of Object.entries(files)) {
        writeFileSync(join(folder.path, name), JSON.stringify(content));
      }
      writeFileSync(join(folder.path, 'agent.mjs'), agent);
      const install = ['install', '--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund'];
      execFileSync('npm', install, { cwd: folder.path, stdio: 'pipe' });
      gateway = await SpawnedGateway.start({ home: folder.path });
      const credentials = { email: 'ada@example.com', password: 'correct horse battery' };
      const session = await HttpSession.register(gateway.url, credentials);
      ada = (await ConversationCaller.of(gateway.url, session)).at('/api/langgraph');
    });
    afterAll(async () => {
      await gateway.stop();
      folder.remove();
    });

    const asked = {
      assistant_id: 'agent',
      stream_mode: ['values', 'updates', 'messages-tuple'],
      stream_subgraphs: true,
    };
    const question = { messages: [{ type: 'human', content: 'what is tea?' }] };

    it('streams its states and updates, and the pieces of messages, each under the name of its graph', async () => {
      const threadId = await ada.thread();
      const stream = await ada.stream(threadId, { ...asked, input: question });
      const frames = await stream.rest();

      expect(namesOf(frames)).toEqual([
        'metadata',
        'values',
        'values|answer',
        'messages|answer',
        'updates|answer',
        'values|answer',
        'updates',
        'values',
        'updates',
        'values',
        'updates',
        'values',
      ]);
      const pieces = frames.filter(({ event }) => event.startsWith('messages|')).map(({ data }) => data[0]);
      expect(pieces.map(({ content }) => content).join('')).toBe('tea is a leaf');
      expect(new Set(pieces.map(({ type }) => type))).toEqual(new Set(['ai']));
      const values = stream.of('values').map(({ data }) => data);
      expect(values.at(-2)).toMatchObject({
        messages: [
          { type: 'human', content: 'what is tea?' },
          { type: 'ai', content: 'tea is a leaf' },
        ],
        found: ['black', 'green'],
      });
      expect(values.at(-1)).toMatchObject({ __interrupt__: [{ value: { question: 'send it?' } }] });
      expect(stream.of('updates').map(({ data }) => Object.keys(data))).toEqual([
        ['answer'],
        ['find'],
        ['find'],
        ['__interrupt__'],
      ]);
    });

    it('stops for a person, goes on with the answer, and is read before and after', async () => {
      const threadId = await ada.thread();
      const here = `/threads/${threadId}`;
      await ada.wait(threadId, { ...asked, input: question });
      expect(await ada.ok('GET', here)).toMatchObject({ status: 'interrupted' });
      const waiting = await ada.ok('GET', `${here}/state`);
      const interrupts = [{ id: expect.any(String), value: { question: 'send it?' } }];
      expect(waiting).toMatchObject({ next: ['ask'], tasks: [{ name: 'ask', interrupts }] });
      expect(JSON.stringify(waiting.metadata)).not.toContain('langgraph_auth');

      const stream = await ada.stream(threadId, { ...asked, command: { resume: false } });
      expect(namesOf(await stream.rest())).toEqual(['metadata', 'values', 'messages', 'updates', 'values']);
      const said = { type: 'ai', content: 'the person said false' };
      expect(stream.of('values').at(-1)?.data.messages.at(-1)).toMatchObject(said);
      expect(await ada.ok('GET', here)).toMatchObject({ status: 'idle' });
      const { values, next } = await ada.ok('GET', `${here}/state`);
      expect(next).toEqual([]);
      expect(values.messages.at(-1)).toMatchObject(said);
      const history = await ada.ok('POST', `${here}/history`, { limit: 50 });
      expect(history.map((state: { next: string[] }) => state.next)).toEqual([
        [],
        ['ask'],
        ['find', 'find'],
        ['answer'],
        ['__start__'],
      ]);
    });

    it('is run and answered by the commands of protocol v2', async () => {
      const threadId = await ada.thread();
      const command = (method: string, params: object) =>
        ada.ok('POST', `/threads/${threadId}/commands`, { id: 1, method, params });
      const channels = ['values', 'updates', 'messages', 'lifecycle', 'input'];
      const stream = await ada.open('POST', `/threads/${threadId}/stream/events`, { body: { channels } });
      await command('run.start', { assistant_id: 'agent', input: question });
      expect(await endOf(stream)).toBe('interrupted');
      const [requested] = stream.of('input.requested').map(({ data }) => data.params.data);
      expect(requested).toMatchObject({ payload: { question: 'send it?' } });

      await command('input.respond', { interrupt_id: requested.interrupt_id, response: 'yes' });
      expect(await endOf(stream)).toBe('completed');
      stream.leave();
      const places = stream.of('messages').map(({ data }) => data.params.namespace.join().split(':')[0]);
      expect(new Set(places)).toEqual(new Set(['answer', 'ask']));
      expect(stream.of('values').at(-1)?.data.params.data.messages.at(-1)).toMatchObject({
        type: 'ai',
        content: 'the person said yes',
      });
    });
  },
);

/** The names of frames without ids of tasks. Frames of one name that follow each other count once. */
function namesOf(frames: readonly Frame[]): string[] {
  const names = frames.map(({ event }) => event.replaceAll(/:[^|]*/g, ''));
  return names.filter((name, index) => name !== names[index - 1]);
}

async function endOf(stream: {
  until(isWanted: (frame: Frame) => boolean): Promise<Frame>;
}): Promise<string> {
  const { data } = await stream.until(
    ({ event, data: { params } }) =>
      event === 'lifecycle' && params.namespace.length === 0 && params.data.event !== 'running',
  );
  return data.params.data.event;
}
