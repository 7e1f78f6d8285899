import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { type Line, type Message, type RunOnWire, StreamingClient } from './conversation-client.ts';

export const chatAgent = fileURLToPath(
  new URL('../../packages/server/test/fixtures/agents/chat.ts', import.meta.url),
);
/** The nodes of the sample workflow. */
export const nodeClasses = ['EmptyImage', 'ImageCompositeMasked', 'ImageScale', 'ImageInvert', 'SaveImage'];

/** Runs a workflow on a worker. */
export const inversion = 'invert a picture';
/** Each is about one to two seconds of work. */
const questions = [
  { assistant_id: 'lead_agent', text: inversion },
  { assistant_id: 'lead_agent', text: 'what can you do?' },
  { assistant_id: 'chat', text: 'count to 80 every 20 ms' },
  { assistant_id: 'lead_agent', text: 'list instances' },
];
/** The number of talks in one thread, one after the other. The others have a thread each. */
const inOneThread = 4;

export interface Talk {
  client: StreamingClient;
  body: object;
  text: string;
}

export async function startTalks(line: Line, clients: number): Promise<Talk[]> {
  const shared = await newThread(line);
  const talks: Talk[] = [];
  for (let index = 0; index < clients; index += 1) {
    const threadId = index < inOneThread ? shared : await newThread(line);
    const { assistant_id, text } = index < inOneThread ? questionFor(1) : questionFor(index);
    const body = {
      assistant_id,
      input: { messages: [{ role: 'user', content: text }] },
      stream_mode: ['messages-tuple', 'values', 'custom'],
      metadata: { mark: randomUUID() },
    };
    talks.push({ client: new StreamingClient(line, threadId), body, text });
  }
  return talks;
}

function questionFor(index: number): { assistant_id: string; text: string } {
  const question = questions[index % questions.length];
  if (!question) throw new Error('There are no questions.');
  return question;
}

async function newThread(line: Line): Promise<string> {
  return (await line.ask<{ thread_id: string }>('POST', '/api/threads', { thread_id: randomUUID() }))
    .thread_id;
}

interface Stored {
  run_id: string;
  seq: number;
  event_type: string;
  content: Message;
}

/** Returns the number of runs that needed more than one attempt. */
export async function checkTalks(line: Line, all: Talk[]): Promise<number> {
  let later = 0;
  for (const threadId of new Set(all.map(({ client }) => client.threadId))) {
    const talks = all.filter(({ client }) => client.threadId === threadId);
    const here = `/api/threads/${threadId}`;
    expect(await line.ask('GET', here), threadId).toMatchObject({ status: 'idle' });
    const runs = await line.ask<RunOnWire[]>('GET', `${here}/runs`);
    expect(runs.map(({ run_id }) => run_id).sort()).toEqual(talks.map(({ client }) => client.runId).sort());
    for (const run of runs)
      expect(run, `a run of ${threadId}`).toMatchObject({ status: 'success', error: null });
    later += runs.filter(({ attempt }) => attempt > 1).length;

    const { values } = await line.ask<{ values: { messages: Message[] } }>('GET', `${here}/state`);
    checkJournal(await line.ask<Stored[]>('GET', `${here}/messages?limit=200`), values.messages);
    for (const talk of talks) checkClient(talk, values.messages);
  }
  return later;
}

/** The journal has every message of the state once, and nothing else. */
function checkJournal(stored: Stored[], messages: Message[]): void {
  const seqs = stored.map(({ seq }) => seq);
  expect(seqs).toEqual([...new Set(seqs)].sort((a, b) => a - b));
  expect(stored.map(({ content }) => shown(content))).toEqual(messages.map(shown));
}

/** The client shows the state at the end of its run, and the messages that arrived in pieces are complete. */
function checkClient({ client, text }: Talk, messages: Message[]): void {
  const ids = client.messages.map(({ id }) => id);
  expect(ids).toEqual([...new Set(ids)]);
  expect(client.messages.map(shown)).toEqual(messages.slice(0, ids.length).map(shown));
  const asked = client.messages.findLast(({ type }) => type === 'human');
  expect(asked?.content).toBe(text);
  expect(client.messages.at(-1)).toMatchObject({ type: 'ai' });
  for (const { id, content } of client.messages) {
    const parts = client.pieces.get(id);
    if (parts?.at(-1)) expect(wholesOf(parts), `pieces of ${id}`).toContain(content);
  }
}

/**
 * What the pieces make from each connection on. A later attempt begins its message again, and a run that another replica
 * works on continues it for a client that has connected again.
 */
function wholesOf(parts: readonly string[]): string[] {
  return parts.map((_, index) => parts.slice(index).join(''));
}

function shown({ id, type, content }: Message): object {
  return { id, type, content };
}
