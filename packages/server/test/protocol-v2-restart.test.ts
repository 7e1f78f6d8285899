import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type DevGateway, startGateway } from '@switchyard/dev-env/gateway';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ConversationCaller } from './support/conversation-caller.ts';
import { fixtureAgents } from './support/conversation-gateway.ts';
import type { Frame } from './support/conversation-stream.ts';

let home: string;
let gateway: DevGateway | undefined;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'protocol-restart-'));
});
afterEach(async () => {
  await gateway?.stop();
  gateway = undefined;
  rmSync(home, { recursive: true });
});

async function start(): Promise<DevGateway> {
  gateway = await startGateway({ home, config: { database: { backend: 'sqlite' }, agents: fixtureAgents } });
  return gateway;
}

async function restart(): Promise<DevGateway> {
  await gateway?.stop();
  return start();
}

const channels = ['values', 'updates', 'messages', 'lifecycle', 'input', 'checkpoints', 'tasks'];
const isRoot = ({ event, data }: Frame) => event === 'lifecycle' && data.params.namespace.length === 0;

/** The events of the thread up to the end of the run that is the last one. */
async function eventsUntil(caller: ConversationCaller, threadId: string, ended: string): Promise<Frame[]> {
  const stream = await caller.open('POST', `/threads/${threadId}/stream/events`, { body: { channels } });
  await stream.until((frame) => isRoot(frame) && frame.data.params.data.event === ended);
  stream.leave();
  return stream.frames;
}

async function begun(): Promise<ConversationCaller> {
  const { url, register } = await start();
  const ada = await ConversationCaller.of(url, await register('ada@example.com'));
  return ada.at('/api/langgraph');
}

it('events have the same ids on each connection, and none of them another meaning after a restart', async () => {
  const ada = await begun();
  const threadId = await ada.thread();
  const path = `/threads/${threadId}/commands`;
  const params = { assistant_id: 'approval', input: { plan: 'paint' } };
  await ada.ok('POST', path, { id: 1, method: 'run.start', params });
  const first = await eventsUntil(ada, threadId, 'interrupted');
  expect(await eventsUntil(ada, threadId, 'interrupted')).toEqual(first);
  const asked = first.find(({ event }) => event === 'input.requested');

  const later = ada.atReplica((await restart()).url);
  const answer = { interrupt_id: asked?.data.params.data.interrupt_id, response: { ok: true } };
  const told = await later.ok('POST', path, { id: 2, method: 'input.respond', params: answer });
  expect(told).toMatchObject({ type: 'success' });
  const second = await eventsUntil(later, threadId, 'completed');

  const known = new Map(first.map((frame) => [frame.id, frame]));
  for (const frame of second.filter(({ id }) => known.has(id))) expect(frame).toEqual(known.get(frame.id));
  const fresh = second.filter(({ id }) => !known.has(id));
  const newest = Math.max(...first.map(({ data }) => data.seq));
  expect(fresh.length).toBeGreaterThan(3);
  expect(fresh.every(({ data }) => data.seq > newest)).toBe(true);
  expect(told.meta.applied_through_seq).toBeGreaterThanOrEqual(newest);
  expect(await eventsUntil(later, threadId, 'completed')).toEqual(second);
});

it('a reader that was cut off gets the state, the question and the end of the last run, when it ended before the restart', async () => {
  const ada = await begun();
  const threadId = await ada.thread();
  const start = { assistant_id: 'approval', input: { plan: 'sketch' } };
  await ada.ok('POST', `/threads/${threadId}/runs/wait`, start);
  await ada.ok('POST', `/threads/${threadId}/runs/wait`, { ...start, command: { resume: { ok: true } } });
  await ada.ok('POST', `/threads/${threadId}/runs/wait`, start);
  const later = ada.atReplica((await restart()).url);
  const after = await eventsUntil(later, threadId, 'interrupted');

  expect(after).toEqual(await eventsUntil(later, threadId, 'interrupted'));
  expect(after.map(({ event }) => event)).toEqual(['lifecycle', 'input.requested', 'values', 'lifecycle']);
  expect(after.map(({ data }) => data.params.data.event)).toEqual([
    'running',
    undefined,
    undefined,
    'interrupted',
  ]);
  const { tasks } = await later.ok('GET', `/threads/${threadId}/state`);
  const [question] = tasks[0].interrupts;
  expect(after[1]?.data.params.data).toEqual({ interrupt_id: question.id, payload: question.value });
});
