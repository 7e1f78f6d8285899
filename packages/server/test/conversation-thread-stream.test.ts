import { Client } from '@langchain/langgraph-sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { closeGate } from './fixtures/agents/gates.ts';
import { type ConversationCaller, says } from './support/conversation-caller.ts';
import { type ConversationGateway, startConversation } from './support/conversation-gateway.ts';
import { ConversationStream, type Frame } from './support/conversation-stream.ts';

let server: ConversationGateway;
let ada: ConversationCaller;
beforeAll(async () => {
  server = await startConversation();
  ada = server.ada;
});
afterAll(() => server.close());

async function follow(threadId: string, { query = '', after }: { query?: string; after?: string } = {}) {
  const abort = new AbortController();
  const answer = await fetch(new URL(`/api/threads/${threadId}/stream${query}`, ada.url), {
    headers: { 'x-api-key': ada.token, ...(after && { 'last-event-id': after }) },
    signal: abort.signal,
  });
  return new ConversationStream(answer, abort);
}

const lastAnswer = ({ event, data }: Frame) => event === 'values' && data.messages.at(-1)?.type === 'ai';

describe('the stream of a thread', () => {
  it('contains future runs, one after the other, and each id names its run', async () => {
    const threadId = await ada.thread();
    const stream = await follow(threadId);
    for (const text of ['first', 'second']) {
      const run = await ada.run(threadId, { assistant_id: 'chat', input: says(text) });
      const metadata = await stream.until(({ event }) => event === 'metadata');
      expect(metadata).toMatchObject({ data: { run_id: run.run_id }, id: `${run.run_id}:1` });
      await stream.until(lastAnswer);
    }
    stream.leave();
  });

  it('begins with a run that is at work, from its start', async () => {
    const threadId = await ada.thread();
    const gate = closeGate('followed');
    const run = await ada.run(threadId, {
      assistant_id: 'chat',
      input: says('count to 4 at gate followed before 3'),
    });
    await gate.reached;
    const stream = await follow(threadId);
    expect(await stream.next()).toMatchObject({ event: 'metadata', data: { run_id: run.run_id } });
    gate.open();
    await stream.until(lastAnswer);
    stream.leave();
  });

  it('continues after the last event that the client has, beyond the end of a run', async () => {
    const threadId = await ada.thread();
    const runs = [];
    for (const text of ['first', 'second']) {
      const run = await ada.run(threadId, { assistant_id: 'chat', input: says(text) });
      await ada.ended(threadId, run.run_id);
      runs.push(run.run_id);
    }
    const stream = await follow(threadId, { after: `${runs[0]}:1` });
    expect(await stream.next()).toMatchObject({ event: 'values', id: `${runs[0]}:2` });
    expect(await stream.until(({ event }) => event === 'metadata')).toMatchObject({
      data: { run_id: runs[1] },
    });
    stream.leave();
  });

  it('reports only how runs begin and end, when the client asks for that', async () => {
    const threadId = await ada.thread();
    const stream = await follow(threadId, { query: '?stream_mode=lifecycle' });
    const run = await ada.run(threadId, { assistant_id: 'chat', input: says('x') });
    const done = await stream.until(({ event }) => event === 'lifecycle');
    expect(done.data).toEqual({ event: 'run_done', run_id: run.run_id });
    expect(stream.names()).toEqual(['metadata', 'lifecycle']);
    stream.leave();
  });

  it('can be joined with the SDK', async () => {
    const client = new Client({ apiUrl: `${ada.url}/api/langgraph`, apiKey: ada.token });
    const threadId = await ada.thread();
    const openStreams = () => server.gateway.context.streams.count('events');
    await expect.poll(openStreams).toBe(0);
    const leave = new AbortController();
    const joined = client.threads.joinStream(threadId, { signal: leave.signal });
    const first = joined.next();
    // The stream has to be open before the run that it should report.
    await expect.poll(openStreams).toBe(1);
    const run = await ada.run(threadId, { assistant_id: 'chat', input: says('x') });
    expect((await first).value).toMatchObject({ event: 'metadata', data: { run_id: run.run_id } });
    leave.abort();
    await joined.next().catch(() => undefined);
  });
});
