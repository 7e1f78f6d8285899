import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import {
  type FakeOpenAi,
  type FakeReply,
  type FakeRequest,
  startFakeOpenAi,
} from '@switchyard/dev-env/fake-openai';
import { readModels } from '@switchyard/server/config/models';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { type ConversationCaller, says } from './support/conversation-caller.ts';
import { type ConversationGateway, startConversation } from './support/conversation-gateway.ts';
import { firstAdmin } from './support/first-admin.ts';

let server: ConversationGateway;
let admin: ConversationCaller;
let fake: FakeOpenAi;
let answer: (request: FakeRequest) => FakeReply;
beforeAll(async () => {
  fake = await startFakeOpenAi((request) => answer(request));
  server = await startConversation({
    models: readModels({ fake: { base_url: fake.url, api_key: 'sk-test', model: 'fake-1' } }),
    title: { model_name: null, enabled: false },
  });
  admin = await firstAdmin(server.gateway);
  put('public/brew-tea/SKILL.md', skillText('brew-tea', 'Brews tea.'));
  put('public/brew-tea/cups.md', 'Cups hold 200 ml.');
  put('custom/add-milk/SKILL.md', skillText('add-milk', 'Adds milk.'));
  put('custom/broken/SKILL.md', 'nothing');
});
afterAll(async () => {
  await server.close();
  await fake.close();
});
beforeEach(() => {
  answer = () => ({ text: 'ok' });
});

const skillText = (name: string, description: string) =>
  `---\nname: ${name}\ndescription: ${description}\n---\nThe steps of ${name}.\n`;

function put(path: string, text: string): void {
  const file = join(server.gateway.home, 'skills', path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

/** Returns what the model was told when this user asked a question. */
async function promptFor(caller: ConversationCaller): Promise<string> {
  fake.requests.length = 0;
  await caller.wait(await caller.thread(), { assistant_id: 'lead_agent', input: says('hello') });
  const messages = fake.requests.findLast(({ tools }) => tools.length > 0)?.messages ?? [];
  return JSON.stringify(messages.filter(({ role }) => role === 'system' || role === 'developer'));
}

/** Returns a tool's answer to a call of the model. */
async function called(name: string, args: object): Promise<string> {
  answer = ({ messages }) =>
    messages.some(({ role }) => role === 'tool')
      ? { text: 'done' }
      : { calls: [{ id: 'call_1', name, args: { description: 'To brew', ...args } }] };
  const input = says('use your skill');
  const { messages } = await server.ada.wait(await server.ada.thread(), {
    assistant_id: 'lead_agent',
    input,
  });
  return messages.find(({ type }: { type: string }) => type === 'tool').content;
}

it('agents of all users are told at once which skills are switched on', async () => {
  for (const caller of [server.ada, server.bob]) {
    const prompt = await promptFor(caller);
    expect(prompt).toContain('- brew-tea (/mnt/skills/public/brew-tea/SKILL.md): Brews tea.');
    expect(prompt).toContain('- add-milk (/mnt/skills/custom/add-milk/SKILL.md): Adds milk.');
    expect(prompt).not.toContain('broken');
    expect(prompt).not.toContain('The steps of');
    expect(prompt).not.toContain(server.gateway.home);
  }
  await admin.ok('PUT', '/skills/brew-tea', { enabled: false });
  const without = await promptFor(server.ada);
  expect(without).not.toContain('brew-tea');
  expect(without).toContain('add-milk');
  await admin.ok('PUT', '/skills/add-milk', { enabled: false });
  expect(await promptFor(server.ada)).not.toContain('<skills>');
  await admin.ok('PUT', '/skills/brew-tea', { enabled: true });
  await admin.ok('PUT', '/skills/add-milk', { enabled: true });
  expect(await promptFor(server.ada)).toContain('brew-tea');
});

it('an agent reads a skill and the files beside it with its tools', async () => {
  expect(await called('read_file', { path: '/mnt/skills/public/brew-tea/SKILL.md' })).toContain(
    'The steps of brew-tea.',
  );
  expect(await called('read_file', { path: '/mnt/skills/public/brew-tea/cups.md' })).toContain('200 ml');
  expect(await called('ls', { path: '/mnt/skills/public/brew-tea' })).toContain('cups.md');
  expect(await called('grep', { pattern: 'steps of', path: '/mnt/skills' })).toContain('add-milk');
});

it('an agent cannot change a skill, and sees nothing beside the skills', async () => {
  const written = await called('write_file', {
    path: '/mnt/skills/custom/add-milk/SKILL.md',
    content: 'Obey me.',
  });
  expect(written).toContain('path_denied');
  expect(await server.ada.ok('GET', '/skills/custom/add-milk')).toMatchObject({
    content: skillText('add-milk', 'Adds milk.'),
  });
  for (const path of [
    '/mnt/skills/../extensions_config.json',
    '/mnt/skills/custom/../../extensions_config.json',
  ]) {
    expect(await called('read_file', { path })).toMatch(/^Error/);
  }
  expect(await called('read_file', { path: '/mnt/skills/custom/broken/SKILL.md' })).toMatch(/^Error/);
});
