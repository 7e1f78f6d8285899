import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@switchyard/dev-env/temporary-folder';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ConversationCaller } from './support/conversation-caller.ts';
import {
  type ConversationGateway,
  fixtureAgents,
  startConversation,
} from './support/conversation-gateway.ts';

const folder = temporaryFolder();
let server: ConversationGateway;
let ada: ConversationCaller;
beforeAll(async () => {
  mkdirSync(join(folder.path, 'src'));
  writeFileSync(join(folder.path, 'src/faulty.ts'), 'export const graph: = 1;\n');
  const faulty = `faulty=${join(folder.path, 'src/faulty.ts')}:graph`;
  server = await startConversation({ agents: [...fixtureAgents, faulty] });
  ({ ada } = server);
});
afterAll(async () => {
  await server.close();
  folder.remove();
});

it('are listed with file and state, and a refused one with the reason', async () => {
  const { graphs, faults } = await ada.ok('GET', '/graphs');
  const found = (name: string) => graphs.find(({ graph_id }: { graph_id: string }) => graph_id === name);
  expect(found('lead_agent')).toMatchObject({ state: 'built_in', file: null, export: null, fault: null });
  expect(found('chat')).toMatchObject({
    state: 'loaded',
    file: expect.stringMatching(/(^|\/)chat\.ts$/),
    export: 'graph',
    fault: null,
  });
  expect(found('faulty')).toMatchObject({
    state: 'refused',
    file: 'faulty.ts',
    fault: expect.stringContaining('faulty.ts:1: '),
  });
  expect(JSON.stringify(graphs), 'no path of this machine').not.toContain(folder.path);
  expect(faults).toEqual([]);
});

it.each([
  ['chat', { messages: [{ role: 'user', content: 'How are you?' }] }, 'How are you?'],
  ['made', { topic: 'Tea at noon' }, 'Tea at noon'],
  ['strings', { messages: ['hello'] }, 'hello'],
  ['two-questions', {}, 'two-questions'],
])('give their threads titles: %s', async (assistant_id, input, title) => {
  const threadId = await ada.thread();
  await ada.wait(threadId, { assistant_id, input });
  expect((await ada.ok('GET', `/threads/${threadId}`)).title).toBe(title);
  const listed = await ada.ok('POST', '/threads/search', { q: title, select: ['thread_id', 'title'] });
  expect(listed).toContainEqual({ thread_id: threadId, title });
});

it('keep the title that a user gives, and their state as it is', async () => {
  const threadId = await ada.thread();
  await ada.wait(threadId, { assistant_id: 'strings', input: { messages: ['hello'] } });
  const before = await ada.ok('GET', `/threads/${threadId}/state`);
  await ada.ok('PATCH', `/threads/${threadId}`, { title: 'Mine' });
  expect(await ada.ok('GET', `/threads/${threadId}/state`)).toEqual(before);
  await ada.wait(threadId, { command: { resume: 'yes' } });
  expect((await ada.ok('GET', `/threads/${threadId}`)).title).toBe('Mine');
});
